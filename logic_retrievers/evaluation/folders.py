"""Which folder holds a data set, and which of its parts."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from logic_retrievers.errors import ReadError

DATA_VARIABLE = "LOGIC_RETRIEVERS_DATA"


@dataclass(frozen=True, slots=True)
class Part:
    """The files of one part of a data set.

    Args:
        name: ``nevir/test``, ``scifact/test``, ``coder_antonym``: what reports call it.
        qrels: relevance judgements, where the labels are not in the query rows.
    """

    name: str
    corpus: Path
    queries: Path
    qrels: Path | None


def data_folder() -> Path:
    """The folder of the benchmark sets: ``LOGIC_RETRIEVERS_DATA``, else ``../shared/data``.

    The default is looked for beside the working directory, then beside the repository.

    Raises:
        ReadError: there is no such folder; the message lists where it was looked for.
    """
    named = os.environ.get(DATA_VARIABLE)
    if named:
        places = [Path(named)]
    else:
        repository = Path(__file__).resolve().parents[2]
        bases = dict.fromkeys((Path.cwd(), repository))
        places = [base.parent / "shared" / "data" for base in bases]
    for place in places:
        if place.is_dir():
            return place
    raise ReadError(
        f"no benchmark data; looked in {_listed(places)}. Set {DATA_VARIABLE} to the folder that "
        "holds the data sets"
    )


def find_part(folder: str | os.PathLike[str], split: str) -> Part:
    """Finds the files of a part.

    Args:
        folder: a path, or a name inside :func:`data_folder`.
        split: which part, where the folder has parts (subfolders, or files in ``qrels/``); a
            folder that is itself a part is taken as it is. Parts without a corpus of their own
            share that of the folder above them.

    Raises:
        ReadError: no such folder or part, or one of its files is missing.
    """
    root = existing_folder(Path(folder)).resolve()
    place = root if data_file(root, "queries.jsonl") else root / split
    if not place.is_dir():
        parts = sorted(path.name for path in root.iterdir() if data_file(path, "queries.jsonl"))
        hint = f"its parts are {', '.join(parts)}" if parts else "it needs a queries.jsonl[.gz]"
        raise ReadError(f"no part {split!r} in this folder; {hint}", file=str(root))
    queries = data_file(place, "queries.jsonl")
    corpus = data_file(place, "corpus.jsonl") or data_file(place.parent, "corpus.jsonl")
    if queries is None or corpus is None:
        missing = "queries.jsonl[.gz]" if queries is None else "corpus.jsonl[.gz]"
        raise ReadError(f"no {missing} in this folder", file=str(place))
    qrels = _qrels(place, split)
    name = place.name
    if place != root or name in ("train", "dev", "test"):
        name = f"{place.parent.name}/{name}"
    elif qrels is not None and qrels.parent != place:
        name = f"{name}/{split}"
    return Part(name, corpus, queries, qrels)


def existing_folder(folder: Path) -> Path:
    """The folder, as it is named or inside :func:`data_folder`.

    Raises:
        ReadError: neither is there; the message lists where it was looked for.
    """
    if folder.is_dir():
        return folder
    if folder.is_absolute():
        raise ReadError("no such folder", file=str(folder))
    inside = data_folder() / folder
    if inside.is_dir():
        return inside
    raise ReadError(f"no such folder; looked in {_listed([folder.absolute(), inside])}")


def data_file(folder: Path, name: str) -> Path | None:
    """The file of that name, plain or with ``.gz`` behind it; ``None`` where there is neither."""
    return next((path for path in (folder / name, folder / f"{name}.gz") if path.is_file()), None)


def _qrels(place: Path, split: str) -> Path | None:
    folder, single = place / "qrels", place / "qrels.tsv"
    of_split = folder / f"{split}.tsv"
    if of_split.is_file():
        return of_split
    if single.is_file():
        return single
    if folder.is_dir():
        there = ", ".join(sorted(path.stem for path in folder.glob("*.tsv"))) or "none"
        raise ReadError(
            f"no judgements for the split {split!r}; there are: {there}", file=str(folder)
        )
    return None


def _listed(places: list[Path]) -> str:
    return " and ".join(map(str, places))
