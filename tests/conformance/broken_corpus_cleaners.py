"""Cleaners with one fault each; `found_by` names the test that must find it."""

from __future__ import annotations

from dataclasses import replace

from plain import PlainCleaner, PlainCleaners

from logic_retrievers.cleaning import CorpusCleaner, ScreeningResult


class TestCleanerIgnoresThePolicy(PlainCleaners):
    found_by = "test_decides_as_the_core_decides"

    def make(self, resolution="annotate", **settings):
        resolution = "quarantine_all" if resolution == "prefer_majority" else resolution
        return super().make(resolution=resolution, **settings)


class HidesNothing(PlainCleaner):
    def __call__(self, items):
        cleaned = self.core.clean(self.passages(items), dry_run=True)
        return self.with_findings(items, ScreeningResult((), replace(cleaned, dry_run=False)))


class TestCleanerLeavesTheStoredAlone(PlainCleaners):
    found_by = "test_the_collection_is_asked_and_what_loses_there_is_hidden"
    kind = HidesNothing


class TestCleanerHidesInADryRun(PlainCleaners):
    found_by = "test_a_dry_run_says_what_would_be_hidden_and_hides_nothing"

    def make(self, dry_run=False, **settings):
        return super().make(**settings)


class TestCleanerForgetsTheTrusted(PlainCleaners):
    found_by = "test_trusted_items_judge"

    def make(self, trusted=(), **settings):
        return super().make(**settings)


class TestCleanerDropsASetting(PlainCleaners):
    found_by = "test_every_setting_has_an_effect"

    def make(self, against_trusted="quarantine", **settings):
        CorpusCleaner(against_trusted=against_trusted, encoder=settings.get("encoder"))
        return super().make(**settings)


class TestCleanerDropsWhatItHides(PlainCleaners):
    found_by = "test_nothing_is_lost_or_changed"

    def clean(self, made, items):
        results = super().clean(made, items)
        logic = [item["metadata"].get("logic", {}) for item in items]
        return results[1:] if {"mine": 1} in logic else results


class KeepsVerdicts(PlainCleaner):
    def judged(self, item, screened):
        old = {"logic": item["metadata"]["logic"]} if "logic" in item["metadata"] else {}
        return {**super().judged(item, screened), **old}


class TestCleanerKeepsOldVerdicts(PlainCleaners):
    found_by = "test_an_earlier_verdict_is_replaced_and_not_read"
    kind = KeepsVerdicts


class TestCleanerFailsOnNothing(PlainCleaners):
    found_by = "test_no_items"

    def clean(self, made, items):
        assert items[0]
        return super().clean(made, items)


class TestAsynchronousCleanerDrifts(PlainCleaners):
    found_by = "test_asynchronous_cleaning_gives_the_same"

    async def aclean(self, made, items):
        return (await super().aclean(made, items))[::-1]


class TestCleanerBlocksTheLoop(PlainCleaners):
    found_by = "test_asynchronous_cleaning_leaves_the_event_loop_free"

    async def aclean(self, made, items):
        return self.clean(made, items)


class ChecksLate:
    def __init__(self, **settings):
        self.settings = settings

    def __call__(self, items):
        return PlainCleaner(**self.settings)(items)


class TestCleanerChecksLate(PlainCleaners):
    found_by = "test_bad_settings_fail_at_construction"
    kind = ChecksLate
