"""Files of clusters: passages that compete for the same queries, and those queries."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from logic_export.data.triplet_builders import find_data_file
from logic_retrievers.evaluation.rows import Row, json_rows

Part: TypeAlias = Literal["train", "dev", "all"]

# written for this project: see the README in this folder
OWN = {
    name: Path(__file__).parent / f"{name}.jsonl.gz"
    for name in ("clusters", "marked_clusters", "denials")
}
_DEV_PERCENT = 15


def read_clusters(part: Part, files: Sequence[str]) -> Iterator[Row]:
    """Read rows of one part of the domains; 15 % of them, by their hash, are ``dev``.

    ``files`` are names of :data:`OWN` or paths.
    """
    for file in files:
        for row in json_rows(OWN.get(file) or find_data_file(Path(file))):
            if part in ("all", _domain_part(row.text("domain"))):
                yield row


def _domain_part(domain: str) -> Part:
    # not assign_part, so that development domains stay those that gate and weights were fitted on
    digest = hashlib.sha256(domain.encode()).hexdigest()
    return "dev" if int(digest, 16) % 100 < _DEV_PERCENT else "train"
