"""Apps on a running site, made as an operator's program makes them: over the API."""

import json
import secrets
import urllib.request
from typing import Any

from tests.running_site import RunningSite


def request(site: RunningSite, method: str, path: str, body: Any = None) -> Any:
    """The JSON answer of an API call with the site's key; raises HTTPError for all but success."""
    content = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {site.api_key}", "Content-Type": "application/json"}
    asked = urllib.request.Request(f"{site.url}/api/v1/{path}", content, headers, method=method)
    with urllib.request.urlopen(asked, timeout=20) as answer:
        return json.load(answer)


def make_app(site: RunningSite, upstream_url: str, **config: Any) -> str:
    """A published App of its own, visible to all, whose model answers at `upstream_url`; its slug."""
    slug = f"app-{secrets.token_hex(4)}"
    request(site, "POST", "model-providers", {"name": slug, "base_url": upstream_url})
    request(site, "POST", "language-models", {"provider": slug, "name": "fake-model"})
    request(site, "POST", "apps", {"slug": slug, "name": f"The {slug}", "visibility": "site"})
    draft = request(site, "GET", f"apps/{slug}/draft")
    changes = {"revision": draft["revision"], "model": f"{slug}/fake-model", **config}
    changed = request(site, "PATCH", f"apps/{slug}/draft", changes)
    request(site, "POST", f"apps/{slug}/publish", {"revision": changed["revision"]})
    return slug
