"""The command line, which needs the `cli` extra."""

from __future__ import annotations

import sys


def main() -> None:
    """Run ``logic-retrievers``."""
    try:
        from logic_retrievers.cli.app import app
        from logic_retrievers.cli.console import ShownStream
    except ModuleNotFoundError as error:
        if error.name not in {"typer", "rich"}:
            raise
        from logic_retrievers.errors import MissingExtraError

        sys.exit(str(MissingExtraError(error.name, "cli")))
    sys.stdout, sys.stderr = ShownStream(sys.stdout), ShownStream(sys.stderr)
    app()
