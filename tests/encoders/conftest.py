"""The default encoder, loaded once."""

from __future__ import annotations

import pytest

from logic_retrievers.encoders import OnnxEncoder


@pytest.fixture(scope="session")
def encoder() -> OnnxEncoder:
    return OnnxEncoder()
