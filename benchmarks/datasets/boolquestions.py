"""BoolQuestions as it is published (Zhang et al. 2024): AND, OR and NOT questions on passages."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from logic_retrievers.errors import ConfigurationError, ReadError
from logic_retrievers.evaluation.corpus import Corpus, read_corpus
from logic_retrievers.evaluation.datasets import Dataset, data_file, existing_folder
from logic_retrievers.evaluation.queries import labelled_queries
from logic_retrievers.evaluation.rows import Row, json_rows, read_lines

QuestionType: TypeAlias = Literal["and", "or", "not"]
_ALL: tuple[QuestionType, ...] = get_args(QuestionType)
_CONTEXTS = ("positive_ctxs", "negative_ctxs")
_SEPARATOR = re.compile(r"[\s,]*")


def load_boolquestions(
    folder: str | os.PathLike[str],
    types: Collection[QuestionType] = _ALL,
    *,
    labelled_only: bool = False,
) -> Dataset:
    """Reads one half of BoolQuestions, ``MSMARCO`` or ``NaturalQuestions``.

    The folder holds ``eval.json`` and ``corpus.jsonl``, plain or gzip. Rows of the questions are
    ``{qid, question, question_type, positive_ctxs, negative_ctxs}``, whose passages have a
    ``passage_id``; of the corpus ``{docid, doc}``, with a ``title`` in ``NaturalQuestions``. Title
    and text are joined by a space, where the published scripts write ``[SEP]``.

    The paper leaves open (?): ``eval.json`` may be one array or JSON Lines; a passage
    with a ``passage_id`` of null is skipped; one that is both positive and negative, or has the
    text of one that is, counts as positive. The simple questions that a question was made of are
    not in these fields, so no query has an expression.

    A query's ``extra`` holds ``template``, the question's type, and the published fields.

    Args:
        folder: a path, or a name inside :func:`logic_retrievers.evaluation.datasets.data_folder`.
        types: which questions.
        labelled_only: whether the pool is only what these questions label. The published figures
            are over the whole corpus, of millions of passages; with this they do not compare.

    Raises:
        ConfigurationError: no type, or an unknown one.
        ReadError: a missing file, or the file and line that is wrong.
    """
    if not types or not set(types) <= set(_ALL):
        raise ConfigurationError(f"types must be some of {', '.join(_ALL)}, not {types!r}")
    root = existing_folder(Path(folder)).resolve()
    path, passages = data_file(root, "eval.json"), data_file(root, "corpus.jsonl")
    if path is None or passages is None:
        missing = "eval.json[.gz]" if path is None else "corpus.jsonl[.gz]"
        raise ReadError(f"no {missing} in this folder", file=str(root))
    rows = [row for row in _question_rows(path) if row.text("question_type") in types]
    labelled = {name for row in rows for field in _CONTEXTS for name in _passage_ids(row, field)}
    corpus = read_corpus(
        passages, id_field="docid", text_field="doc", keep=labelled if labelled_only else None
    )
    queries = labelled_queries(
        (_convert_row(row, corpus) for row in rows),
        corpus,
        path,
        f"the rows need a 'question_type' of {', '.join(types)} and 'positive_ctxs'",
    )
    name = f"boolquestions/{root.name}"
    return Dataset(name, corpus.documents, queries)


def _question_rows(path: Path) -> Iterator[Row]:
    """The objects of a JSON Lines file, or of one JSON array."""
    text = "".join(line for _, line in read_lines(path))
    if not text.lstrip().startswith("["):
        yield from json_rows(path)
        return
    decoder = json.JSONDecoder()
    position = text.index("[") + 1
    while True:
        separator = _SEPARATOR.match(text, position)
        position = separator.end() if separator else position
        line = text.count("\n", 0, position) + 1
        if text.startswith("]", position):
            return
        try:
            fields, position = decoder.raw_decode(text, position)
        except ValueError as error:
            raise ReadError(f"not valid JSON: {error}", file=str(path), line=line) from None
        if not isinstance(fields, dict):
            raise ReadError("expected a JSON object", file=str(path), line=line)
        yield Row(fields, path, line)


def _passage_ids(row: Row, field: str) -> tuple[str, ...]:
    """The ids of the passages in one of the two lists."""
    contexts = row.fields.get(field) or []
    if not isinstance(contexts, list) or not all(isinstance(item, dict) for item in contexts):
        raise row.error(f"{field!r} must be a list of objects with a 'passage_id'")
    return tuple(
        row.with_fields(item).id("passage_id")
        for item in contexts
        if item.get("passage_id") is not None
    )


def _convert_row(row: Row, corpus: Corpus) -> Row:
    """A published row in the form of ``queries.jsonl``."""
    positive, negative = (_passage_ids(row, field) for field in _CONTEXTS)
    satisfying = {corpus.canonical_id(name) for name in positive}
    return row.with_fields(
        {
            **row.fields,
            "_id": row.id("qid"),
            "text": row.text("question"),
            "template": row.text("question_type"),
            "satisfying": list(positive),
            "violating": [name for name in negative if corpus.canonical_id(name) not in satisfying],
        }
    )
