"""``logic-retrievers contradictions TEXT``."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from logic_retrievers.cli.options import (
    DEFAULT_LOCATION,
    ApiKey,
    Bundle,
    Collection,
    Location,
    Tenant,
    open_encoder,
    open_index,
    parse_filter,
)
from logic_retrievers.cli.outcome import reports_errors
from logic_retrievers.cli.search import print_hits
from logic_retrievers.contradiction import ContradictionSearch
from logic_retrievers.errors import ConfigurationError


@reports_errors
def contradictions(
    text: Annotated[str | None, typer.Argument(help="A statement.")] = None,
    like: Annotated[
        str | None, typer.Option(metavar="ID", help="A stored passage, instead of TEXT.")
    ] = None,
    k: Annotated[int, typer.Option("-k", help="How many hits.")] = 5,
    candidates: Annotated[
        int, typer.Option(help="How many of the topically nearest are looked at.")
    ] = 1000,
    filters: Annotated[
        list[str] | None,
        typer.Option("--filter", "-f", help="KEY=VALUE over the metadata; may be repeated."),
    ] = None,
    min_probability: Annotated[
        float | None, typer.Option(help="Least probability of a contradiction, 0 to 1.")
    ] = None,
    explain: Annotated[bool, typer.Option(help="Show reasons, scores and ranks.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print the hits as JSON.")] = False,
    location: Location = DEFAULT_LOCATION,
    collection: Collection = "passages",
    bundle: Bundle = None,
    api_key: ApiKey = None,
    tenant: Tenant = None,
) -> None:
    """Prints the passages that contradict a statement, or a stored passage, most.

    The collection needs the contradiction vector: `index --contradictions`.
    """
    if (text is None) == (like is None):
        raise ConfigurationError("give a statement, or --like with the id of a stored passage")
    encoder = open_encoder(bundle)
    with open_index(encoder, location, collection, api_key, tenant, create=False) as passages:
        against = ContradictionSearch(
            passages, candidates=candidates, min_probability=min_probability
        )
        condition = parse_filter(filters or [])
        if text is not None:
            hits = against.search(text, k, filter=condition)
        else:
            hits = against.search_like(str(like), k, filter=condition)
    if as_json:
        typer.echo(json.dumps([hit.to_dict() for hit in hits], ensure_ascii=False, indent=2))
    else:
        print_hits(hits, explain=explain)
