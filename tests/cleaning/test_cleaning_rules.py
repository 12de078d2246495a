"""What a cleaning judges by, told apart: what was judged by other rules is examined again."""

from __future__ import annotations

import pytest

from logic_retrievers.cleaning import CorpusCleaner
from logic_retrievers.testing import HashedEncoder
from logic_retrievers.types import Passage

VECTORS = ("topical", "contradiction")
DECIDING = {
    "policy": "prefer_newest",
    "encoder": HashedEncoder(VECTORS, versions={"contradiction": "2"}),
    "neighbours": 3,
    "threshold": 0.5,
    "trusted": [Passage("inn", "The inn has a pool.")],
    "trusted_filter": {"checked": True},
    "trusted_candidates": 3,
    "trusted_top": 3,
    "against_trusted": "annotate",
    "date_key": "day",
    "source_key": "site",
    "scope_keys": ["product"],
    "second_opinion": lambda pairs: [0.5] * len(pairs),
    "ask_above": 0.3,
}


def fingerprint(**chosen: object) -> str:
    return CorpusCleaner(
        **{"encoder": HashedEncoder(VECTORS), **chosen}  # type: ignore[arg-type]
    ).fingerprint()


@pytest.mark.parametrize("name", DECIDING)
def test_every_setting_that_decides_makes_other_rules(name: str):
    """A passage judged by yesterday's rules would be passed over today."""
    assert fingerprint(**{name: DECIDING[name]}) != fingerprint()


def test_the_same_settings_are_the_same_rules():
    """Else every cleaning would examine the whole corpus."""
    assert fingerprint(**DECIDING) == fingerprint(**DECIDING)
    assert fingerprint(policy=lambda one, _: one) == fingerprint(policy=lambda one, _: one)
