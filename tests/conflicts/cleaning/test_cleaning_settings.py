"""Settings of a cleaning: changed settings cause a new examination."""

from __future__ import annotations

import dataclasses

import pytest
from suites import HashedEncoder

from logic_retrievers.conflicts import ContradictionSettings, CorpusCleaner
from logic_retrievers.conflicts.cleaning.settings import CleaningOptions, CleaningSettings
from logic_retrievers.types import Passage

VECTORS = ("topical", "contradiction")
DECIDING = {
    "resolution": "prefer_newest",
    "encoder": HashedEncoder(VECTORS, versions={"contradiction": "2"}),
    "neighbours": 3,
    "threshold": 0.5,
    "trusted": [Passage("inn", "The inn has a pool.")],
    "trusted_filter": {"checked": True},
    "trusted_candidates": 3,
    "against_trusted": "annotate",
    "date_key": "day",
    "version_key": "edition",
    "document_key": "title",
    "source_key": "site",
    "scope_keys": ["product"],
    "judge": None,
    "judge_above": 0.3,
    "hide_above": 0.95,
}


def fingerprint(**chosen: object) -> str:
    return CorpusCleaner(
        **{"encoder": HashedEncoder(VECTORS), **chosen}  # type: ignore[arg-type]
    ).criteria.fingerprint()


@pytest.mark.reader
@pytest.mark.parametrize("name", DECIDING)
def test_every_setting_changes_the_fingerprint(name: str):
    """A cleaning must not skip a passage examined with different settings."""
    assert fingerprint(**{name: DECIDING[name]}) != fingerprint()


def test_the_same_settings_have_the_same_fingerprint():
    """Otherwise every cleaning examines the whole corpus."""
    settings = DECIDING | {"hide_above": None}
    assert fingerprint(**settings) == fingerprint(**settings)
    assert fingerprint(resolution=lambda one, _: one) == fingerprint(resolution=lambda one, _: one)


def test_options_are_the_fields_of_the_settings():
    """A setting that only one side knows could not be passed, or would not be checked."""
    fields = {field.name for field in dataclasses.fields(CleaningSettings)}
    assert fields == CleaningOptions.__annotations__.keys()


def test_settings_of_the_vector_change_one_constant_only():
    """A cleaning keeps its own threshold when a different constant is set."""
    plain, alpha, threshold = (
        CorpusCleaner(encoder=HashedEncoder(VECTORS), settings=settings).criteria.constants
        for settings in (None, ContradictionSettings(alpha=9), ContradictionSettings(threshold=0.6))
    )
    assert alpha == dataclasses.replace(plain, alpha=9)
    assert threshold == dataclasses.replace(plain, threshold=0.6)
