"""Rerankers with one fault each; `found_by` names the test that must find it."""

from __future__ import annotations

from plain import PlainReranker, PlainRerankers
from suites.sample_passages import PLAIN

from logic_retrievers import Passage


class TestLeavesTheOrder(PlainRerankers):
    found_by = "test_any_order_of_the_items_gives_the_same"

    def rerank(self, reranker, query, items):
        place = {item["id"]: at for at, item in enumerate(items)}
        return sorted(super().rerank(reranker, query, items), key=lambda one: place[one.id])


class TestIgnoresThePolicy(PlainRerankers):
    found_by = "test_orders_as_the_core_does"

    def make(self, policy="auto", **settings):
        return super().make(policy="topical" if policy == "union" else policy, **settings)


class TestDropsTopN(PlainRerankers):
    found_by = "test_top_n"

    def make(self, top_n=None, **settings):
        return super().make(**settings)


class TestRerankerDropsWhatIsExcluded(PlainRerankers):
    found_by = "test_what_is_excluded_by_name"

    def make(self, exclude=(), hard=False, **settings):
        return super().make(**settings)


class TestAnnotatesWhatGoesIn(PlainRerankers):
    found_by = "test_what_goes_in_stays_as_it_is"

    def rerank(self, reranker, query, items):
        results = super().rerank(reranker, query, items)
        for item in items:
            item["metadata"]["logic"] = {"score": 0.0}
        return results


class TestHandsOutWhatGoesIn(PlainRerankers):
    found_by = "test_results_are_the_callers_own"

    def rerank(self, reranker, query, items):
        results = super().rerank(reranker, query, items)
        for result in results:
            for item in items:
                if item["id"] == result.id:
                    object.__setattr__(result, "metadata", item["metadata"])
        return results


class TestFailsOnNothing(PlainRerankers):
    found_by = "test_no_items"

    def rerank(self, reranker, query, items):
        assert items[0]
        return super().rerank(reranker, query, items)


class NeedsIds(PlainReranker):
    def passages(self, items):
        return super().passages([item for item in items if item["id"]])


class TestLosesThoseWithoutId(PlainRerankers):
    found_by = "test_items_without_an_id_are_all_kept"
    kind = NeedsIds


class KeysById(PlainReranker):
    def passages(self, items):
        by_id = {passage.id: passage for passage in super().passages(items)}
        return list(by_id.values())


class TestRerankerKeysById(PlainRerankers):
    found_by = "test_different_items_of_one_id_are_all_kept"
    kind = KeysById


class TestRerankerReadsTwice(PlainRerankers):
    found_by = "test_items_that_are_read_once_are_all_ordered"

    def rerank(self, reranker, query, items):
        assert list(items) or True
        return super().rerank(reranker, query, items)


class ReadsNoExclusion(PlainReranker):
    def __init__(self, policy=None, **settings):
        super().__init__(policy or "auto", **settings)
        self.is_default = policy is None

    def __call__(self, query, items):
        return super().__call__(PLAIN if self.is_default else query, items)


class TestRerankerReadsNoExclusion(PlainRerankers):
    found_by = "test_the_default_policy_reads_what_a_query_excludes"
    kind = ReadsNoExclusion


class MakesIds(PlainReranker):
    def passages(self, items):
        return [Passage(f"{at}", item["text"], item["metadata"]) for at, item in enumerate(items)]


class TestCountsEqualIdsTwice(PlainRerankers):
    found_by = "test_equal_ids_count_once"
    kind = MakesIds


class TestRerankerDeduplicatesByContent(PlainRerankers):
    found_by = "test_equal_texts_of_different_ids_are_all_kept"

    def plain(self, hits):
        return list({hit.text: hit for hit in super().plain(hits)}.values())


class ReadsMetadata(PlainReranker):
    def passages(self, items):
        return [
            Passage(p.id, p.text, p.metadata, embed_text=f"{p.text} {p.metadata}")
            for p in super().passages(items)
        ]


class TestReadsOldEvidence(PlainRerankers):
    found_by = "test_evidence_of_an_earlier_step_is_replaced_and_not_read"
    kind = ReadsMetadata


class TestEncodesWhatIsStored(PlainRerankers):
    found_by = "test_stored_vectors_are_used"

    def make(self, index=None, encoder=None, **settings):
        return super().make(encoder=encoder or index.encoder, **settings)


class TestRerankerBlocksTheLoop(PlainRerankers):
    found_by = "test_asynchronous_reranking_leaves_the_event_loop_free"

    async def arerank(self, reranker, query, items):
        return self.rerank(reranker, query, items)


class TestAsynchronousRerankerDrifts(PlainRerankers):
    found_by = "test_asynchronous_reranking_gives_the_same"

    async def arerank(self, reranker, query, items):
        return (await super().arerank(reranker, query, items))[::-1]


class TestRerankerTellsNoEvidence(PlainRerankers):
    found_by = "test_evidence_stands_under_one_key"

    def plain(self, hits):
        results = super().plain(hits)
        for result in results:
            result.metadata["logic"].pop("ranks")
        return results


class ChecksLate:
    def __init__(self, **settings):
        self.settings = settings

    def __call__(self, query, items):
        return PlainReranker(**self.settings)(query, items)


class TestRerankerChecksLate(PlainRerankers):
    found_by = "test_bad_settings_fail_at_construction"
    kind = ChecksLate
