"""The template of every set query."""

from __future__ import annotations

from collections.abc import Iterable

from logic_retrievers.evaluation import Query


def query_templates(queries: Iterable[Query]) -> dict[str, str]:
    """Query id -> template, for the queries that have one."""
    return {query.id: query.template for query in queries if query.template is not None}
