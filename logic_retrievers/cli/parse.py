"""``logic-retrievers parse QUERY``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from logic_retrievers.cli.console import AsJson, out, print_json, report_errors

if TYPE_CHECKING:
    from logic_retrievers.queries import ParsedQuery


@report_errors
def parse(query: Annotated[str, typer.Argument(help="A query.")], as_json: AsJson = False) -> None:
    """Shows what a query wants and excludes, or the expression that it states."""
    from logic_retrievers.queries import RuleParser

    parsed = RuleParser().parse(query)
    if as_json:
        print_json(parsed.to_dict())
    else:
        _print_parsed(parsed)


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
