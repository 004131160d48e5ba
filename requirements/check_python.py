"""Says what is missing on this machine before an environment is made. Runs on any Python 3."""

import importlib.util
import sys

NEEDED = (3, 11)

if sys.version_info < NEEDED:
    sys.exit(
        "Quintet needs Python 3.11 or newer; {} is {}.{}. Install one, or name it: make PYTHON=python3.12 run".format(
            sys.executable, *sys.version_info[:2]
        )
    )
if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
    sys.exit(
        "{} cannot make virtual environments. On Debian or Ubuntu: sudo apt-get install python{}.{}-venv".format(
            sys.executable, *sys.version_info[:2]
        )
    )
