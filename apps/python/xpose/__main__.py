"""The command: `python -m xpose tune --shape 4096x4096`."""

import os
import pathlib
import sys


def main() -> None:
    """Become the command that lies in the package."""
    command = pathlib.Path(__file__).parent / "bin" / "xpose"
    if not command.exists():
        sys.exit(f"the command of xpose is not at {command}: reinstall the package xpose-transpose")
    os.execv(command, [str(command), *sys.argv[1:]])


if __name__ == "__main__":
    main()
