"""A study, and its resources: cached encoders, trained models by role, settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from benchmarks.report.artefacts import Section
from logic_retrievers.encoders import (
    CachedEncoder,
    Encoder,
    SentenceTransformerEncoder,
    default_encoder,
)

# Role of a model for comparison -> how to make the model. None of these models is shipped.
ROLES: Mapping[str, str] = {
    "coder": "export/recipes/coder-comparison.toml",
    "contrastive": "the same recipe without the violating passages",
    "contrastive-cosine": "export/recipes/contrastive-baseline.toml",
    "set-contrastive": "export/recipes/set-queries-minilm.toml, both weights 0, random_share 1",
    "logicol": "export/recipes/set-queries-minilm.toml",
    "infonce": "export/recipes/query-encoder-minilm.toml, alpha and beta 1",
    "lore": "export/recipes/query-encoder-minilm.toml",
    "cross-encoder": "an ONNX folder of your own",
}


def _silent(line: str) -> None:
    del line


@dataclass(frozen=True)
class Workbench:
    """Data, encoders and settings of one report.

    Args:
        vectors: SQLite cache of the vectors of all texts and encoders.
        models: folder with one folder per role of :data:`ROLES`, named by role: a training run,
            with its model in ``model``, or the model itself. None without models.
        seed: seeds all random numbers.
        log: called with lines about progress.
    """

    vectors: Path
    models: Path | None = None
    seed: int = 0
    log: Callable[[str], None] = field(default=_silent, repr=False)

    @cached_property
    def encoder(self) -> Encoder:
        """Open the shipped encoder with cached vectors."""
        return CachedEncoder(default_encoder(), self.vectors)

    def model(self, role: str) -> Path | None:
        """Return the folder of a trained model; None if missing."""
        if self.models is None:
            return None
        folder = self.models / role
        if (folder / "model").is_dir():
            return folder / "model"
        return folder if folder.is_dir() else None

    def trained(self, role: str) -> Encoder | None:
        """Open a trained sentence encoder as ``topical``, with cached vectors; None if missing."""
        folder = self.model(role)
        if folder is None:
            return None
        return CachedEncoder(SentenceTransformerEncoder(str(folder)), self.vectors)


@dataclass(frozen=True, slots=True)
class Study:
    """One experiment of the report.

    Args:
        data: folders of benchmark data that the study reads.
        run: makes the study's section.
        models: roles of trained models that the study compares with, if available.
    """

    name: str
    title: str
    data: tuple[str, ...]
    run: Callable[[Workbench], Section]
    models: tuple[str, ...] = ()
