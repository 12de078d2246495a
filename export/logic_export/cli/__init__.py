"""The command ``logic-export``; needs the extras ``cli`` and, to train and export, ``train``."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point of ``logic-export``."""
    try:
        from logic_export.cli.app import app
    except ModuleNotFoundError as error:
        if error.name not in {"typer", "rich"}:
            raise
        from logic_retrievers.errors import MissingExtraError

        sys.exit(str(MissingExtraError(error.name, "cli")))
    app()
