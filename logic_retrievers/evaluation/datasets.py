"""Data sets in folders: documents, queries and labels, and where the folders lie."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from logic_retrievers.errors import ReadError
from logic_retrievers.evaluation.corpus import read_corpus
from logic_retrievers.evaluation.queries import Query, read_queries
from logic_retrievers.files import is_file, is_folder

DATA_VARIABLE = "LOGIC_RETRIEVERS_DATA"
"""Environment variable that names the folder of the benchmark sets."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """One part of a benchmark: its pool of documents and its labelled queries.

    Args:
        name: ``nevir/test``, ``scifact/test``, ``coder_antonym``, ...
        documents: id -> title and text; every text occurs once.
        queries: those that have labels, in the order of the file.
    """

    name: str
    documents: Mapping[str, str]
    queries: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class DatasetFiles:
    """The files of one part of a data set; ``qrels`` where labels are not in the query rows."""

    name: str
    corpus: Path
    queries: Path
    qrels: Path | None


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
        folder: a path, or a name inside :func:`data_folder`.
        split: the part to read where the folder has parts; ignored where it has only one.

    Raises:
        ReadError: names the folder that was looked in, or the file and line that is wrong.
    """
    files = find_dataset_files(folder, split)
    corpus = read_corpus(files.corpus)
    queries = read_queries(files.queries, files.qrels, corpus)
    return Dataset(files.name, corpus.documents, queries)


def data_folder() -> Path:
    """``LOGIC_RETRIEVERS_DATA``, else ``../shared/data`` from working directory or repository.

    Raises:
        ReadError: there is no such folder; the message lists where it was looked for.
    """
    if configured := os.environ.get(DATA_VARIABLE):
        candidates = [Path(configured)]
    else:
        repository = Path(__file__).resolve().parents[2]
        bases = dict.fromkeys((Path.cwd(), repository))
        candidates = [base.parent / "shared" / "data" for base in bases]
    for candidate in candidates:
        if is_folder(candidate):
            return candidate
    raise ReadError(
        f"no benchmark data; looked in {' and '.join(map(str, candidates))}. "
        f"Set {DATA_VARIABLE} to the folder that holds the data sets"
    )


def find_dataset_files(folder: str | os.PathLike[str], split: str) -> DatasetFiles:
    """Finds the files of one part of a data set; ``folder`` as in :func:`load_dataset`.

    Parts are subfolders, or files in ``qrels/``; a folder that is itself a part is taken as it is.
    Parts without a corpus of their own share that of the folder above them.

    Raises:
        ReadError: no such folder or part, or one of its files is missing.
    """
    root = existing_folder(Path(folder)).resolve()
    part = root if data_file(root, "queries.jsonl") else root / split
    if not is_folder(part):
        parts = sorted(path.name for path in root.iterdir() if data_file(path, "queries.jsonl"))
        hint = f"its parts are {', '.join(parts)}" if parts else "it needs a queries.jsonl[.gz]"
        raise ReadError(f"no part {split!r} in this folder; {hint}", file=str(root))
    queries = data_file(part, "queries.jsonl")
    corpus = data_file(part, "corpus.jsonl") or data_file(part.parent, "corpus.jsonl")
    if queries is None or corpus is None:
        missing = "queries.jsonl[.gz]" if queries is None else "corpus.jsonl[.gz]"
        raise ReadError(f"no {missing} in this folder", file=str(part))
    qrels = _find_qrels(part, split)
    name = part.name
    if part != root or name in ("train", "dev", "test"):
        name = f"{part.parent.name}/{name}"
    elif qrels is not None and qrels.parent != part:
        name = f"{name}/{split}"
    return DatasetFiles(name, corpus, queries, qrels)


def existing_folder(folder: Path) -> Path:
    """The folder as named, or of that name inside :func:`data_folder`.

    Raises:
        ReadError: neither exists.
    """
    if is_folder(folder):
        return folder
    if folder.is_absolute():
        raise ReadError("no such folder", file=str(folder))
    inside = in_data_folder(folder, "folder")
    if is_folder(inside):
        return inside
    raise ReadError(f"no such folder; looked in {folder.absolute()} and {inside}")


def in_data_folder(path: Path, kind: str) -> Path:
    """A relative path inside :func:`data_folder`; there may be nothing.

    Raises:
        ReadError: there is no data folder; the message says that the path is no ``kind`` either.
    """
    try:
        return data_folder() / path
    except ReadError as error:
        raise ReadError(f"no such {kind}: {path.absolute()}; and {error}") from None


def data_file(folder: Path, name: str) -> Path | None:
    """The file of that name, plain or with ``.gz`` appended; ``None`` where neither exists."""
    return next((path for path in (folder / name, folder / f"{name}.gz") if is_file(path)), None)


def _find_qrels(part: Path, split: str) -> Path | None:
    folder = part / "qrels"
    for path in (folder / f"{split}.tsv", part / "qrels.tsv"):
        if is_file(path):
            return path
    if is_folder(folder):
        splits = ", ".join(sorted(path.stem for path in folder.glob("*.tsv"))) or "none"
        raise ReadError(
            f"no judgements for the split {split!r}; there are: {splits}", file=str(folder)
        )
    return None
