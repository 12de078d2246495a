"""``logic-retrievers parse QUERY``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from logic_retrievers.cli.console import AsJson, out, print_json, report_errors
from logic_retrievers.cli.input_file import open_input
from logic_retrievers.errors import ConfigurationError, ReadError

if TYPE_CHECKING:
    from logic_retrievers.queries import ParsedQuery


@report_errors
def parse(
    query: Annotated[str | None, typer.Argument(help="A query.")] = None,
    file: Annotated[
        Path | None, typer.Option(metavar="LINES", help="One query a line; - for standard input.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Shows what a query wants and excludes, or the expression that it states."""
    from logic_retrievers.queries import RuleParser

    parser = RuleParser()
    for text in _read_queries(query, file):
        parsed = parser.parse(text)
        if as_json:
            print_json(parsed.to_dict(), indent=None)
        else:
            _print_parsed(parsed)


def _read_queries(query: str | None, file: Path | None) -> Iterator[str]:
    """The query, or the lines of the file that are not blank.

    Raises:
        ConfigurationError: both or neither are given.
        ReadError: the file cannot be read as UTF-8.
    """
    from logic_retrievers.documents.files import read_lines

    if (query is None) == (file is None):
        raise ConfigurationError("give a query, or --file with one query a line")
    if query is not None:
        yield query
    elif file is not None:
        with open_input(file) as (source, stream):
            for line in read_lines(source, stream):
                if isinstance(line, ReadError):
                    raise line
                text = line.raw.decode().removesuffix("\n").removesuffix("\r")
                if text.strip():
                    yield text


def _print_parsed(parsed: ParsedQuery) -> None:
    out.print_line((parsed.text, "bold"), soft_wrap=False)
    cue = (f" ({parsed.cue})" if parsed.cue else "", "dim")
    if parsed.kind == "none":
        out.print_line("   nothing is excluded")
    elif parsed.kind == "negated_fact":
        out.print_line("   the wanted fact is negative", cue)
    elif parsed.kind == "expression":
        meaning = (str(parsed.expression), "green")
        out.print_line("   means      ", meaning, cue, soft_wrap=False)
        out.print_line(f"   confidence {parsed.confidence:g}")
    else:
        out.print_line("   wanted     ", (parsed.wanted, "green"), soft_wrap=False)
        excluded = ("; ".join(parsed.excluded), "red")
        out.print_line("   excluded   ", excluded, cue, soft_wrap=False)
