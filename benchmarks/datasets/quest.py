"""QUEST as it is published (Malaviya et al. 2023): queries whose answer is a set of entities."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import and_, or_
from pathlib import Path
from typing import Any

from logic_retrievers.errors import ReadError
from logic_retrievers.evaluation.corpus import Corpus, read_corpus
from logic_retrievers.evaluation.datasets import Dataset, data_file, existing_folder
from logic_retrievers.evaluation.queries import labelled_queries
from logic_retrievers.evaluation.rows import Row, json_rows
from logic_retrievers.queries import Atom, Expression

_MARKED = re.compile(r"<mark>(.*?)</mark>", re.DOTALL)

TEMPLATES = {
    "_": "a",
    "_ that are also _": "a_and_b",
    "_ that are also both _ and _": "a_and_b_and_c",
    "_ or _": "a_or_b",
    "_ or _ or _": "a_or_b_or_c",
    "_ that are not _": "a_not_b",
    "_ that are also _ but not _": "a_and_b_not_c",
}
"""QUEST's seven templates -> our names of the same forms."""


def load_quest(folder: str | os.PathLike[str], split: str = "test") -> Dataset:
    """Reads a part of QUEST: ``SPLIT.jsonl`` and ``documents.jsonl``, plain or gzip.

    Rows of the queries are ``{query, docs, original_query, scores, metadata}``, of the documents
    ``{title, text}``; a title is a document's id. The gold expression comes from the marked atoms
    of ``original_query``, such as ``<mark>A</mark> that are also <mark>B</mark>``; augmented
    queries have none. QUEST lists no violating documents.

    A query's ``extra`` holds ``template`` (a name of :data:`TEMPLATES`' right side), ``domain``,
    ``expression``, ``missing`` and the published ``original_query`` and ``metadata``. ``missing``
    are listed documents that the corpus lacks, which the published scripts skip; they are no
    labels, as nothing can find them (?): where there are some, recall is higher than with them.

    Args:
        folder: a path, or a name inside :func:`logic_retrievers.evaluation.datasets.data_folder`.
        split: ``train``, ``train_aug``, ``val`` or ``test``.

    Raises:
        ReadError: a missing file, or the file and line that is wrong.
    """
    root = existing_folder(Path(folder))
    path, documents = data_file(root, f"{split}.jsonl"), data_file(root, "documents.jsonl")
    if path is None or documents is None:
        missing = f"{split}.jsonl[.gz]" if path is None else "documents.jsonl[.gz]"
        raise ReadError(f"no {missing} in this folder", file=str(root))
    corpus = read_corpus(documents, id_field="title")
    rows = (_convert_row(row, split, corpus) for row in json_rows(path))
    queries = labelled_queries(rows, corpus, path, "the rows need 'docs' that are in the corpus")
    return Dataset(f"quest/{split}", corpus.documents, queries)


def marked_expression(original_query: str) -> tuple[str, Expression] | None:
    """The template and the expression of a query with marked atoms.

    Args:
        original_query: as QUEST publishes it.

    Returns:
        A name and an expression; ``None`` where nothing is marked, or the text between the marks
        is in none of :data:`TEMPLATES`.
    """
    form = " ".join(_MARKED.sub("_", original_query).split())
    atoms = _MARKED.findall(original_query)
    name = TEMPLATES.get(form)
    if name is None or form.count("_") != len(atoms) or not all(map(str.strip, atoms)):
        return None
    return name, _build_expression(name, [Atom(text) for text in atoms])


def _build_expression(name: str, atoms: Sequence[Expression]) -> Expression:
    if "_or_" in name:
        return reduce(or_, atoms)
    if "_not_" in name:
        return reduce(and_, (*atoms[:-1], ~atoms[-1]))
    return reduce(and_, atoms)


def _convert_row(row: Row, split: str, corpus: Corpus) -> Row:
    """A published row in the form of ``queries.jsonl``."""
    metadata = row.fields.get("metadata") or {}
    if not isinstance(metadata, Mapping):
        raise row.error("'metadata' must be an object")
    listed = row.ids("docs")
    known = [title for title in listed if corpus.canonical_id(title) is not None]
    extra: dict[str, Any] = {
        "original_query": row.fields.get("original_query"),
        "metadata": metadata,
        "domain": metadata.get("domain"),
        "template": TEMPLATES.get(metadata.get("template") or ""),
        "missing": [title for title in listed if title not in known],
    }
    if extra["original_query"]:
        parsed = marked_expression(row.text("original_query"))
        if parsed is None:
            raise row.error(
                "'original_query' must be marked atoms in one of the forms "
                f"{', '.join(map(repr, TEMPLATES))}"
            )
        extra["template"], extra["expression"] = parsed[0], parsed[1].to_dict()
    name = f"{split}-{row.line}"
    return row.with_fields({"_id": name, "text": row.text("query"), "satisfying": known, **extra})
