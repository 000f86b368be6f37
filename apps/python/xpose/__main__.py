"""The command: `python -m xpose tune --shape 4096x4096`."""

import os
import pathlib
import sys


def command() -> str:
    """The command that lies in the package."""
    file = pathlib.Path(__file__).parent / "bin" / "xpose"
    if not file.exists():
        raise FileNotFoundError(
            f"the command of xpose is not at {file}: reinstall the package xpose-transpose"
        )
    return str(file)


def main() -> None:
    """Become the command."""
    try:
        os.execv(command(), [command(), *sys.argv[1:]])
    except FileNotFoundError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
