"""Find data sets in folders, and read documents, queries and labels."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from logic_retrievers.errors import ReadError
from logic_retrievers.evaluation.rows import Row, json_rows, read_qrels
from logic_retrievers.files import is_file, is_folder
from logic_retrievers.queries import Expression, Not

DATA_VARIABLE = "LOGIC_RETRIEVERS_DATA"  # variable with the benchmark folder's path
SET_VARIABLE = f"Set {DATA_VARIABLE} to the folder that holds the data sets"

_LABELS = ("satisfying", "violating", "neutral")
_NOT_EXTRA = frozenset({"_id", "text", *_LABELS})
_SIMILAR = 0.7  # difflib's ratio of two names; "violates" and "violating" have .71


class Corpus(NamedTuple):
    """Documents by id.

    Args:
        documents: id -> text, in the order of the file. Every text occurs once, because ties
            between copies can change metrics.
        ids: id of every row -> id of the same text in ``documents``; None for a row without text,
            which no search can return.
    """

    documents: Mapping[str, str]
    ids: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Query:
    """A query with its labels. Every document id is one of the data set's ``documents``.

    Args:
        id: unique in the data set.
        text: the text to search for.
        grades: satisfying document -> its relevance, 1 or more.
        violating: documents that the query rules out.
        neutral: documents on the topic that neither satisfy nor violate.
        exclude: documents that are the query itself and must not appear in its results.
        extra: further fields of the row (``pair_id``, ``expression``, ...).
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
        return frozenset(self.grades)

    @property
    def pair(self) -> str | None:
        """The id that the two queries of a NevIR pair share; None outside a pair."""
        return self._text_field("pair_id")

    @property
    def group(self) -> str | None:
        """The id that set queries share if they join the same atoms differently."""
        return self._text_field("group")

    @property
    def template(self) -> str | None:
        """The form of a set query: ``a_and_b``, ``a_not_b``, ..., or BoolQuestions' ``not``."""
        return self._text_field("template")

    @property
    def expression(self) -> Expression | None:
        """The gold expression, if the row has one (in the form of :meth:`Expression.to_dict`).

        Raises:
            ExpressionError: the row's ``expression`` has a different form.
        """
        value = self.extra.get("expression")
        return None if value is None else Expression.from_dict(value)

    @property
    def is_negation(self) -> bool:
        """Whether the expression has a NOT; if there is no expression, the template decides."""
        expression = self.expression
        if expression is None:
            return self.template == "not"
        return any(isinstance(node, Not) for node in expression.walk())

    def _text_field(self, name: str) -> str | None:
        value = self.extra.get(name)
        return None if value is None else str(value)


@dataclass(frozen=True, slots=True)
class Dataset:
    """One part of a benchmark: the documents to search (the pool) and the labelled queries.

    Args:
        name: ``nevir/test``, ``scifact/test``, ``coder_antonym``, ...
        documents: id -> title and text; every text occurs once.
        queries: labelled queries in the order of the file.
    """

    name: str
    documents: Mapping[str, str]
    queries: tuple[Query, ...]


class DatasetFiles(NamedTuple):
    """The files of one part of a data set. ``qrels`` is None if the query rows hold the labels."""

    name: str
    corpus: Path
    queries: Path
    qrels: Path | None


def load_dataset(folder: str | os.PathLike[str], split: str = "test") -> Dataset:
    """Read a data set.

        load_dataset("nevir", split="dev")   # the folder nevir/dev
        load_dataset("nevir/test")           # the folder nevir/test
        load_dataset("scifact")              # the queries of qrels/test.tsv

    The folder holds ``corpus.jsonl[.gz]`` (rows ``{_id, title, text}``), ``queries.jsonl[.gz]``
    (rows ``{_id, text, ...}``) and the labels. The labels are lists ``satisfying``, ``violating``
    and ``neutral`` in the query rows, or in ``qrels/SPLIT.tsv`` or ``qrels.tsv``. Documents with
    the same text are merged, and so are their labels.

    Args:
        folder: a path, or a name inside :func:`data_folder`.
        split: the part to read; ignored if the folder has only one.

    Raises:
        ReadError: a file is missing or wrong; the message names the folder, or file and line.
    """
    files = find_dataset_files(folder, split)
    corpus = read_corpus(files.corpus)
    queries = _read_queries(files.queries, files.qrels, corpus)
    return Dataset(files.name, corpus.documents, queries)


def read_corpus(path: Path) -> Corpus:
    """Read ``corpus.jsonl[.gz]``: rows ``{_id, title, text}``.

    A document is its title and text, joined by a space, even if the text repeats the title (as in
    Cranfield), because published figures use such documents.

    Raises:
        ReadError: a row is bad, an id is used twice, or there is no document.
    """
    documents: dict[str, str] = {}
    ids: dict[str, str | None] = {}
    id_by_text: dict[str, str] = {}
    for row in json_rows(path):
        name = row.id()
        if name in ids:
            raise row.error(f"the id {name!r} was used before; ids must be unique")
        text = f"{row.text('title')} {row.text('text')}".strip()
        ids[name] = id_by_text.setdefault(text, name) if text else None
        if ids[name] == name:
            documents[name] = text
    if not documents:
        raise ReadError("no document with text in this file", file=str(path))
    return Corpus(documents, ids)


def data_folder() -> Path:
    """Return ``LOGIC_RETRIEVERS_DATA``, or ``../shared/data`` from the cwd or the repository.

    Raises:
        ReadError: no such folder; the message lists the places that were tried.
    """
    places = _data_places()
    if folder := next(filter(is_folder, places), None):
        return folder
    raise ReadError(
        f"no benchmark data; looked in {' and '.join(map(str, places))}. {SET_VARIABLE}"
    )


def _data_places() -> list[Path]:
    if configured := os.environ.get(DATA_VARIABLE):
        return [Path(configured)]
    bases = dict.fromkeys((Path.cwd(), Path(__file__).resolve().parents[2]))
    return [base.parent / "shared" / "data" for base in bases]


def find_dataset_files(folder: str | os.PathLike[str], split: str) -> DatasetFiles:
    """Find the files of one part of a data set; ``folder`` as in :func:`load_dataset`.

    Parts are subfolders, or files in ``qrels/``. A folder may also be a part itself. Parts without
    a corpus share the corpus of the folder above them.

    Raises:
        ReadError: the folder, the part or one of its files does not exist.
    """
    advice = "A data set is a folder with corpus.jsonl[.gz] and queries.jsonl[.gz]"
    root = existing_folder(Path(folder), advice).resolve()
    part = root if data_file(root, "queries.jsonl") else root / split
    if not is_folder(part):
        parts = [path.name for path in root.iterdir() if data_file(path, "queries.jsonl")]
        if parts:
            problem = f"no part {split!r} in this folder; its parts are {', '.join(sorted(parts))}"
            raise ReadError(problem, file=str(root))
        part = root
    queries = data_file(part, "queries.jsonl")
    corpus = data_file(part, "corpus.jsonl") or data_file(part.parent, "corpus.jsonl")
    if queries is None or corpus is None:
        files = {"corpus.jsonl": corpus, "queries.jsonl": queries}
        missing = " and no ".join(f"{name}[.gz]" for name, file in files.items() if file is None)
        raise ReadError(f"no {missing} in this folder", file=str(part))
    qrels = _find_qrels(part, split)
    name = part.name
    if part != root or name in ("train", "dev", "test"):
        name = f"{part.parent.name}/{name}"
    elif qrels is not None and qrels.parent != part:
        name = f"{name}/{split}"
    return DatasetFiles(name, corpus, queries, qrels)


def existing_folder(folder: Path, advice: str = SET_VARIABLE) -> Path:
    """Return ``folder``, or else the folder of that name inside :func:`data_folder`.

    Raises:
        ReadError: neither exists; the message ends with ``advice``.
    """
    places = dict.fromkeys([folder, *(base / folder for base in _data_places() if is_folder(base))])
    if found := next(filter(is_folder, places), None):
        return found
    raise ReadError(
        f"no such folder; looked in {' and '.join(str(place.absolute()) for place in places)}. "
        f"{advice}"
    )


def data_file(folder: Path, name: str) -> Path | None:
    """Return the file ``name`` or ``name.gz``; None if neither exists."""
    return next(filter(is_file, (folder / name, folder / f"{name}.gz")), None)


def required_file(folder: Path, name: str) -> Path:
    """Return :func:`data_file`, which must exist.

    Raises:
        ReadError: the file is missing.
    """
    path = data_file(folder, name)
    if path is None:
        raise ReadError(f"no {name}[.gz] in this folder", file=str(folder))
    return path


def _find_qrels(part: Path, split: str) -> Path | None:
    folder = part / "qrels"
    for path in (folder / f"{split}.tsv", part / "qrels.tsv"):
        if is_file(path):
            return path
    if is_folder(folder):
        splits = ", ".join(sorted(path.stem for path in folder.glob("*.tsv"))) or "none"
        problem = f"no judgements for the split {split!r}; there are: {splits}"
        raise ReadError(problem, file=str(folder))
    return None


def _read_queries(path: Path, qrels: Path | None, corpus: Corpus) -> tuple[Query, ...]:
    """Read the queries that have labels.

    With a ``qrels`` file, a query needs a grade above 0 in that file. Otherwise its row must list
    satisfying or violating documents. Labels of empty documents are dropped.
    """
    grades = {} if qrels is None else _read_grades(qrels, corpus)
    queries: list[Query] = []
    ids: set[str] = set()
    for row in json_rows(path):
        name = row.id()
        if qrels is not None and name not in grades:
            continue
        if name in ids:
            raise row.error(f"the id {name!r} was used before; ids must be unique")
        ids.add(name)
        query = _build_query(row, grades.get(name, {}), corpus)
        if query.grades or query.violating:
            queries.append(query)
    if unknown := grades.keys() - ids:
        raise ReadError(f"judges the query {min(unknown)!r}, which {path} lacks", file=str(qrels))
    if not queries:
        requirement = "the rows need 'satisfying' or 'violating', or the folder qrels.tsv"
        if qrels is not None:
            requirement = f"{qrels} gives no grade above 0"
        raise ReadError(f"no labelled query: {requirement}", file=str(path))
    return tuple(queries)


def _read_grades(path: Path, corpus: Corpus) -> dict[str, dict[str, int]]:
    """Query id -> original document id -> grade, for grades above 0."""
    grades: dict[str, dict[str, int]] = {}
    for qrel in read_qrels(path):
        if qrel.document not in corpus.ids:
            problem = f"the corpus has no document {qrel.document!r}"
            raise ReadError(problem, file=str(path), line=qrel.line)
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
        if (name := corpus.ids[document]) is not None:
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


def _canonical_ids(documents: Sequence[str], row: Row, corpus: Corpus) -> frozenset[str]:
    if unknown := [document for document in documents if document not in corpus.ids]:
        raise row.error(f"the corpus has no document {unknown[0]!r}")
    return frozenset(filter(None, (corpus.ids[document] for document in documents)))


def _own_document(query: str, text: str, corpus: Corpus) -> frozenset[str]:
    """Find the document that is the query itself: same id and, apart from a title, same text.

    An id alone is not enough, because many sets number both queries and documents from 1.
    """
    name = corpus.ids.get(query)
    if name is not None and f" {corpus.documents[name]}".endswith(f" {text.strip()}"):
        return frozenset({name})
    return frozenset()
