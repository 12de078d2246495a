"""``logic-retrievers quarantine list|show|restore|purge|verify``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from logic_retrievers.cli.console import (
    AsJson,
    ExitCode,
    out,
    print_json,
    print_result,
    print_status,
)
from logic_retrievers.cli.options import StoredCollectionWithLedger, as_command, open_ledger
from logic_retrievers.errors import ConfigurationError, InputError

if TYPE_CHECKING:
    from logic_retrievers.conflicts import Quarantine

quarantine = typer.Typer(
    help="List, show, restore, purge or verify what the cleaner has hidden.", no_args_is_help=True
)

Ids = Annotated[list[str] | None, Argument(metavar="ID...", help="Ids of passages.")]
All = Annotated[bool, Option("--all", help="All hidden passages.")]


@quarantine.command("list")
@as_command
def list_hidden(as_json: AsJson = False, *, stored: StoredCollectionWithLedger) -> None:
    """Print the hidden and the closed passages, and why each is."""
    with _open_quarantine(stored, reads=True) as store:
        passages, closed = store.passages(), store.closed()
    if as_json:
        shown = [(held.passage, held.entry) for held in (*passages, *closed)]
        print_json(
            [{"id": p.id, "text": p.text, "entry": entry and entry.to_dict()} for p, entry in shown]
        )
        return
    for hidden in passages:
        reason = "hidden without this ledger" if hidden.entry is None else hidden.entry.reason
        out.print_line((hidden.passage.id, "bold"), f" {reason}")
    for ended in closed:
        out.print_line((ended.passage.id, "bold"), f" {ended.entry and ended.entry.reason}")
    also = f", {len(closed)} closed" if closed else ""
    out.print_line(f"{len(passages)} hidden{also} in collection {stored.collection!r}")


@quarantine.command()
@as_command
def show(
    passage: Annotated[str, Argument(metavar="ID", help="Id of a passage.")],
    as_json: AsJson = False,
    *,
    stored: StoredCollectionWithLedger,
) -> None:
    """Print a passage and all of its ledger entries."""
    with _open_quarantine(stored, reads=True) as store:
        history = store.history(passage)
        current = store.stored(passage)
    if current is None and not history:
        raise InputError(f"neither the collection nor the ledger knows {passage!r}")
    if as_json:
        print_json(
            {
                "id": passage,
                "text": current and current.text,
                "quarantined": current is not None and current.quarantined,
                "history": [entry.to_dict() for entry in history],
            }
        )
        return
    state = "gone" if current is None else "hidden" if current.quarantined else "active"
    out.print_line((passage, "bold"), f" {state}")
    if current is not None:
        out.print_line(f"   {current.text}")
    for entry in history:
        against = f" (against {entry.opponent})" if entry.opponent else ""
        out.print_line((f"   {entry.time}", "dim"), f" {entry.event} {entry.reason}{against}")


@quarantine.command()
@as_command
def restore(
    ids: Ids = None,
    everything: All = False,
    as_json: AsJson = False,
    *,
    stored: StoredCollectionWithLedger,
) -> None:
    """Show passages again, exactly as they were; later cleanings leave them alone.

    A closed passage gets back what its field was before.
    """
    with _open_quarantine(stored) as store:
        result = store.restore(_selected_ids(store, ids, everything))
    for name in result.changed:
        print_status("note", f"{name} was changed after the decision; it stays as it is now")
    for name in result.missing:
        print_status(
            "left out", f"{name} is neither hidden nor closed in collection {stored.collection!r}"
        )
    print_result(asdict(result), f"{len(result.restored)} restored", as_json=as_json)
    if result.missing:
        raise typer.Exit(ExitCode.PARTIAL)


@quarantine.command()
@as_command
def purge(
    ids: Ids = None,
    everything: All = False,
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
    *,
    stored: StoredCollectionWithLedger,
) -> None:
    """Delete hidden passages for good."""
    with _open_quarantine(stored) as store:
        selected = _selected_ids(store, ids, everything)
        if selected and not yes:
            typer.confirm(f"Delete {len(selected)} hidden passages for good?", abort=True, err=True)
        deleted = store.purge(selected)
    print_result({"deleted": deleted}, f"{deleted} deleted", as_json=as_json)


@quarantine.command()
@as_command
def verify(
    accept_ledger: Annotated[
        bool, Option("--accept-ledger", help="Go on with a ledger that lacks entries.")
    ] = False,
    as_json: AsJson = False,
    *,
    stored: StoredCollectionWithLedger,
) -> None:
    """Compare the ledger with the collection, and complete what a crash interrupted.

    Exits with 3 if hidden passages are no longer stored: nothing can restore them.
    """
    with _open_quarantine(stored) as store:
        result = store.verify(accept_ledger=accept_ledger)
    lines = [f"{what}: {name}" for what, names in result.to_dict().items() for name in names]
    verdict = "ledger and collection agree" if result.agreed else "mended; they agree now"
    lines.append("hidden passages are lost" if result.gone else verdict)
    print_result(result.to_dict(), "\n".join(lines), as_json=as_json)
    if result.gone:
        print_status(
            "warning",
            f"{len(result.gone)} hidden passages are no longer stored. Is this the collection of"
            " that ledger, and is it whole?",
        )
        raise typer.Exit(ExitCode.PARTIAL)


@contextmanager
def _open_quarantine(
    stored: StoredCollectionWithLedger, *, reads: bool = False
) -> Iterator[Quarantine]:
    from logic_retrievers.conflicts import Quarantine

    with stored.open(reads=reads) as index:
        yield Quarantine(index, open_ledger(stored.ledger, stored.location, create=not reads))


def _selected_ids(store: Quarantine, ids: Sequence[str] | None, everything: bool) -> list[str]:
    if bool(ids) == everything:
        raise ConfigurationError("name passages by their ids, or take --all")
    return list(ids) if ids else [hidden.passage.id for hidden in store.passages()]
