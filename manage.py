#!/usr/bin/env python
"""Django's command line for Quintet."""

import os
import sys
from pathlib import Path

from django.core.management import execute_from_command_line


def main() -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parent / "platform"))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from config.environment import WrongSettingError  # noqa: PLC0415 -- found on the path from here on

    try:
        execute_from_command_line(sys.argv)
    except WrongSettingError as error:
        sys.exit(f"{error}")


if __name__ == "__main__":
    main()
