"""Labelled data that groups of two sides are read from."""

from __future__ import annotations

import json
from pathlib import Path


def jsonl(path: Path, rows: list) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


DOCUMENT = (
    "Cells were counted. The drug reduces the risk of death. It was given daily. Costs were high. "
    "No harm was seen."
)


def claim(text: str, label: str, *numbers: int, document: str = "1") -> dict:
    rationales = [[n] for n in numbers]
    return {"text": text, "evidence": {document: {"label": label, "rationales": rationales}}}
