"""Conformance suites: test classes for a new backend, encoder or framework adapter.

Put the folder ``tests/conformance`` of the source tree on pytest's ``pythonpath``. Subclass a suite
and implement how your part is made and called; then all its tests run::

    from suites import EncoderConformance

    class TestMyEncoder(EncoderConformance):
        @pytest.fixture
        def encoder(self):
            return MyEncoder()

Each test's docstring names the silent failure that it prevents. The suites download nothing and
need only pytest: asynchronous tests start their own event loop.
"""

from __future__ import annotations

import pytest

for _suite in (
    "contradiction_filters",
    "corpus_cleaners",
    "encoders",
    "evidence",
    "indexes",
    "items",
    "rerankers",
    "retrievers",
):
    pytest.register_assert_rewrite(f"{__name__}.{_suite}")  # failures then show the values

from suites.contradiction_filters import ContradictionFilterConformance  # noqa: E402
from suites.corpus_cleaners import CorpusCleanerConformance  # noqa: E402
from suites.encoders import EncoderConformance  # noqa: E402
from suites.hashed_encoder import HashedEncoder  # noqa: E402
from suites.indexes import IndexConformance  # noqa: E402
from suites.rerankers import RerankerConformance  # noqa: E402
from suites.retrievers import (  # noqa: E402
    ContradictionRetrieverConformance,
    RetrieverConformance,
)
from suites.sample_passages import Retrieved  # noqa: E402
from suites.watched_encoder import WatchedEncoder  # noqa: E402

__all__ = [
    "ContradictionFilterConformance",
    "ContradictionRetrieverConformance",
    "CorpusCleanerConformance",
    "EncoderConformance",
    "HashedEncoder",
    "IndexConformance",
    "RerankerConformance",
    "Retrieved",
    "RetrieverConformance",
    "WatchedEncoder",
]
