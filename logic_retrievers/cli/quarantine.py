"""``logic-retrievers quarantine list|show|restore|purge`` and ``logic-retrievers verify``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from logic_retrievers.cleaning import Entry, Held, Ledger, Quarantine
from logic_retrievers.cli.ledgers import LedgerFile, open_ledger
from logic_retrievers.cli.options import (
    DEFAULT_LOCATION,
    ApiKey,
    Bundle,
    Collection,
    Location,
    Tenant,
    open_encoder,
    open_index,
)
from logic_retrievers.cli.outcome import ExitCode, out, reports_errors, say
from logic_retrievers.errors import ConfigurationError, InputError

quarantine = typer.Typer(
    help="What the cleaner has hidden: list, show, restore, purge.", no_args_is_help=True
)

Ids = Annotated[list[str] | None, typer.Argument(metavar="ID...", help="Of passages.")]
All = Annotated[bool, typer.Option("--all", help="All hidden passages.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@quarantine.command("list")
@reports_errors
def list_hidden(
    as_json: AsJson = False,
    location: Location = DEFAULT_LOCATION,
    collection: Collection = "passages",
    bundle: Bundle = None,
    api_key: ApiKey = None,
    tenant: Tenant = None,
    ledger: LedgerFile = None,
) -> None:
    """Prints the hidden passages, and why each was hidden."""
    with _opened(location, collection, bundle, api_key, tenant, ledger) as found:
        held = found.held()
    if as_json:
        typer.echo(json.dumps([_row(one) for one in held], ensure_ascii=False, indent=2))
        return
    for one in held:
        why = "hidden without this ledger" if one.entry is None else one.entry.reason
        out.print(
            f"[bold]{escape(one.passage.id)}[/] {escape(why)}", highlight=False, soft_wrap=True
        )
    out.print(f"{len(held)} hidden", highlight=False)


@quarantine.command()
@reports_errors
def show(
    passage: Annotated[str, typer.Argument(metavar="ID", help="Of a passage.")],
    as_json: AsJson = False,
    location: Location = DEFAULT_LOCATION,
    collection: Collection = "passages",
    bundle: Bundle = None,
    api_key: ApiKey = None,
    tenant: Tenant = None,
    ledger: LedgerFile = None,
) -> None:
    """Prints a passage and everything that the ledger knows about it."""
    with _opened(location, collection, bundle, api_key, tenant, ledger) as found:
        history = found.history(passage)
        stored = found.stored(passage)
    if stored is None and not history:
        raise InputError(f"neither the collection nor the ledger knows {passage!r}")
    if as_json:
        document = {
            "id": passage,
            "text": None if stored is None else stored.text,
            "quarantined": stored is not None and stored.quarantined,
            "history": [entry.to_dict() for entry in history],
        }
        typer.echo(json.dumps(document, ensure_ascii=False, indent=2))
        return
    state = "gone" if stored is None else "hidden" if stored.quarantined else "active"
    out.print(f"[bold]{escape(passage)}[/] {state}", highlight=False)
    if stored is not None:
        out.print(f"   {escape(stored.text)}", highlight=False, soft_wrap=True)
    for entry in history:
        out.print(
            f"   [dim]{entry.time}[/] {entry.event} {_about(entry)}",
            highlight=False,
            soft_wrap=True,
        )


@quarantine.command()
@reports_errors
def restore(
    ids: Ids = None,
    everything: All = False,
    location: Location = DEFAULT_LOCATION,
    collection: Collection = "passages",
    bundle: Bundle = None,
    api_key: ApiKey = None,
    tenant: Tenant = None,
    ledger: LedgerFile = None,
) -> None:
    """Shows passages again, exactly as they were; the cleaner leaves them alone from then on."""
    with _opened(location, collection, bundle, api_key, tenant, ledger) as found:
        result = found.restore(_chosen(found, ids, everything))
    for name in result.changed:
        say("note", f"{name} has been written to since it was hidden; it is shown as it is now")
    for name in result.missing:
        say("left out", f"{name} is not in quarantine")
    out.print(f"{len(result.restored)} restored", highlight=False)
    if result.missing:
        raise typer.Exit(ExitCode.PARTIAL)


@quarantine.command()
@reports_errors
def purge(
    ids: Ids = None,
    everything: All = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    location: Location = DEFAULT_LOCATION,
    collection: Collection = "passages",
    bundle: Bundle = None,
    api_key: ApiKey = None,
    tenant: Tenant = None,
    ledger: LedgerFile = None,
) -> None:
    """Deletes hidden passages for good."""
    with _opened(location, collection, bundle, api_key, tenant, ledger) as found:
        chosen = _chosen(found, ids, everything)
        if chosen and not yes:
            typer.confirm(f"Delete {len(chosen)} hidden passages for good?", abort=True)
        out.print(f"{found.purge(chosen)} deleted", highlight=False)


@reports_errors
def verify(
    as_json: AsJson = False,
    location: Location = DEFAULT_LOCATION,
    collection: Collection = "passages",
    bundle: Bundle = None,
    api_key: ApiKey = None,
    tenant: Tenant = None,
    ledger: LedgerFile = None,
) -> None:
    """Compares the ledger with the collection, and carries out what a crash left undone."""
    with _opened(location, collection, bundle, api_key, tenant, ledger) as found:
        result = found.verify()
    if as_json:
        typer.echo(json.dumps(result.to_dict(), ensure_ascii=False, indent=2))
        return
    for what, names in result.to_dict().items():
        for name in names:
            out.print(f"{what}: {escape(name)}", highlight=False)
    out.print("ledger and collection agree" if result.agreed else "mended; they agree now")


@contextmanager
def _opened(
    location: str,
    collection: str,
    bundle: Path | None,
    api_key: str | None,
    tenant: str | None,
    ledger: Path | None,
) -> Iterator[Quarantine]:
    encoder = open_encoder(bundle)
    with open_index(encoder, location, collection, api_key, tenant, create=False) as index:
        known: Ledger = open_ledger(ledger, location)
        yield Quarantine(index, known)


def _chosen(found: Quarantine, ids: Sequence[str] | None, everything: bool) -> list[str]:
    if bool(ids) == everything:
        raise ConfigurationError("name passages by their ids, or take --all")
    return list(ids) if ids else [one.passage.id for one in found.held()]


def _row(held: Held) -> dict[str, Any]:
    return {
        "id": held.passage.id,
        "text": held.passage.text,
        "entry": None if held.entry is None else held.entry.to_dict(),
    }


def _about(entry: Entry) -> str:
    against = f" (against {entry.opponent})" if entry.opponent else ""
    return escape(f"{entry.reason}{against}")
