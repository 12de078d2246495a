"""``logic-retrievers search QUERY``, or ``search --expression EXPRESSION``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.markup import escape

from logic_retrievers.asking import read_query
from logic_retrievers.cli.options import (
    DEFAULT_LOCATION,
    ApiKey,
    Bundle,
    Collection,
    Location,
    PolicyName,
    QueryEncoders,
    Tenant,
    open_encoder,
    open_index,
    parse_filter,
)
from logic_retrievers.cli.outcome import out, reports_errors
from logic_retrievers.engine import Engine
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.queries import Expression
from logic_retrievers.types import Hit


@reports_errors
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
    filters: Annotated[
        list[str] | None,
        typer.Option("--filter", "-f", help="KEY=VALUE over the metadata; may be repeated."),
    ] = None,
    min_score: Annotated[float | None, typer.Option(help="Least score under the policy.")] = None,
    explain: Annotated[bool, typer.Option(help="Show scores, ranks and reasons.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the hits as JSON.")] = False,
    location: Location = DEFAULT_LOCATION,
    collection: Collection = "passages",
    bundle: Bundle = None,
    query_encoder: QueryEncoders = None,
    api_key: ApiKey = None,
    tenant: Tenant = None,
) -> None:
    """Prints the best passages for a query or a Boolean expression, with evidence on request."""
    asked = _asked(query, expression, policy)
    encoder = open_encoder(bundle)
    with open_index(encoder, location, collection, api_key, tenant, create=False) as passages:
        own = passages.encoder.specs
        for file in query_encoder or []:
            passages.use_query_encoder(file)
        swapped = [one for name, one in passages.encoder.specs.items() if one != own[name]]
        if len(swapped) < len(query_encoder or []):
            raise ConfigurationError("two --query-encoder read the queries of one vector")
        engine = Engine(passages, policy)
        hits = engine.search(asked, k, filter=parse_filter(filters or []), min_score=min_score)
    if as_json:
        typer.echo(json.dumps([hit.to_dict() for hit in hits], ensure_ascii=False, indent=2))
    else:
        print_hits(hits, explain=explain)


def _asked(query: str | None, expression: str | None, policy: str) -> str | Expression:
    """What to search for.

    Raises:
        ConfigurationError: both or neither are given, or the policy does not see expressions.
        ExpressionError: the expression cannot be read.
    """
    if query is not None and expression is None:
        return query
    if query is None and expression is not None:
        return read_query(expression, "expression", policy)
    raise ConfigurationError("give a query, or an expression with --expression")


def print_hits(hits: Sequence[Hit], *, explain: bool) -> None:
    """The hits for people: rank, score, id, text, and the evidence in lines of its own."""
    if not hits:
        out.print("no passage found")
    for hit in hits:
        out.print(f"[bold]{hit.rank}.[/] [cyan]{hit.score:.3f}[/] [dim]{escape(hit.passage.id)}[/]")
        out.print(f"   {escape(_shortened(hit.passage.text))}", highlight=False)
        if explain:
            for line in explanation(hit):
                out.print(f"   [green]{escape(line)}[/]", highlight=False)


def explanation(hit: Hit) -> list[str]:
    """A line for each atom of an expression, or the reason; behind it scores and ranks."""
    evidence = hit.evidence
    numbers = [
        f"{leaf} {'-' if score is None else f'{score:.3f}'} (rank {evidence.ranks[leaf] or '-'})"
        for leaf, score in evidence.scores.items()
    ]
    kept = "" if evidence.kept else "behind the kept ones; "
    atoms = [
        f"{atom['verdict']:<11} {atom['score']:6.2f}  {atom['text']}"
        for atom in evidence.details.get("atoms", [])
    ]
    if atoms:
        return [*atoms, f"{kept}{'; '.join(numbers)}"]
    return [f"{kept}{'; '.join([evidence.reason, *numbers])}"]


def _shortened(text: str, length: int = 300) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1].rstrip()}…"
