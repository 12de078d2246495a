"""A small model to export."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def small_model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sentence_transformers", reason="the extra train")
    from small_models import write_small_model

    return write_small_model(tmp_path_factory.mktemp("small") / "made")
