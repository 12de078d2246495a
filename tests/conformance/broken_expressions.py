"""Readers of expressions with one fault each; `found_by` names the test that must find it."""

from __future__ import annotations

from plain import PlainReader, PlainReaders, evidence_of_hit
from suites import Retrieved

from logic_retrievers import Engine, Expression
from logic_retrievers.errors import ExpressionError


class ReadsWords(PlainReader):
    def read(self, query):
        super().read(query)
        return query


class TestSearchesForThePhrase(PlainReaders):
    found_by = "test_an_expression_is_read_as_one"
    kind = ReadsWords


class ReadsWordsAsynchronously(PlainReader):
    async def acall(self, query):
        return await Engine(self.index, self.policy).asearch(query, 5)


class TestAsynchronousReaderDrifts(PlainReaders):
    found_by = "test_asynchronous_calls_read_it_too"
    kind = ReadsWordsAsynchronously


class TestTellsNoVerdicts(PlainReaders):
    found_by = "test_evidence_tells_of_every_atom"

    def plain(self, hits):
        results = [
            Retrieved(h.passage.id, h.passage.text, h.score, evidence_of_hit(h)) for h in hits
        ]
        for result in results:
            result.metadata["logic"].pop("details")
        return results


class Guesses(PlainReader):
    def read(self, query):
        return Expression.parse(query) if " AND " in query else super().read(query)


class TestReadsWhatNobodyCalledAnExpression(PlainReaders):
    found_by = "test_words_stay_words"
    kind = Guesses


class FallsBack(PlainReader):
    def read(self, query):
        try:
            return super().read(query)
        except ExpressionError:
            return query


class TestFallsBackToWords(PlainReaders):
    found_by = "test_what_is_no_expression_is_refused"
    kind = FallsBack


class Trusting(PlainReader):
    def __init__(self, index, policy="auto", query_syntax="words"):
        self.index, self.policy, self.syntax = index, policy, query_syntax


class TestChecksTheSyntaxLate(PlainReaders):
    found_by = "test_syntaxes_that_cannot_work_fail_at_construction"
    kind = Trusting
