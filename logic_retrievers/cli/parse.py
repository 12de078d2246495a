"""``logic-retrievers parse QUERY``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from logic_retrievers.cli.console import out, report_errors
from logic_retrievers.errors import ConfigurationError, ReadError
from logic_retrievers.queries import ParsedQuery, RuleParser


@report_errors
def parse(
    query: Annotated[str | None, typer.Argument(help="A query.")] = None,
    file: Annotated[
        Path | None, typer.Option(metavar="LINES", help="One query a line; - for standard input.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """Shows what a query wants and excludes, or the expression that it states."""
    parser = RuleParser()
    for text in _read_queries(query, file):
        parsed = parser.parse(text)
        if as_json:
            typer.echo(json.dumps(parsed.to_dict(), ensure_ascii=False))
        else:
            _print_parsed(parsed)


def _read_queries(query: str | None, file: Path | None) -> Iterable[str]:
    """The query, or the lines of the file that are not blank.

    Raises:
        ConfigurationError: both or neither are given.
        ReadError: the file cannot be read as UTF-8.
    """
    if (query is None) == (file is None):
        raise ConfigurationError("give a query, or --file with one query a line")
    if query is not None:
        return [query]
    try:
        text = sys.stdin.read() if str(file) == "-" else Path(str(file)).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ReadError(f"cannot read {str(file)!r}: {error}") from error
    lines = (line.removesuffix("\r") for line in text.split("\n"))
    return [line for line in lines if line.strip()]


def _print_parsed(parsed: ParsedQuery) -> None:
    out.print(f"[bold]{escape(parsed.text)}[/]")
    if parsed.kind == "none":
        out.print("   nothing is excluded")
        return
    cue = f"[dim]({escape(parsed.cue)})[/]"
    if parsed.kind == "negated_fact":
        out.print(f"   the wanted fact is negative {cue}")
        return
    if parsed.kind == "expression":
        shown_cue = cue if parsed.cue else ""
        out.print(f"   means      [green]{escape(str(parsed.expression))}[/] {shown_cue}")
        out.print(f"   confidence {parsed.confidence:g}")
        return
    out.print(f"   wanted     [green]{escape(parsed.wanted)}[/]")
    out.print(f"   excluded   [red]{escape('; '.join(parsed.excluded))}[/] {cue}")
