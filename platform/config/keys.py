"""Keys that a fresh installation generates for itself, beside the data they protect."""

import base64
import os
import secrets
from pathlib import Path


def stored_key(path: Path, *, size: int) -> str:
    """The key in the file at `path` (`size` random bytes, URL-safe base64), made on first use with mode 0600.

    Several processes may start at once: whoever links the file first wins, the others read it.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(base64.urlsafe_b64encode(secrets.token_bytes(size)).decode())
        try:
            os.link(draft, path)
        except FileExistsError:
            return path.read_text().strip()
        finally:
            draft.unlink()
    return path.read_text().strip()
