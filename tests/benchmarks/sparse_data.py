"""Tiny folders in the forms of ConflictQA, ArguAna, SciFact and the films."""

from __future__ import annotations

from pathlib import Path

from jsonl_files import write_rows
from logic_export.data.contradictions.conflictqa import SIDE_FIELDS

SUBJECTS = ("harbour", "museum", "bakery", "library", "theatre", "garden", "station", "market")


def conflictqa(folder: Path) -> None:
    """Questions on subjects: three in each part."""
    for part, subjects in (("train", SUBJECTS[:2]), ("dev", SUBJECTS[2:5]), ("test", SUBJECTS[5:])):
        write_rows(
            folder / "conflictqa_strategyqa" / f"{part}.jsonl",
            [_question(subject) for subject in subjects],
        )


def _question(subject: str) -> dict[str, str]:
    left = (
        f"Yes, the {subject} is open.",
        f"The {subject} is open on Sundays. Its doors stand open from nine, the keeper says.",
        f"Visitors come to the {subject} every Sunday, since it never closes at the weekend.",
    )
    right = (
        f"No, the {subject} is closed.",
        f"The {subject} is closed on Sundays. Its doors stay locked all day, the keeper says.",
        f"Nobody comes to the {subject} on a Sunday, since it always closes at the weekend.",
    )
    names = [name for side in SIDE_FIELDS for name in side]
    values = dict(zip(names, (*left, *right), strict=True))
    return {"question": f"Is the {subject} open on Sundays?", **values}


def arguana(folder: Path) -> None:
    """Four arguments, each with its counter-argument."""
    arguments = [
        f"The {subject} ought to be open on Sundays, for people are free."
        for subject in SUBJECTS[:4]
    ]
    against = [
        f"The {subject} ought to rest on Sundays, as its staff does." for subject in SUBJECTS[:4]
    ]
    place = folder / "arguana_dev"
    texts = [*against, *arguments]
    queries = [{"_id": f"q{n}", "text": text} for n, text in enumerate(arguments)]
    corpus = [{"_id": f"d{n}", "title": "", "text": text} for n, text in enumerate(texts)]
    write_rows(place / "queries.jsonl", queries)
    write_rows(place / "corpus.jsonl", corpus)
    (place / "qrels").mkdir()
    rows = ["query-id\tcorpus-id\tscore", *(f"q{n}\td{n}\t1" for n in range(4))]
    (place / "qrels" / "dev.tsv").write_text("\n".join(rows) + "\n")


def abstracts(folder: Path) -> None:
    """SciFact's corpus, as background."""
    texts = {
        f"{subject} {word}": f"The {subject} is {word}. It is old."
        for subject in SUBJECTS
        for word in ("closed", "never closed")
    }
    rows = [{"_id": name, "title": "", "text": text} for name, text in texts.items()]
    write_rows(folder / "scifact" / "corpus.jsonl.gz", rows)


def films(folder: Path) -> None:
    """Films as background."""
    write_rows(
        folder / "wikipedia_movies" / "corpus.jsonl.gz",
        [{"_id": f"m{n}", "title": "", "text": f"A film about sailor {n}."} for n in range(6)],
    )
