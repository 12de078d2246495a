"""Set queries as training examples, the files that store them, and their builder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from logic_export.data.files import write_json_lines
from logic_retrievers.errors import InputError, ReadError
from logic_retrievers.evaluation import Dataset, load_dataset
from logic_retrievers.evaluation.datasets import Query
from logic_retrievers.evaluation.rows import Row, json_rows
from logic_retrievers.queries.expressions import Expression

# File next to the rows, with the texts of all satisfying documents.
DOCUMENTS = "documents.jsonl.gz"


@dataclass(frozen=True, slots=True)
class SetExample:
    """A query and the documents that satisfy it.

    An empty query, no satisfying document, or a document without text is an :class:`InputError`.
    """

    query: str
    expression: Expression  # the query's meaning
    group: str  # shared by queries over the same atoms
    satisfying: tuple[str, ...]  # ids, at least one
    neutral: tuple[str, ...]  # ids of documents that may or may not satisfy
    source: str  # the data set whose documents the ids name
    # id -> text of all satisfying documents; one mapping per source
    documents: Mapping[str, str] = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.query.strip() or not self.satisfying:
            raise InputError(f"a set query needs a text and an answer, not {self!r:.200}")
        for name in self.satisfying:
            if name not in self.documents:
                raise InputError(f"the answer {name!r} of {self.query!r} has no text")


def write_examples(path: Path, examples: Sequence[SetExample]) -> None:
    """Write :data:`DOCUMENTS`, then the rows next to it."""
    texts = {
        (example.source, name): example.documents[name]
        for example in examples
        for name in example.satisfying
    }
    write_json_lines(
        path.with_name(DOCUMENTS),
        ({"source": s, "_id": name, "text": text} for (s, name), text in sorted(texts.items())),
    )
    names = [each.name for each in fields(SetExample) if each.name != "documents"]
    write_json_lines(
        path,
        (
            {name: getattr(example, name) for name in names}
            | {"expression": example.expression.to_dict()}
            for example in examples
        ),
    )


def read_examples(path: Path) -> list[SetExample]:
    """Read files of :func:`write_examples`; errors of :func:`read_rows`."""
    documents = read_documents(path.with_name(DOCUMENTS))
    return [_read_example(row, documents) for row in json_rows(path)]


def read_documents(path: Path) -> dict[str, dict[str, str]]:
    """Read source -> id -> text from :data:`DOCUMENTS`."""
    documents: dict[str, dict[str, str]] = {}
    for row in json_rows(path):
        documents.setdefault(row.text("source"), {})[row.id()] = row.text("text")
    return documents


def _read_example(row: Row, documents: Mapping[str, Mapping[str, str]]) -> SetExample:
    source = row.text("source")
    try:
        return SetExample(
            row.text("query"),
            Expression.from_dict(row.fields.get("expression") or {}),
            row.text("group"),
            row.ids("satisfying"),
            row.ids("neutral"),
            source,
            documents.get(source, {}),
        )
    except InputError as error:
        raise row.error(str(error)) from error


def set_queries(folder: str, split: str = "train", *, variants: bool = False) -> list[SetExample]:
    """Read a split that ``logic-export data set-queries`` wrote.

    With ``variants``, the split ``SPLIT_variants`` is read too. Queries without an answer are
    skipped. Each query needs an ``expression``; a query without a ``group`` forms its own.
    """
    names = [split, f"{split}_variants"] if variants else [split]
    parts = [load_dataset(folder, name) for name in names]
    texts = {
        name: data.documents[name] for data in parts for q in data.queries for name in q.grades
    }
    return [
        _to_example(query, data, parts[0].name, texts)
        for data in parts
        for query in data.queries
        if query.grades
    ]


def _to_example(query: Query, data: Dataset, source: str, texts: Mapping[str, str]) -> SetExample:
    expression = query.extra.get("expression")
    if expression is None:
        raise ReadError(f"the query {query.id!r} of {data.name} has no expression")
    return SetExample(
        query=query.text,
        expression=Expression.from_dict(expression),
        group=str(query.extra.get("group") or query.id),
        satisfying=tuple(sorted(query.grades)),
        neutral=tuple(sorted(query.neutral)),
        source=source,
        documents=texts,
    )


SET_BUILDERS: Mapping[str, Callable[..., list[SetExample]]] = {"set_queries": set_queries}
