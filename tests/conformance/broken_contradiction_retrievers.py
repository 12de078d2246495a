"""Retrievers of contradictions with one fault each; `found_by` names the test that must find it."""

from __future__ import annotations

from plain import PlainContradictionRetrievers, PlainOpponents

from logic_retrievers.errors import EmptyTextError, MissingVectorError


class TestOpponentsDropASetting(PlainContradictionRetrievers):
    found_by = "test_gives_what_the_core_gives"

    def make(self, index, filter=None, **settings):  # noqa: A002
        return super().make(index, **settings)


class TestOpponentsGiveTheStatement(PlainContradictionRetrievers):
    found_by = "test_the_statement_itself_is_left_out"

    def retrieve(self, retriever, statement):
        results = super().retrieve(retriever, statement)
        return [results[0], results[0], *results]


class TestAsynchronousOpponentsDrift(PlainContradictionRetrievers):
    found_by = "test_asynchronous_retrieval_gives_the_same"

    async def aretrieve(self, retriever, statement):
        return (await super().aretrieve(retriever, statement))[1:]


class TestOpponentsBlockTheLoop(PlainContradictionRetrievers):
    found_by = "test_asynchronous_retrieval_leaves_the_event_loop_free"

    async def aretrieve(self, retriever, statement):
        return self.retrieve(retriever, statement)


class TestOpponentsTellNoEvidence(PlainContradictionRetrievers):
    found_by = "test_evidence_stands_under_one_key"

    def plain(self, hits):
        results = super().plain(hits)
        for result in results:
            result.metadata["logic"]["details"].pop("probability")
        return results


class Remembers(PlainOpponents):
    def __call__(self, statement):
        if not hasattr(self, "found"):
            self.found = super().__call__(statement)
        return self.found


class TestOpponentsShareResults(PlainContradictionRetrievers):
    found_by = "test_results_are_the_callers_own"

    def retrieve(self, retriever, statement):
        if not hasattr(retriever, "given"):
            retriever.given = super().retrieve(retriever, statement)
        return retriever.given


class TestOpponentsOfYesterday(PlainContradictionRetrievers):
    found_by = "test_what_comes_later_is_found"
    kind = Remembers


class Lenient(PlainOpponents):
    def __call__(self, statement):
        try:
            return super().__call__(statement)
        except (EmptyTextError, MissingVectorError):
            return []


class TestOpponentsTakeNothing(PlainContradictionRetrievers):
    found_by = "test_an_empty_statement_is_refused"
    kind = Lenient


class TestOpponentsWithoutTheVector(PlainContradictionRetrievers):
    found_by = "test_a_collection_without_the_vector_is_refused"
    kind = Lenient


class ChecksLate:
    def __init__(self, index, **settings):
        self.index, self.settings = index, settings

    def __call__(self, statement):
        return PlainOpponents(self.index, **self.settings)(statement)


class TestOpponentsCheckLate(PlainContradictionRetrievers):
    found_by = "test_bad_settings_fail_at_construction"
    kind = ChecksLate
