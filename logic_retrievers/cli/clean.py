"""``logic-retrievers clean [PATH]``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from logic_retrievers.cleaning import Cleaned, CorpusCleaner, Decision, Kind, failing, write_report
from logic_retrievers.cleaning.report import check_suffix, check_words
from logic_retrievers.cli.ledgers import LedgerFile, open_ledger
from logic_retrievers.cli.options import (
    DEFAULT_LOCATION,
    ApiKey,
    Bundle,
    Location,
    Tenant,
    open_encoder,
    open_index,
    parse_filter,
)
from logic_retrievers.cli.outcome import ExitCode, out, reports_errors, say
from logic_retrievers.cli.progress import progress
from logic_retrievers.documents import Splitter, read_documents
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import ConfigurationError, InputError
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage

SHOWN = 20


@reports_errors
def clean(
    path: Annotated[
        Path | None,
        typer.Argument(help="Documents to examine: a JSONL, CSV, Markdown or text file, a folder."),
    ] = None,
    collection: Annotated[
        str | None,
        typer.Option(
            "--collection", "-c", help="A collection to clean; with PATH only compared with."
        ),
    ] = None,
    trusted: Annotated[
        list[str] | None,
        typer.Option(
            help="Who is right: KEY=VALUE over the metadata, or a file of documents. Repeatable."
        ),
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            "-p",
            help="annotate, prefer_newest, prefer_source, prefer_majority, quarantine_all; the "
            "first that can decide does.",
            show_default="annotate",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Decide, and write nothing.")] = False,
    report: Annotated[
        Path | None,
        typer.Option(
            help="Write a report: .html (with .jsonl and .csv beside it), .jsonl or .csv."
        ),
    ] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(help="Exit with 6 for findings of this kind or severity, or `any`."),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Examine what was examined before, too.")
    ] = False,
    threshold: Annotated[
        float | None, typer.Option(help="Least probability of a contradiction, 0 to 1.")
    ] = None,
    neighbours: Annotated[
        int, typer.Option(help="How many topical neighbours each passage is compared with.")
    ] = 20,
    date_key: Annotated[str, typer.Option(help="Of the date in the metadata.")] = "date",
    source_key: Annotated[str, typer.Option(help="Of the source in the metadata.")] = "source",
    source_order: Annotated[
        list[str] | None, typer.Option(help="Sources for prefer_source, the best first.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the decisions as JSON.")] = False,
    location: Location = DEFAULT_LOCATION,
    bundle: Bundle = None,
    api_key: ApiKey = None,
    tenant: Tenant = None,
    ledger: LedgerFile = None,
) -> None:
    """Finds passages that contradict, repeat or replace each other, and decides.

    With --collection what a policy decides against is hidden from every search and can be restored
    (`quarantine`); nothing is deleted. With PATH the documents are examined and nothing is stored.
    """
    if path is None and collection is None:
        raise ConfigurationError("give a PATH of documents, or --collection with the name of one")
    check_words(fail_on or [])
    if report is not None:
        check_suffix(report)
    encoder = open_encoder(bundle)
    conditions, documents = _trusted(trusted or [])
    settings: dict[str, Any] = {
        "policy": policy or ["annotate"],
        "threshold": threshold,
        "neighbours": neighbours,
        "date_key": date_key,
        "source_key": source_key,
        "source_order": source_order or (),
        "trusted_filter": parse_filter(conditions),
        "trusted": _read(documents, encoder),
    }
    with ExitStack() as opened:
        if collection is None:
            index = opened.enter_context(PassageIndex.open("examined", encoder))
        else:
            index = opened.enter_context(
                open_index(encoder, location, collection, api_key, tenant, create=False)
            )
            settings["ledger"] = open_ledger(ledger, location)
        cleaner = CorpusCleaner(index, **settings)
        given = None if path is None else _read([path], encoder)
        if given is not None and not given:
            raise InputError(f"{path} holds no passage")
        total = index.count() if given is None else len(given)
        with progress("passages", total) as advance:
            cleaned = cleaner.clean(
                given, dry_run=dry_run or given is not None, again=again, progress=advance
            )
    if as_json:
        typer.echo(json.dumps(cleaned.to_dict(), ensure_ascii=False, indent=2))
    else:
        _print(cleaned)
    for file in [] if report is None else write_report(cleaned, report):
        say("report", str(file))
    if found := failing(cleaned, fail_on or []):
        say("found", f"{len(found)} of what --fail-on names")
        raise typer.Exit(ExitCode.FOUND)


def _trusted(given: Sequence[str]) -> tuple[list[str], list[Path]]:
    """Conditions over the metadata, and files."""
    files = [Path(one) for one in given if Path(one).exists()]
    conditions = [one for one in given if not Path(one).exists()]
    for one in conditions:
        if "=" not in one:
            raise ConfigurationError(
                f"--trusted takes KEY=VALUE over the metadata, or a file; there is no file {one!r}"
            )
    return conditions, files


def _read(paths: Sequence[Path], encoder: Encoder) -> list[Passage]:
    passages: list[Passage] = []
    for path in paths:
        reading = read_documents(path)
        passages += Splitter.for_encoder(encoder).split(reading)
        for error in reading.errors:
            say("left out", str(error))
    return passages


def _print(cleaned: Cleaned) -> None:
    """The most serious decisions, and how many of each kind there are."""
    serious = [
        d for d in cleaned.decisions if d.finding.kind in (Kind.CONTRADICTION, Kind.SUPERSEDED)
    ]
    for decision in serious[:SHOWN]:
        _print_decision(decision, cleaned.passages)
    if len(serious) > SHOWN:
        out.print(f"[dim]and {len(serious) - SHOWN} more; --report FILE has them all[/]")
    counts = Counter(
        (one.finding.kind.value, _did(one, cleaned.dry_run)) for one in cleaned.decisions
    )
    if counts:
        table = Table("finding", "decision", "pairs", box=None, header_style="dim")
        for (kind, action), count in sorted(counts.items()):
            table.add_row(kind, action, str(count))
        out.print(table)
    hidden = f"{len(cleaned.quarantined)} {'would be ' if cleaned.dry_run else ''}quarantined"
    out.print(
        f"{cleaned.examined} passages examined, {cleaned.compared} pairs compared, {hidden}"
        f" ({cleaned.policy}, threshold {cleaned.threshold:g}"
        f"{', dry run' if cleaned.dry_run else ''})",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )
    for note in cleaned.notes:
        say("note", note)


def _print_decision(decision: Decision, passages: Mapping[str, Passage]) -> None:
    finding = decision.finding
    out.print(
        f"[bold]{finding.kind.value}[/] [cyan]{finding.probability:.2f}[/]"
        f" {escape(finding.reason)} [dim]({escape(decision.reason)})[/]",
        highlight=False,
        soft_wrap=True,
    )
    for name in (finding.one, finding.other):
        mark = "[red]hidden[/] " if name in decision.quarantined else ""
        text = " ".join(passages[name].text.split())
        short = text if len(text) <= 160 else f"{text[:159].rstrip()}…"
        out.print(f"   {mark}[dim]{escape(name)}[/] {escape(short)}", highlight=False)


def _did(decision: Decision, dry_run: bool) -> str:
    if decision.action == "quarantined" and dry_run:
        return "would be quarantined"
    return decision.action
