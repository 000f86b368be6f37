"""The place of the command."""

import pathlib


def command() -> str:
    """The command that lies in the package."""
    file = pathlib.Path(__file__).parent / "bin" / "xpose"
    if not file.exists():
        raise FileNotFoundError(
            f"the command of xpose is not at {file}: reinstall the package xpose-transpose"
        )
    return str(file)
