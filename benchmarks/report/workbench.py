"""The resources of studies: cached encoders, trained models by role, settings; and a study."""

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

# Role of a model that studies compare with -> how to make it. None of these models is shipped.
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
        models: a folder with the models of :data:`ROLES`, each in a folder named after its role (a
            training run, with its model in ``model``, or the model itself); None without models.
        seed: seeds all random numbers.
        log: called with lines about the progress.
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
        """Find the folder of a trained model, or None."""
        if self.models is None:
            return None
        folder = self.models / role
        if (folder / "model").is_dir():
            return folder / "model"
        return folder if folder.is_dir() else None

    def trained(self, role: str) -> Encoder | None:
        """Open a trained sentence encoder as ``topical``, with cached vectors; or None."""
        folder = self.model(role)
        if folder is None:
            return None
        return CachedEncoder(SentenceTransformerEncoder(str(folder)), self.vectors)


@dataclass(frozen=True, slots=True)
class Study:
    """One experiment of the report.

    Args:
        data: folders of the benchmark data that the study reads.
        run: makes the study's section.
        models: roles of the trained models that the study compares with, if they are available.
    """

    name: str
    title: str
    data: tuple[str, ...]
    run: Callable[[Workbench], Section]
    models: tuple[str, ...] = ()
