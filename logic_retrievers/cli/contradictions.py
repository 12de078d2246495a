"""``logic-retrievers contradictions TEXT``."""

from __future__ import annotations

from typing import Annotated

import typer

from logic_retrievers.cli.console import AsJson, print_json
from logic_retrievers.cli.options import Filters, StoredCollection, as_command, parse_filter
from logic_retrievers.cli.search import check_not_empty, print_hits
from logic_retrievers.errors import ConfigurationError


@as_command
def contradictions(
    text: Annotated[str | None, typer.Argument(help="A statement.")] = None,
    like: Annotated[
        str | None, typer.Option(metavar="ID", help="A stored passage, instead of TEXT.")
    ] = None,
    k: Annotated[int, typer.Option("-k", help="How many hits.")] = 5,
    filters: Filters = None,
    min_probability: Annotated[
        float | None, typer.Option(help="Least probability of a contradiction, 0 to 1.")
    ] = None,
    judge: Annotated[
        bool, typer.Option("--judge", help="A cross-encoder reads the first candidates.")
    ] = False,
    explain: Annotated[bool, typer.Option(help="Show reasons, scores and ranks.")] = True,
    as_json: AsJson = False,
    *,
    stored: StoredCollection,
) -> None:
    """Prints the passages that contradict a statement, or a stored passage, most.

    The collection needs the contradiction vector: `index --contradictions`.
    """
    from logic_retrievers.contradiction import ContradictionSearch

    if (text is None) == (like is None):
        raise ConfigurationError("give a statement, or --like with the id of a stored passage")
    if text is not None and not text.strip():
        raise ConfigurationError("the statement is empty; pass a text to contradict")
    with stored.open(reads=True) as passages:
        searcher = ContradictionSearch(
            passages, min_probability=min_probability, judge="auto" if judge else None
        )
        condition = parse_filter(filters or [])
        if text is not None:
            hits = searcher.search(text, k, filter=condition)
        else:
            hits = searcher.search_like(str(like), k, filter=condition)
        check_not_empty(passages, hits)
    if as_json:
        print_json([hit.to_dict() for hit in hits])
    else:
        print_hits(hits, explain=explain)
