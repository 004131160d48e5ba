"""Says what is missing on this machine before an environment is made. Any Python can run it."""

import pkgutil
import sys

NEEDED = (3, 11)
FOUND = sys.version_info[:2]

if FOUND < NEEDED:
    sys.exit(
        "Quintet needs Python 3.11 or newer; {} is {}.{}. Install one, or name it: make PYTHON=python3.12 run".format(
            sys.executable, *FOUND
        )
    )
if not {"venv", "ensurepip"} <= {module.name for module in pkgutil.iter_modules()}:
    sys.exit(
        "{} cannot make virtual environments. On Debian or Ubuntu: sudo apt-get install python{}.{}-venv".format(
            sys.executable, *FOUND
        )
    )
