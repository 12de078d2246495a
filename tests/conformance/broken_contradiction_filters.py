"""Filters with one fault each; `found_by` names the test that must find it."""

from __future__ import annotations

from plain import PlainFilter, PlainFilters

from logic_retrievers import Passage


class TestFilterIgnoresThePolicy(PlainFilters):
    found_by = "test_keeps_what_the_core_keeps"

    def make(self, resolution="annotate", **settings):
        resolution = "drop_both" if resolution == "prefer_majority" else resolution
        return super().make(resolution=resolution, **settings)


class TestFilterCutsBeforeItFilters(PlainFilters):
    found_by = "test_top_n_is_filled_up"

    def make(self, top_n=None, **settings):
        made = super().make(**settings)
        made.top_n = top_n
        made.passages = lambda items: PlainFilter.passages(made, items)[:top_n]
        return made


class TestFilterForgetsTheTrusted(PlainFilters):
    found_by = "test_trusted_items_judge"

    def make(self, trusted=(), **settings):
        return super().make(**settings)


class TestFilterPicksNobody(PlainFilters):
    found_by = "test_trusted_ones_are_picked_by_their_metadata"

    def make(self, trusted_filter=None, index=None, **settings):
        if index is not None:
            settings |= {"index": index, "trusted_filter": trusted_filter}
        return super().make(**settings)


class TestFilterDropsASetting(PlainFilters):
    found_by = "test_every_setting_has_an_effect"

    def make(self, against_trusted="drop", **settings):
        return super().make(**settings)


class TestFilterAnnotatesWhatGoesIn(PlainFilters):
    found_by = "test_what_goes_in_stays_as_it_is"

    def filter(self, made, items):
        results = super().filter(made, items)
        for item in items:
            item["metadata"]["logic"] = {"score": 0.0}
        return results


class TestFilterHandsOutWhatGoesIn(PlainFilters):
    found_by = "test_results_are_the_callers_own"

    def filter(self, made, items):
        results = super().filter(made, items)
        for result in results:
            for item in items:
                if item["id"] == result.id:
                    object.__setattr__(result, "metadata", item["metadata"])
        return results


class TestFilterFailsOnNothing(PlainFilters):
    found_by = "test_no_items"

    def filter(self, made, items):
        assert items[0]
        return super().filter(made, items)


class NeedsIds(PlainFilter):
    def passages(self, items):
        return super().passages([item for item in items if item["id"]])


class TestFilterLosesThoseWithoutId(PlainFilters):
    found_by = "test_items_without_an_id_are_all_kept"
    kind = NeedsIds


class KeysById(PlainFilter):
    def passages(self, items):
        by_id = {passage.id: passage for passage in super().passages(items)}
        return list(by_id.values())


class TestFilterKeysById(PlainFilters):
    found_by = "test_different_items_of_one_id_are_all_kept"
    kind = KeysById


class MakesIds(PlainFilter):
    def passages(self, items):
        return [Passage(f"{at}", item["text"], item["metadata"]) for at, item in enumerate(items)]


class TestFilterCountsEqualIdsTwice(PlainFilters):
    found_by = "test_equal_ids_count_once"
    kind = MakesIds


class TestAsynchronousFilterDrifts(PlainFilters):
    found_by = "test_asynchronous_filtering_gives_the_same"

    async def afilter(self, made, items):
        return (await super().afilter(made, items))[::-1]


class TestFilterBlocksTheLoop(PlainFilters):
    found_by = "test_asynchronous_filtering_leaves_the_event_loop_free"

    async def afilter(self, made, items):
        return self.filter(made, items)


class TestFilterTellsNoEvidence(PlainFilters):
    found_by = "test_evidence_stands_under_one_key"

    def plain(self, hits):
        results = super().plain(hits)
        for result in results:
            result.metadata["logic"].pop("reason")
        return results


class ReadsMetadata(PlainFilter):
    def passages(self, items):
        return [
            Passage(p.id, p.text, p.metadata, embed_text=f"{p.text} {item['metadata']['logic']}")
            for p, item in zip(super().passages(items), items, strict=True)
        ]


class TestFilterReadsOldEvidence(PlainFilters):
    found_by = "test_evidence_of_an_earlier_step_is_replaced_and_not_read"
    kind = ReadsMetadata


class TestFilterEncodesWhatIsStored(PlainFilters):
    found_by = "test_a_collection_lends_its_vectors_and_its_trusted_passages"

    def make(self, index=None, encoder=None, **settings):
        return super().make(encoder=encoder or index.encoder, **settings)


class ChecksLate:
    def __init__(self, **settings):
        self.settings = settings

    def __call__(self, items):
        return PlainFilter(**self.settings)(items)


class TestFilterChecksLate(PlainFilters):
    found_by = "test_bad_settings_fail_at_construction"
    kind = ChecksLate
