"""The place of the command."""

import os


def command() -> str:
    """The command that lies in the package."""
    file = os.path.join(os.path.dirname(__file__), "bin", "xpose")
    if not os.path.exists(file):
        raise FileNotFoundError(
            f"the command of xpose is not at {file}: reinstall the package xpose-transpose"
        )
    return file
