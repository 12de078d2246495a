"""Questions about fictional towns and people, in each format of labelled questions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from jsonl_files import write_rows

_PLACES = re.findall(
    r"\w+",
    "Arvenholm Brackmere Cindervale Dunmorrow Eastfallow Fernbridge Glassmoor Hollowick Ironbeck "
    "Juniperton Kestrelby Larkenfall Millhaven Netherwold Oakenshaw Pellucid Quarrydale Ravenscar "
    "Saltmarsh Thornbury Umberley Vinterholm Westering Yarrowdale",
)
_KINDS = ("a fishing village on the northern coast", "a market town known for its clock tower")


def town(number: int) -> dict[str, str]:
    """Make a passage like the opening of an encyclopedia article."""
    name = _PLACES[number % len(_PLACES)]
    kind = _KINDS[number % 2]
    return {
        "title": name,
        "text": f"{name} is {kind}, and it was founded in {1500 + number}. It has an old bridge.",
    }


def ruler(number: int) -> dict[str, str]:
    """Make a passage whose text does not describe its title."""
    name = f"Count Osric {number}"
    return {"title": name, "text": f"{name} was a ruler of {_PLACES[number % 24]} who built ships."}


def labelled_rows(count: int = 24, candidates: int = 6) -> list[dict[str, Any]]:
    """Make rows with two right candidates each; no passage is in two rows."""
    return [
        {
            "_id": f"q{number:02}",
            "text": f"Which harbour did the ruler numbered {number} build?",
            "answer": f"Port {number}",
            "candidates": [
                {"title": f"Port {number}", "text": f"Port {number} is a harbour.", "label": 1},
                {**ruler(number), "label": 1},
                *(
                    {
                        "title": f"{town(other)['title']} {number}",
                        "text": f"{town(other)['title']} {number} is {_KINDS[other % 2]}.",
                        "label": 0,
                    }
                    for other in range(candidates - 2)
                ),
            ],
        }
        for number in range(count)
    ]


def paired_rows(count: int = 24) -> list[dict[str, Any]]:
    """Make rows with a right passage of two lines and a hard negative."""
    rows = []
    for number in range(count):
        right = [ruler(number), {"title": f"Port {number}", "text": f"Port {number} is a harbour."}]
        wrong = town(number)
        rows.append(
            {
                "_id": f"p{number:02}",
                "text": f"Which harbour on the coast did the ruler numbered {number} build?",
                "answer": f"Port {number}",
                "positive": "\n".join(f"{one['title']}: {one['text']}" for one in right),
                "hard_negative": f"{wrong['title']}: {wrong['text']}",
                "hard_negative_title": wrong["title"],
            }
        )
    return rows


def write_questions(folder: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write a folder with ``questions.jsonl.gz``."""
    write_rows(folder / "questions.jsonl.gz", rows)
    return folder
