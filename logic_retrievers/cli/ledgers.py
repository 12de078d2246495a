"""Where the command line keeps the ledger of a collection."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from logic_retrievers.cleaning import Ledger

LedgerFile = Annotated[
    Path | None,
    typer.Option(
        "--ledger",
        envvar="LOGIC_RETRIEVERS_LEDGER",
        help="File with all decisions of the cleaner.",
        show_default="ledger.sqlite in the folder of the location; for a server in the current one",
    ),
]


def open_ledger(file: Path | None, location: str) -> Ledger:
    """The ledger that was named, or the usual one of a location.

    Raises:
        StorageError: it cannot be opened.
    """
    if file is not None:
        return Ledger(file)
    server = location.startswith(("http://", "https://"))
    return Ledger(Path("." if server else location) / "ledger.sqlite")
