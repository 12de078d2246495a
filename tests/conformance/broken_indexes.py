"""Indexes with one fault each; `found_by` names the test that must find it."""

from __future__ import annotations

import itertools
import unicodedata
from dataclasses import replace

import numpy as np
import pytest
from suites import IndexConformance

from logic_retrievers import Passage, PassageIndex


class BrokenIndexes(IndexConformance):
    kind = PassageIndex

    @pytest.fixture
    def open_index(self):
        opened = []

        def open_index(encoder):
            opened.append(self.kind.open("conformance", encoder))
            return opened[-1]

        yield open_index
        for index in opened:
            index.close()


class FiltersLate(PassageIndex):
    def find_candidates(self, queries, filter=None, must_not=None):  # noqa: A002
        pools = yield from super().find_candidates(queries, None, must_not)
        if filter is not None:
            admitted = yield from super().find_candidates(queries, filter, must_not)
            keep = [set(pool.ids) for pool in admitted]
            for at, pool in enumerate(pools):
                rows = [n for n, one in enumerate(pool.ids) if one in keep[at]]
                pools[at] = type(pool)(
                    tuple(pool.ids[n] for n in rows),
                    {name: scores[rows] for name, scores in pool.scores.items()},
                )
        return pools


class TestIndexFiltersLate(BrokenIndexes):
    found_by = "test_k_holds_under_a_filter"
    kind = FiltersLate


class Scales(PassageIndex):
    def find_candidates(self, queries, filter=None, must_not=None):  # noqa: A002
        pools = yield from super().find_candidates(queries, filter, must_not)
        return [
            type(pool)(pool.ids, {name: s * 0.999 for name, s in pool.scores.items()})
            for pool in pools
        ]


class TestScoresAreScaled(BrokenIndexes):
    found_by = "test_topical_search_is_exact"
    kind = Scales


class TestOrdersOtherwise(BrokenIndexes):
    found_by = "test_policies_order_as_in_memory"
    kind = Scales


class Forgets(PassageIndex):
    def add(self, passages, **settings):
        plain = [Passage(p.id, p.text, p.metadata, p.source, p.span) for p in passages]
        return super().add(plain, **settings)


class TestForgetsFields(BrokenIndexes):
    found_by = "test_what_goes_in_comes_out"
    kind = Forgets


class TestForgetsTheEmbeddedText(BrokenIndexes):
    found_by = "test_the_embedded_text_is_searched"
    kind = Forgets


class ChangesWhatItGets(PassageIndex):
    """`change` makes other passages of those that are to be stored."""

    def change(self, passages):
        return passages

    def add(self, passages, **settings):
        return super().add(self.change(list(passages)), **settings)


class Normalises(ChangesWhatItGets):
    def change(self, passages):
        return [replace(p, id=unicodedata.normalize("NFC", p.id)) for p in passages]


class TestChangesIds(BrokenIndexes):
    found_by = "test_ids_of_any_form"
    kind = Normalises


class KeepsTheFirst(ChangesWhatItGets):
    def change(self, passages):
        return [p for p in passages if not self.get([p.id])]


class TestKeepsTheFirst(BrokenIndexes):
    found_by = "test_the_same_id_is_replaced"
    kind = KeepsTheFirst


class TakesTheLast(ChangesWhatItGets):
    def change(self, passages):
        return {p.id: p for p in passages}.values()


class TestTakesTheLastOfTwo(BrokenIndexes):
    found_by = "test_one_id_once_in_a_call"
    kind = TakesTheLast


class ForgetsSources(ChangesWhatItGets):
    def change(self, passages):
        return [replace(p, source=None) for p in passages]


class TestForgetsSources(BrokenIndexes):
    found_by = "test_a_source_that_comes_again_loses_what_it_has_no_more"
    kind = ForgetsSources


class LeavesOut(ChangesWhatItGets):
    def change(self, passages):
        return [p for p in passages if p.text.strip()]


class TestLeavesOutBlankTexts(BrokenIndexes):
    found_by = "test_a_passage_without_text_is_left_out"
    kind = LeavesOut


class Mixes(PassageIndex):
    def find_candidates(self, queries, filter=None, must_not=None):  # noqa: A002
        pools = yield from super().find_candidates(queries, filter, must_not)
        return pools[::-1]


class TestMixesAnswers(BrokenIndexes):
    found_by = "test_many_queries_at_once"
    kind = Mixes


class ChangesHits(PassageIndex):
    """`change` makes other hits of a search's."""

    def run(self, procedure):
        results = super().run(procedure)
        searched = isinstance(results, list) and results and isinstance(results[0], list)
        return [self.change(hits) for hits in results] if searched else results


class TellsNumpy(ChangesHits):
    def change(self, hits):
        return [replace(hit, score=np.float32(hit.score)) for hit in hits]


class TestIndexTellsNumpy(BrokenIndexes):
    found_by = "test_evidence_survives_json"
    kind = TellsNumpy


class FindsTwice(ChangesHits):
    def change(self, hits):
        return [hit for hit in hits for _ in range(2)]


class TestFindsTwice(BrokenIndexes):
    found_by = "test_a_passage_comes_once"
    kind = FindsTwice


class Careful(PassageIndex):
    def add(self, passages, **settings):
        passages = list(passages)
        self.delete([passage.id for passage in passages])
        return super().add(passages, **settings)


class TestAlwaysEncodes(BrokenIndexes):
    found_by = "test_what_is_unchanged_is_not_encoded_again"
    kind = Careful


class Sorts(PassageIndex):
    def get(self, ids):
        return sorted(super().get(ids), key=lambda passage: passage.id)

    def scroll(self, filter=None, *, page_size=256):  # noqa: A002
        return itertools.islice(super().scroll(None, page_size=page_size), 39)

    async def acount(self, filter=None):  # noqa: A002
        return await super().acount()

    async def aadd(self, passages, **settings):
        return self.add(passages, **settings)

    def delete(self, ids=None, **by):
        for passage in list(super().scroll()):
            super().delete([passage.id])
        return 1


class TestSortsWhatItGets(BrokenIndexes):
    found_by = "test_get_keeps_the_order_and_leaves_out_who_is_missing"
    kind = Sorts


class TestLosesTheLastPage(BrokenIndexes):
    found_by = "test_walking_through_meets_everybody_once"
    kind = Sorts


class TestForgetsTheFilter(BrokenIndexes):
    found_by = "test_filters"
    kind = Sorts


class TestTwinsOfTheIndexDrift(BrokenIndexes):
    found_by = "test_asynchronous_twins_do_the_same"
    kind = Sorts


class TestIndexBlocksTheLoop(BrokenIndexes):
    found_by = "test_asynchronous_calls_leave_the_event_loop_free"
    kind = Sorts


class TestDeletesTooMuch(BrokenIndexes):
    found_by = "test_delete"
    kind = Sorts
