"""Data sets: documents, queries and labels, read from a folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from logic_retrievers.evaluation.corpus import read_corpus
from logic_retrievers.evaluation.folders import find_part
from logic_retrievers.evaluation.queries import Query, read_queries


@dataclass(frozen=True, slots=True)
class Dataset:
    """One part of a benchmark: its pool of documents and its labelled queries.

    Args:
        name: ``nevir/test``, ``scifact/test``, ``coder_antonym``, ...
        documents: id -> title and text; every text occurs once.
        queries: those that have labels, in the order of the file.
        aliases: id of a copy -> the id in ``documents`` that stands for its text.
        empty: ids of documents without text; they are in no pool and no label.
    """

    name: str
    documents: Mapping[str, str]
    queries: tuple[Query, ...]
    aliases: Mapping[str, str]
    empty: tuple[str, ...]


def load_dataset(folder: str | os.PathLike[str], split: str = "test") -> Dataset:
    """Reads a data set.

        load_dataset("nevir", split="dev")   # the folder nevir/dev
        load_dataset("nevir/test")           # the same form, named directly
        load_dataset("scifact")              # the queries of qrels/test.tsv

    The folder holds ``corpus.jsonl[.gz]`` (rows ``{_id, title, text}``), ``queries.jsonl[.gz]``
    (rows ``{_id, text, ...}``) and the labels: lists ``satisfying``, ``violating`` and ``neutral``
    in the query rows, or ``qrels/SPLIT.tsv`` or ``qrels.tsv``. Documents with the same text are
    merged and labels follow them.

    Args:
        folder: a path, or a name inside :func:`logic_retrievers.evaluation.folders.data_folder`.
        split: the part to read where the folder has parts; not used where it has only one.

    Raises:
        ReadError: names the folder that was looked in, or the file and line that is wrong.
    """
    part = find_part(folder, split)
    corpus = read_corpus(part.corpus)
    queries = read_queries(part.queries, part.qrels, corpus)
    return Dataset(part.name, corpus.documents, queries, corpus.aliases, corpus.empty)
