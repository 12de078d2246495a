"""Served searches are the library's own, and their limits hold."""

from __future__ import annotations

import pytest
from pydantic import ValidationError
from serving_examples import EITHER, PASSAGES, STATEMENT, WITHOUT_POOL

from logic_retrievers import ContradictionSearch, Engine, Expression, Passage, PassageIndex
from logic_retrievers.errors import (
    ConfigurationError,
    MissingVectorError,
    UnknownFieldWarning,
)
from logic_retrievers.fields import Number, Year
from logic_retrievers.judging import JudgeSettings, ModelJudge
from logic_retrievers.serving.base_request import MAX_CHARACTERS
from logic_retrievers.serving.rest import build_app
from logic_retrievers.serving.service import (
    REQUESTS,
    ContradictionRequest,
    ExpressionRequest,
    SearchRequest,
    SearchService,
)


def found(hits) -> list[tuple[str, float]]:
    return [(hit.passage.id, hit.score) for hit in hits]


async def answered(service, request) -> list[tuple[str, float]]:
    response = await service.answer(request)
    return [(passage.id, passage.score) for passage in response.passages]


async def test_every_search_is_the_librarys(service, index):
    """A server must rank exactly as the library does."""
    engine, against = Engine(index), ContradictionSearch(index)
    said = await answered(service, SearchRequest(query=WITHOUT_POOL, k=3))
    assert said == found(engine.search(WITHOUT_POOL, 3))
    assert said[0][0] == "sea"
    hard = SearchRequest(query="a hotel", exclude=["pool"], hard=True, filter={"city": "Bergen"})
    assert await answered(service, hard) == found(
        engine.search("a hotel", 5, exclude=["pool"], hard=True, filter={"city": "Bergen"})
    )
    said = await answered(service, ExpressionRequest(expression=EITHER, k=2))
    assert said == found(engine.search(Expression.parse(EITHER), 2))
    assert said[0][0] == "sea"
    said = await answered(service, ContradictionRequest(text=STATEMENT, k=1))
    assert said == found(against.search(STATEMENT, 1))
    assert said[0][0] == "inn"
    like = ContradictionRequest(passage_id="sea", min_probability=0.0, filter={"city": "Oslo"})
    assert await answered(service, like) == found(
        ContradictionSearch(index, min_probability=0.0).search_like(
            "sea", 5, filter={"city": "Oslo"}
        )
    )


class Model(ModelJudge):
    """Reads copper into every query, and a contradiction into passages of copper."""

    compares = True

    def __call__(self, pairs, /):
        return [float("copper" in text) for text, _ in pairs]

    def contradictions(self, pairs, /):
        return [float("copper" in f"{one} {other}") for one, other in pairs]


async def test_models_are_asked_by_every_search(index):
    """A server that drops a model ranks in silence as it did before."""
    for judge in (model := Model(), JudgeSettings(model)):
        service = SearchService(index, judge=judge)
        said = await answered(service, SearchRequest(query=WITHOUT_POOL))
        assert said == found(Engine(index, judge=judge).search(WITHOUT_POOL, 5))
        said = await answered(service, ContradictionRequest(text=STATEMENT))
        assert said == found(ContradictionSearch(index, judge=model).search(STATEMENT, 5))
        assert said != found(ContradictionSearch(index).search(STATEMENT, 5))
    service = SearchService(index, reranker=Model())
    said = await answered(service, SearchRequest(query="a hotel"))
    assert said == found(Engine(index, reranker=Model()).search("a hotel", 5))
    assert said[0][0] == "copper"
    # a judge that reads a query and a passage cannot compare passages
    service = SearchService(index, judge=lambda pairs: [1.0] * len(pairs))
    said = await answered(service, ContradictionRequest(text=STATEMENT, k=1))
    assert said == found(ContradictionSearch(index).search(STATEMENT, 1))


async def test_evidence_comes_on_request(service):
    """Evidence is several times as long as the passage, and an assistant pays for every word."""
    plain = (await service.answer(SearchRequest(query=WITHOUT_POOL))).passages[0]
    assert plain.evidence is None
    assert plain.reason
    request = SearchRequest(query=WITHOUT_POOL, explain=True)
    full = (await service.answer(request)).passages[0]
    assert full.evidence["scores"].keys() >= {"topical"}
    assert full.evidence["details"]["judge"]


async def test_a_filter_on_a_field_that_no_passage_has_is_said(service):
    """An assistant believes an empty list."""
    asked = SearchRequest(query="x", filter={"town": "Oslo", "city": "x"})
    with pytest.warns(UnknownFieldWarning, match="town"):  # once per server
        notes = [(await service.answer(asked)).note for _ in range(2)]
    assert notes == ["no passage has a text in the field 'town', which the filter asks for"] * 2
    assert (await service.answer(SearchRequest(query="x", filter={"city": "x"}))).note is None
    assert (await service.answer(SearchRequest(query="x"))).note is None


def test_declared_fields_are_described(index):
    """An assistant cannot compare a field that it does not know."""
    cities = [f"City {number}" for number in range(1000)]
    fields = {"price": Number(unit="EUR"), "built": Year(), "city": cities}
    service = SearchService(index, fields=fields)
    described = {name: service.describe(request) for name, request in REQUESTS.items()}
    said = "price: number in EUR; built: year; city: one of City 0, City 1,"
    for name in ("search", "search_expression", "contradictions"):
        assert said in described[name]
        assert len(described[name]) < 600
        assert ("read from the query" in described[name]) == (name == "search")
    assert "price" not in described["check_conflicts"]
    plain = SearchService(index).describe(SearchRequest)
    assert plain == SearchRequest.__doc__
    described = build_app(service).openapi()["paths"]["/search"]["post"]["description"]
    assert said in described


async def test_passages_are_searched_as_of_a_date():
    """An assistant would quote a rule that no longer holds."""
    text = "Entry to the museum costs {} euros."
    old = Passage("old", text.format(4), {"since": "2019-01-01", "till": "2024-01-01"})
    new = Passage("new", text.format(6), {"since": "2024-01-01"})
    with PassageIndex.open(vectors=("topical", "compatibility", "contradiction")) as index:
        index.add([old, new])
        service = SearchService(index, validity=("since", "till"))
        for as_of, ids in ((None, {"new"}), ("2020-05", {"old"}), ("any", {"old", "new"})):
            for request in (
                SearchRequest(query="price of entry", as_of=as_of),
                ExpressionRequest(expression='"price of entry"', as_of=as_of),
                ContradictionRequest(text=text.format(5), as_of=as_of),
            ):
                assert {name for name, _ in await answered(service, request)} == ids
        like = ContradictionRequest(passage_id="new", as_of="2020-05")
        assert [name for name, _ in await answered(service, like)] == ["old"]
        with pytest.raises(ConfigurationError, match="as_of"):
            await service.answer(SearchRequest(query="x", as_of="yesterday"))
        described = {name: service.describe(request) for name, request in REQUESTS.items()}
    told = [name for name, text in described.items() if "'since'" in text and "as_of" in text]
    assert told == ["search", "search_expression", "contradictions"]


@pytest.mark.parametrize(
    ("model", "values"),
    [
        (SearchRequest, {"query": ""}),
        (SearchRequest, {"query": "x", "top_k": 3}),
        (SearchRequest, {"query": "x", "hard": "no"}),
        (ExpressionRequest, {"expression": "x" * (MAX_CHARACTERS + 1)}),
        (ContradictionRequest, {"text": "x", "passage_id": "y"}),
        (ContradictionRequest, {"text": "x", "min_probability": 2}),
    ],
)
def test_what_is_over_a_limit_or_unknown_is_refused(model, values):
    """Ignoring a misspelt field would return the wrong passages."""
    with pytest.raises(ValidationError):
        model(**values)


async def test_what_the_collection_cannot_answer_is_said():
    """The message names the method that fixes it."""
    with PassageIndex.open() as index:
        service = SearchService(index)
        assert "holds no passage" in (await service.answer(SearchRequest(query="x"))).note
        index.add(PASSAGES)
        with pytest.raises(MissingVectorError, match=r"index\.backfill\(\['contradiction'\]\)"):
            await service.answer(ContradictionRequest(text="x"))
        with pytest.raises(ConfigurationError, match="'auto' or 'boolean'"):
            await SearchService(index, "topical").answer(ExpressionRequest(expression="x"))
