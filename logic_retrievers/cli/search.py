"""``logic-retrievers search QUERY``, or ``search --expression EXPRESSION``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.markup import escape

from logic_retrievers.cli.console import out, print_json, report_errors, shorten
from logic_retrievers.cli.options import (
    BaseName,
    Filters,
    PolicyName,
    QueryEncoders,
    StoredCollection,
    UseJudge,
    expand_options,
    open_policy,
    parse_filter,
)
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.queries import Expression
from logic_retrievers.query_input import read_query
from logic_retrievers.search import Engine
from logic_retrievers.types import Hit


@report_errors
@expand_options
def search(
    query: Annotated[str | None, typer.Argument(help="What to search for.")] = None,
    expression: Annotated[
        str | None,
        typer.Option(
            "--expression",
            "-e",
            metavar="EXPRESSION",
            help='In place of QUERY: texts joined by AND, OR and NOT: \'"wool" AND NOT "silk"\'.',
        ),
    ] = None,
    k: Annotated[int, typer.Option("-k", help="How many hits.")] = 5,
    policy: PolicyName = "auto",
    base: BaseName = "topical",
    filters: Filters = None,
    min_score: Annotated[float | None, typer.Option(help="Least score under the policy.")] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="What the hits are to be without; may be repeated."),
    ] = None,
    hard: Annotated[
        bool,
        typer.Option(
            "--hard", help="Leave out passages that contain an excluded text as whole words."
        ),
    ] = False,
    judge: UseJudge = True,
    explain: Annotated[bool, typer.Option(help="Show scores, ranks and reasons.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the hits as JSON.")] = False,
    query_encoder: QueryEncoders = None,
    *,
    stored: StoredCollection,
) -> None:
    """Prints the best passages for a query or a Boolean expression, with evidence on request."""
    if (query is None) == (expression is None):
        raise ConfigurationError("give a query, or an expression with --expression")
    resolved = open_policy(policy, base)
    text_or_expression: str | Expression = (
        str(query) if expression is None else read_query(expression, "expression", resolved)
    )
    with stored.open() as passages:
        base_specs = passages.encoder.specs
        for file in query_encoder or []:
            passages.use_query_encoder(file)
        specs = passages.encoder.specs
        changed = [name for name in specs if specs[name] != base_specs[name]]
        if len(changed) < len(query_encoder or []):
            raise ConfigurationError("two --query-encoder read the queries of one vector")
        engine = Engine(passages, resolved, judge="auto" if judge else None)
        hits = engine.search(
            text_or_expression,
            k,
            filter=parse_filter(filters or []),
            min_score=min_score,
            exclude=exclude or (),
            hard=hard,
        )
    if as_json:
        print_json([hit.to_dict() for hit in hits])
    else:
        print_hits(hits, explain=explain)


def print_hits(hits: Sequence[Hit], *, explain: bool) -> None:
    """The hits for people: rank, score, id, text, and the evidence in lines of its own."""
    if not hits:
        out.print("no passage found")
    if hits and (left_out := hits[0].evidence.details.get("left_out")):
        out.print(f"[dim]left out before the last of these: {left_out}, by their words[/]")
    for hit in hits:
        out.print(f"[bold]{hit.rank}.[/] [cyan]{hit.score:.3f}[/] [dim]{escape(hit.passage.id)}[/]")
        out.print(f"   {escape(shorten(hit.passage.text, 300))}", highlight=False)
        if explain:
            for line in explain_hit(hit):
                out.print(f"   [green]{escape(line)}[/]", highlight=False)


def explain_hit(hit: Hit) -> list[str]:
    """A line for each atom of an expression, or the reason; then scores and ranks."""
    evidence = hit.evidence
    scores = [
        f"{name} {'-' if score is None else f'{score:.3f}'} (rank {evidence.ranks[name] or '-'})"
        for name, score in evidence.scores.items()
    ]
    note = "" if evidence.passed_filter else "behind those that passed the filter; "
    atoms = [
        f"{atom['verdict']:<11} {atom['score']:6.2f}  {atom['text']}"
        for atom in evidence.details.get("atoms", [])
    ]
    if atoms:
        return [*atoms, f"{note}{'; '.join(scores)}"]
    return [f"{note}{'; '.join([evidence.reason, *scores])}"]
