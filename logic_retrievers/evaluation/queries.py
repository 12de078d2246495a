"""The queries of a data set and the labels of documents for each of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from logic_retrievers.errors import ReadError
from logic_retrievers.evaluation.corpus import Corpus
from logic_retrievers.evaluation.rows import Row, json_rows, read_qrels
from logic_retrievers.queries import Expression, Not

_LABELS = ("satisfying", "violating", "neutral")
_SIMILAR = 0.7
"""Similarity of two names (difflib's ratio): of "violates" and "violating" it is .71."""
_NOT_EXTRA = frozenset({"_id", "text", *_LABELS})


@dataclass(frozen=True, slots=True)
class Query:
    """A query with its labels; every document id is one of the data set's ``documents``.

    Args:
        id: unique in the data set.
        text: what is searched for.
        grades: relevance of the satisfying documents, 1 or more.
        violating: documents that the query rules out.
        neutral: documents on the topic that neither satisfy nor violate.
        exclude: documents that are the query itself and may not appear in its results.
        extra: the other fields of the row (``pair_id``, ``expression``, ...).
    """

    id: str
    text: str
    grades: Mapping[str, int]
    violating: frozenset[str] = frozenset()
    neutral: frozenset[str] = frozenset()
    exclude: frozenset[str] = frozenset()
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def satisfying(self) -> frozenset[str]:
        """The relevant documents."""
        return frozenset(self.grades)

    @property
    def pair(self) -> str | None:
        """The id that the two queries of a NevIR pair share; ``None`` outside a pair."""
        return self._text_field("pair_id")

    @property
    def group(self) -> str | None:
        """The id that a set query and its variants share: same atoms, other operators."""
        return self._text_field("group")

    @property
    def template(self) -> str | None:
        """The form of a set query: ``a_and_b``, ``a_not_b``, ..., or BoolQuestions' ``not``."""
        return self._text_field("template")

    @property
    def expression(self) -> Expression | None:
        """The gold expression, where the row has one (as :meth:`Expression.to_dict` writes it).

        Raises:
            ExpressionError: the row holds something else under ``expression``.
        """
        value = self.extra.get("expression")
        return None if value is None else Expression.from_dict(value)

    @property
    def is_negation(self) -> bool:
        """Whether its labels say so: a NOT in its expression, or the template ``not``."""
        expression = self.expression
        if expression is None:
            return self.template == "not"
        return any(isinstance(node, Not) for node in expression.walk())

    def _text_field(self, name: str) -> str | None:
        value = self.extra.get(name)
        return None if value is None else str(value)


def read_queries(path: Path, qrels: Path | None, corpus: Corpus) -> tuple[Query, ...]:
    """Reads ``queries.jsonl[.gz]`` and keeps the queries that have labels.

    With ``qrels``, those are the queries with a grade above 0 there; without, those whose row
    lists satisfying or violating documents. Labels of empty documents are dropped.

    Raises:
        ReadError: a bad row, an unknown or contradictory label, or no labelled query at all.
    """
    if qrels is None:
        labels = "the rows need 'satisfying' or 'violating'"
        requirement = f"{labels}, or the folder needs qrels.tsv or qrels/SPLIT.tsv"
        return labelled_queries(json_rows(path), corpus, path, requirement)
    grades = _read_grades(qrels, corpus)
    rows = [row for row in json_rows(path) if row.id() in grades]
    if unknown := grades.keys() - {row.id() for row in rows}:
        raise ReadError(f"judges the query {min(unknown)!r}, which {path} lacks", file=str(qrels))
    return labelled_queries(rows, corpus, path, f"{qrels} gives no grade above 0", grades)


def labelled_queries(
    rows: Iterable[Row],
    corpus: Corpus,
    path: Path,
    requirement: str,
    grades: Mapping[str, Mapping[str, int]] | None = None,
) -> tuple[Query, ...]:
    """The queries of rows that list satisfying or violating documents of the corpus.

    The rows have the form of ``queries.jsonl``; ``grades`` (query -> document -> grade) are labels
    beside theirs. Where no query has a label, the error names the path and the requirement.

    Raises:
        ReadError: as :func:`read_queries`.
    """
    queries: list[Query] = []
    ids: set[str] = set()
    for row in rows:
        name = row.id()
        if name in ids:
            raise row.error(f"the id {name!r} was used before; ids must be unique")
        ids.add(name)
        query = _build_query(row, (grades or {}).get(name, {}), corpus)
        if query.grades or query.violating:
            queries.append(query)
    if not queries:
        raise ReadError(f"no labelled query: {requirement}", file=str(path))
    return tuple(queries)


def _read_grades(path: Path, corpus: Corpus) -> dict[str, dict[str, int]]:
    """Query id -> original document id -> grade, for grades above 0."""
    grades: dict[str, dict[str, int]] = {}
    for qrel in read_qrels(path):
        if corpus.canonical_id(qrel.document) is None and qrel.document not in corpus.empty:
            raise ReadError(
                f"the corpus has no document {qrel.document!r}", file=str(path), line=qrel.line
            )
        if qrel.grade > 0:
            grades.setdefault(qrel.query, {})[qrel.document] = qrel.grade
    return grades


def _build_query(row: Row, row_grades: Mapping[str, int], corpus: Corpus) -> Query:
    text = row.text("text")
    if not text.strip():
        raise row.error("the query's text is empty")
    absent = [label for label in _LABELS if label not in row.fields]
    lists = {name for name, value in row.fields.items() if isinstance(value, list)}
    for other in lists - _NOT_EXTRA:
        if meant := get_close_matches(other, absent, 1, _SIMILAR):
            raise row.error(f"{other!r} looks like a misspelt {meant[0]!r}: rename it")
    canonical = {name: _canonical_ids(row.ids(name), row, corpus) for name in _LABELS}
    grades = dict.fromkeys(sorted(canonical["satisfying"]), 1)
    for document, grade in row_grades.items():
        if (name := corpus.canonical_id(document)) is not None:
            grades[name] = max(grade, grades.get(name, 0))
    label_sets = [set(grades), canonical["violating"], canonical["neutral"]]
    if sum(map(len, label_sets)) > len(set().union(*label_sets)):
        raise row.error("one document, or two with the same text, carries two different labels")
    return Query(
        id=row.id(),
        text=text,
        grades=grades,
        violating=canonical["violating"],
        neutral=canonical["neutral"],
        exclude=_own_document(row.id(), text, corpus) - set(grades),
        extra={name: value for name, value in row.fields.items() if name not in _NOT_EXTRA},
    )


def _canonical_ids(documents: Iterable[str], row: Row, corpus: Corpus) -> frozenset[str]:
    canonical = set()
    for document in documents:
        name = corpus.canonical_id(document)
        if name is not None:
            canonical.add(name)
        elif document not in corpus.empty:
            raise row.error(f"the corpus has no document {document!r}")
    return frozenset(canonical)


def _own_document(query: str, text: str, corpus: Corpus) -> frozenset[str]:
    """The document that is the query: same id and same text, apart from a title.

    The id alone is no sign: in many sets queries and documents are both numbered from 1.
    """
    name = corpus.canonical_id(query)
    if name is not None and f" {corpus.documents[name]}".endswith(f" {text.strip()}"):
        return frozenset({name})
    return frozenset()
