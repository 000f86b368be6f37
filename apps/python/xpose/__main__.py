"""The command: `python -m xpose tune --shape 4096x4096`."""

import os
import sys

from ._command import command


def main() -> None:
    """Become the command."""
    try:
        os.execv(command(), [command(), *sys.argv[1:]])
    except FileNotFoundError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
