"""``logic-retrievers search QUERY``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.markup import escape

from logic_retrievers.cli.options import (
    DEFAULT_LOCATION,
    ApiKey,
    Bundle,
    Collection,
    Location,
    PolicyName,
    Tenant,
    open_encoder,
    open_index,
    parse_filter,
)
from logic_retrievers.cli.outcome import out, reports_errors
from logic_retrievers.engine import Engine
from logic_retrievers.types import Hit


@reports_errors
def search(
    query: Annotated[str, typer.Argument(help="What to search for.")],
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
    api_key: ApiKey = None,
    tenant: Tenant = None,
) -> None:
    """Prints the best passages for a query, with the evidence where it is asked for."""
    encoder = open_encoder(bundle)
    with open_index(encoder, location, collection, api_key, tenant, create=False) as passages:
        engine = Engine(passages, policy)
        hits = engine.search(query, k, filter=parse_filter(filters or []), min_score=min_score)
    if as_json:
        typer.echo(json.dumps([hit.to_dict() for hit in hits], ensure_ascii=False, indent=2))
    else:
        print_hits(hits, explain=explain)


def print_hits(hits: Sequence[Hit], *, explain: bool) -> None:
    """The hits for people: rank, score, id, text, and the evidence in a line of its own."""
    if not hits:
        out.print("no passage found")
    for hit in hits:
        out.print(f"[bold]{hit.rank}.[/] [cyan]{hit.score:.3f}[/] [dim]{escape(hit.passage.id)}[/]")
        out.print(f"   {escape(_shortened(hit.passage.text))}", highlight=False)
        if explain:
            out.print(f"   [green]{escape(explanation(hit))}[/]", highlight=False)


def explanation(hit: Hit) -> str:
    """Reason, scores and ranks in one line."""
    evidence = hit.evidence
    numbers = [
        f"{leaf} {'-' if score is None else f'{score:.3f}'} (rank {evidence.ranks[leaf] or '-'})"
        for leaf, score in evidence.scores.items()
    ]
    kept = "" if evidence.kept else "behind the kept ones; "
    return f"{kept}{'; '.join([evidence.reason, *numbers])}"


def _shortened(text: str, length: int = 300) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1].rstrip()}…"
