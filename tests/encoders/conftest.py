"""The default encoder, loaded once."""

from __future__ import annotations

from pathlib import Path

import pytest

from logic_retrievers.encoders import OnnxEncoder


@pytest.fixture(scope="session")
def encoder() -> OnnxEncoder:
    return OnnxEncoder()


@pytest.fixture(scope="module")
def small_model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from small_models import write_small_model

    return write_small_model(tmp_path_factory.mktemp("small") / "made")
