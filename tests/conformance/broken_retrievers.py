"""Retrievers with one fault each; `found_by` names the test that must find it."""

from __future__ import annotations

import numpy as np
from plain import PlainRetriever, PlainRetrievers

from logic_retrievers import Passage
from logic_retrievers.errors import EmptyTextError


class TestDropsItsK(PlainRetrievers):
    found_by = "test_k_as_a_setting"

    def make(self, index, k=4, **settings):
        return super().make(index, k=4 if isinstance(k, int) and k > 0 else k, **settings)


class TestDropsOverrides(PlainRetrievers):
    found_by = "test_settings_for_a_single_call"

    def retrieve(self, retriever, query, **overrides):
        return super().retrieve(retriever, query)


class TestDropsAsynchronousOverrides(PlainRetrievers):
    found_by = "test_asynchronous_settings_for_a_single_call"

    async def aretrieve(self, retriever, query, **overrides):
        return await super().aretrieve(retriever, query)


class TestFiltersAfterwards(PlainRetrievers):
    found_by = "test_k_holds_after_filtering"

    def retrieve(self, retriever, query, **overrides):
        settings = {**retriever.settings, **overrides}
        admitted = {p.id for p in retriever.index.scroll(settings.pop("filter", None))}
        results = PlainRetriever(retriever.index, **settings)(query)
        return self.plain([result for result in results if result[0].id in admitted])


class TestCutsByAnotherScore(PlainRetrievers):
    found_by = "test_min_score"

    def retrieve(self, retriever, query, **overrides):
        lowest = retriever.settings["min_score"]
        results = PlainRetriever(retriever.index, k=retriever.settings["k"])(query)
        return [r for r in self.plain(results) if lowest is None or 1 / r.metadata["logic"]["rank"]]


class TestDropsWhatIsExcluded(PlainRetrievers):
    found_by = "test_what_is_excluded_by_name"

    def make(self, index, exclude=(), hard=False, **settings):
        return super().make(index, **settings)


class TestBlocksTheLoop(PlainRetrievers):
    found_by = "test_asynchronous_retrieval_leaves_the_event_loop_free"

    async def aretrieve(self, retriever, query, **overrides):
        return self.retrieve(retriever, query, **overrides)


class TestAsynchronousTwinDrifts(PlainRetrievers):
    found_by = "test_asynchronous_retrieval_gives_the_same"

    async def aretrieve(self, retriever, query, **overrides):
        return (await super().aretrieve(retriever, query, **overrides))[:-1]


class TestChangesOrdinarySearches(PlainRetrievers):
    found_by = "test_without_a_constraint_it_is_plain_search"

    def make(self, index, policy="auto", **settings):
        return super().make(index, policy="union" if policy == "auto" else policy, **settings)


class TestHasLogicOfItsOwn(PlainRetrievers):
    found_by = "test_gives_what_the_engine_gives"

    def plain(self, results):
        return sorted(super().plain(results), key=lambda one: (-len(one.text), one.id))


class TestDeduplicatesByContent(PlainRetrievers):
    found_by = "test_one_result_for_each_id"

    def plain(self, results):
        return list({result.text: result for result in super().plain(results)}.values())


class TestTellsNoEvidence(PlainRetrievers):
    found_by = "test_evidence_stands_under_one_key"

    def plain(self, results):
        for *_, metadata in results:
            del metadata["logic"]
        return super().plain(results)


class TestTellsNumpy(PlainRetrievers):
    found_by = "test_evidence_stands_under_one_key"

    def plain(self, results):
        for *_, metadata in results:
            metadata["logic"]["score"] = np.float32(metadata["logic"]["score"])
        return super().plain(results)


class TestSharesItsResults(PlainRetrievers):
    found_by = "test_results_are_the_callers_own"

    def retrieve(self, retriever, query, **overrides):
        kept = retriever.__dict__.setdefault("kept", {})
        results = super().retrieve(retriever, query, **overrides)
        return [kept.setdefault((query, result.id), result) for result in results]


class TestStoresTheEvidence(PlainRetrievers):
    found_by = "test_what_is_stored_stays_as_it_is"

    def retrieve(self, retriever, query, **overrides):
        results = super().retrieve(retriever, query, **overrides)
        retriever.index.add(
            [Passage(result.id, result.text, result.metadata) for result in results]
        )
        return results


class TestAnswersFromYesterday(PlainRetrievers):
    found_by = "test_what_comes_later_is_found"

    def retrieve(self, retriever, query, **overrides):
        kept = retriever.__dict__.setdefault("kept", {})
        if query not in kept:
            kept[query] = super().retrieve(retriever, query, **overrides)
        return kept[query]


class TestSwallowsErrors(PlainRetrievers):
    found_by = "test_an_empty_query_is_refused"

    def retrieve(self, retriever, query, **overrides):
        try:
            return super().retrieve(retriever, query, **overrides)
        except EmptyTextError:
            return []


class TestChecksLate(PlainRetrievers):
    found_by = "test_bad_settings_fail_at_construction"

    def make(self, index, **settings):
        return lambda query, **more: PlainRetriever(index, **settings)(query, **more)
