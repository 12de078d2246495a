"""A small model to export."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


@pytest.fixture(scope="module")
def small_model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sentence_transformers", reason="the extra train")
    from small_models import write_small_model

    return write_small_model(tmp_path_factory.mktemp("small") / "made")


@pytest.fixture
def small_model(small_model_folder: Path) -> SentenceTransformer:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(small_model_folder), device="cpu")
