"""``logic-retrievers clean [PATH]``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from typer import Argument, Option

from logic_retrievers.cli.console import (
    AsJson,
    ExitCode,
    out,
    print_json,
    print_status,
    progress_bar,
    shorten,
)
from logic_retrievers.cli.judge_options import PairJudgeSpec, open_pair_judge
from logic_retrievers.cli.options import (
    DEFAULT_LOCATION,
    ApiKey,
    Bundle,
    FileOptions,
    LedgerFile,
    Location,
    StoredCollection,
    Tenant,
    as_command,
    open_encoder,
    open_ledger,
    parse_filter,
)
from logic_retrievers.errors import ConfigurationError, InputError
from logic_retrievers.types import Passage

if TYPE_CHECKING:
    from logic_retrievers.conflicts import CleaningResult, Decision

MAX_SHOWN = 20


@as_command
def clean(
    path: Annotated[
        Path | None, Argument(help="Documents to examine: a file or a folder, as for `index`.")
    ] = None,
    collection: Annotated[
        str | None,
        Option("--collection", "-c", help="A collection to clean; with PATH only compared with."),
    ] = None,
    trusted: Annotated[
        list[str] | None,
        Option(metavar="KEY=VALUE", help="Who is right, by the metadata. Repeatable."),
    ] = None,
    resolution: Annotated[
        list[str] | None,
        Option(
            "--resolution",
            "-r",
            help="annotate, prefer_newest, prefer_source, prefer_majority, quarantine_all; the "
            "first that can decide does.",
            show_default="annotate",
        ),
    ] = None,
    dry_run: Annotated[bool, Option("--dry-run", help="Decide, and write nothing.")] = False,
    report: Annotated[
        Path | None,
        Option(help="Write a report: .html (with .jsonl and .csv files), .jsonl or .csv."),
    ] = None,
    fail_on: Annotated[
        list[str] | None,
        Option(help="Exit with 6 for findings of this kind or severity, or `any`."),
    ] = None,
    again: Annotated[
        bool, Option("--again", help="Examine what was examined before, too.")
    ] = False,
    since: Annotated[
        str | None,
        Option(help="Examine what was stored or changed since then: ISO 8601, UTC without a zone."),
    ] = None,
    threshold: Annotated[
        float | None, Option(help="Least probability of a contradiction, 0 to 1.")
    ] = None,
    hide_above: Annotated[
        float | None,
        Option(help="Least probability, as the cross-encoder reads, of what hides a passage."),
    ] = None,
    date_key: Annotated[str, Option(help="Metadata key of the date.")] = "date",
    document_key: Annotated[
        str | None, Option(help="Metadata key of a document, the same for all of its versions.")
    ] = None,
    version_key: Annotated[str, Option(help="Metadata key of the version.")] = "version",
    source_key: Annotated[str, Option(help="Metadata key of the source.")] = "source",
    source_order: Annotated[
        list[str] | None, Option(help="Sources for prefer_source, the best first.")
    ] = None,
    validity: Annotated[
        str | None,
        Option(
            metavar="FROM,TO",
            help="Metadata keys of the dates from and up to which a passage is valid.",
        ),
    ] = None,
    supersede: Annotated[
        str,
        Option(metavar="hide|close", help="Older versions: hide them, or end their validity."),
    ] = "hide",
    judge: PairJudgeSpec = "auto",
    as_json: AsJson = False,
    location: Location = DEFAULT_LOCATION,
    bundle: Bundle = None,
    api_key: ApiKey = None,
    tenant: Tenant = None,
    ledger: LedgerFile = None,
    *,
    files: FileOptions,
) -> None:
    """Find passages that contradict, repeat or replace each other, and decide.

    With --collection, passages that a resolution decides against are hidden from every search.
    Nothing is deleted; `quarantine` can restore them. With PATH, the documents are examined and
    nothing is stored.
    """
    from logic_retrievers.conflicts import CorpusCleaner, failing_decisions, write_report
    from logic_retrievers.conflicts.cleaning.report import check_fail_on, check_suffix
    from logic_retrievers.documents import Splitter, read_documents
    from logic_retrievers.index import PassageIndex

    if path is None and collection is None:
        raise ConfigurationError("give a PATH of documents, or --collection with the name of one")
    check_fail_on(fail_on or [])
    if report is not None:
        check_suffix(report)
    dry_run = dry_run or path is not None
    encoder = open_encoder(bundle)
    settings: dict[str, Any] = {
        "resolution": resolution or ["annotate"],
        "threshold": threshold,
        "hide_above": hide_above,
        "date_key": date_key,
        "version_key": version_key,
        "document_key": document_key,
        "source_key": source_key,
        "source_order": source_order or (),
        "validity": None if validity is None else validity.split(","),
        "supersede": supersede,
        "judge": open_pair_judge(judge),
        "trusted_filter": parse_filter(trusted or []),
    }
    if collection is None:
        opened = PassageIndex.open("examined", encoder)
    else:
        stored = StoredCollection(location, collection, bundle, api_key, tenant)
        opened = stored.open(encoder, reads=dry_run)
    with opened as index:
        if collection is not None:
            settings["ledger"] = open_ledger(ledger, location, create=not dry_run)
        cleaner = CorpusCleaner(index, **settings)
        passages, is_partial = None, False
        if path is not None:
            documents = read_documents(path, **asdict(files))
            passages = list(Splitter.for_encoder(encoder).split(documents))
            for error in documents.errors:
                print_status("left out", str(error))
            is_partial = bool(documents.errors)
            if not passages:
                raise InputError(f"{path} holds no passage")
        total = index.count() if passages is None else len(passages)
        with progress_bar("passages") as show:
            result = cleaner.clean(
                passages,
                since=since,
                dry_run=dry_run,
                again=again,
                progress=lambda now: show(replace(now, share=now.done / max(1, total))),
            )
    if passages is None and since is None and not again and (rest := total - result.examined) > 0:
        note = f"{rest} passages were not examined: hidden, or as they were last time (--again)"
        result = replace(result, notes=(*result.notes, note))
    if as_json:
        print_json(result.to_dict())
    else:
        reads = "by the vectors alone"
        if cleaner.criteria.reader is not None:
            reads = "each read with its nearest"
        elif callable(settings["judge"]):
            reads = "the likeliest read by the judge"
        _print_result(result, reads)
    for file in [] if report is None else write_report(result, report):
        print_status("report", str(file))
    if failing := failing_decisions(result, fail_on or []):
        print_status("found", f"{len(failing)} of what --fail-on names")
        raise typer.Exit(ExitCode.FOUND)
    if is_partial:
        raise typer.Exit(ExitCode.PARTIAL)


def _print_result(result: CleaningResult, reads: str) -> None:
    """Print the most serious decisions, and a count for each finding and decision."""
    from logic_retrievers.conflicts import Kind

    serious = [
        d for d in result.decisions if d.finding.kind in (Kind.CONTRADICTION, Kind.SUPERSEDED)
    ]
    for decision in serious[:MAX_SHOWN]:
        _print_decision(decision, result.passages, dry_run=result.dry_run)
    if len(serious) > MAX_SHOWN:
        out.print_line((f"and {len(serious) - MAX_SHOWN} more; --report FILE has them all", "dim"))
    would = "would be " if result.dry_run else ""
    counts = Counter(
        (d.finding.kind.value, f"{would * (d.action in ('quarantined', 'closed'))}{d.action}")
        for d in result.decisions
    )
    if counts:
        table = Table("finding", "decision", "pairs", box=None, header_style="dim")
        for (kind, action), count in sorted(counts.items()):
            table.add_row(kind, action, str(count))
        out.print(table)
    hidden = f"{len(result.quarantined)} {would}quarantined"
    if result.end_key is not None:
        hidden += f", {len(result.closed)} {would}closed"
    out.print_line(
        f"{result.examined} passages examined, {result.compared} comparisons, {hidden}"
        f" ({result.resolution}; contradictions from probability {result.threshold:g},"
        f" {reads}{', dry run' if result.dry_run else ''})"
    )
    for note in result.notes:
        print_status("note", note)


def _print_decision(decision: Decision, passages: Mapping[str, Passage], *, dry_run: bool) -> None:
    finding = decision.finding
    would = "would be " if dry_run else ""
    out.print_line(
        (finding.kind.value, "bold"),
        (f" {finding.probability:.2f}", "cyan"),
        f" {finding.reason}",
        (f" ({decision.reason})", "dim"),
    )
    for name in (finding.one, finding.other):
        mark = f"{would}hidden " if name in decision.quarantined else ""
        if name in decision.closed:
            mark = f"{would}closed at {decision.until} "
        short = shorten(passages[name].text, 160)
        out.print_line("   ", (mark, "red"), (name, "dim"), f" {short}", soft_wrap=False)
