"""The searches and checks, requests and responses, for every protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from inspect import cleandoc
from textwrap import shorten
from types import MappingProxyType
from typing import Any, Self, TypeAlias

from pydantic import BaseModel, Field, model_validator

from logic_retrievers.conflicts import ContradictionSearch
from logic_retrievers.conflicts.pair_judge import AnyPairJudge
from logic_retrievers.errors import LogicRetrieversError, MissingVectorError
from logic_retrievers.fields import Declared, describe_field
from logic_retrievers.index import PassageIndex
from logic_retrievers.index.unknown_fields import describe
from logic_retrievers.judging.model_judge import ModelJudge
from logic_retrievers.judging.settings import AnyJudge, JudgeSettings
from logic_retrievers.ranking.query_input import AnyPolicy, Hard, read_query
from logic_retrievers.search import Engine
from logic_retrievers.serving.base_request import BaseRequest, Probability, Text
from logic_retrievers.serving.conflict_check import (
    ConflictCheck,
    ConflictCheckRequest,
    ConflictCheckResponse,
)
from logic_retrievers.types import Hit
from logic_retrievers.validity import Validity

VERSION = version("logic-retrievers")
# maximum passages in a response
MAX_K = 100
# maximum characters that describe a declared field
MAX_DESCRIPTION = 200


class _PassagesRequest(BaseRequest):
    k: int = Field(5, ge=1, le=MAX_K, strict=True, description="Number of passages.")
    filter: dict[str, Any] | None = Field(
        None,
        description="Only passages with this metadata: a value, a list of values, a range, any"
        " other value, or null for a field that is absent. Dates are ISO 8601."
        ' {"city": ["Oslo", "Bergen"], "year": {"gte": 2020}, "until": {"lt": "2026-01-31"},'
        ' "state": {"not": "draft"}}.',
    )
    as_of: Text | None = Field(
        None,
        description="Only passages that are valid at this time: an ISO 8601 date or time, or 'any'."
        " By default those that are valid now. Needs declared validity.",
    )
    explain: bool = Field(
        False, description="Return all evidence: scores, ranks, thresholds, the judge's verdict."
    )


class SearchRequest(_PassagesRequest):
    """Finds passages for a query in plain language, and respects what the query rules out."""

    query: Text = Field(description="For example: a hotel by the sea without a pool.")
    exclude: list[str] = Field([], description="Further texts to rule out.")
    hard: Hard = Field(
        False,
        description="Leave out passages that name an excluded text; a judge that is sure overrules"
        " the words, both ways. 'words': by words alone.",
    )


class ExpressionRequest(_PassagesRequest):
    """Finds passages for texts that are joined by AND, OR, NOT and parentheses."""

    expression: Text = Field(
        description='Each text in quotation marks: "orchids of Asia" AND NOT "orchids of Java".'
    )


class ContradictionRequest(_PassagesRequest):
    """Finds the passages that most contradict a statement, or a stored passage."""

    text: Text | None = Field(None, description="A statement; a question contradicts nothing.")
    passage_id: Text | None = Field(None, description="Id of a stored passage, in place of a text.")
    min_probability: Probability | None = Field(
        None, description="Only passages that contradict it with at least this probability."
    )

    @model_validator(mode="after")
    def _check_one_given(self) -> Self:
        if (self.text is None) == (self.passage_id is None):
            raise ValueError("give either text or passage_id")
        return self


PassagesRequest: TypeAlias = SearchRequest | ExpressionRequest | ContradictionRequest
Request: TypeAlias = PassagesRequest | ConflictCheckRequest

REQUESTS: Mapping[str, type[Request]] = MappingProxyType(
    {
        "search": SearchRequest,
        "search_expression": ExpressionRequest,
        "contradictions": ContradictionRequest,
        "check_conflicts": ConflictCheckRequest,
    }
)


class FoundPassage(BaseModel):
    """A passage, and why it has its rank."""

    id: str
    rank: int
    score: float = Field(description="Score under the policy; comparable within one response.")
    text: str
    metadata: dict[str, Any]
    source: str | None = Field(None, description="The document that the passage was cut from.")
    reason: str
    evidence: dict[str, Any] | None = Field(None, description="Present where `explain` is true.")


class SearchResponse(BaseModel):
    """The passages, best first."""

    passages: list[FoundPassage]
    note: str | None = Field(None, description="Reason why nothing was found, where it is known.")


class Health(BaseModel):
    """Says that the service and its collection answer."""

    status: str = "ok"
    version: str = VERSION
    passages: int


class SearchService:
    """Answers requests from one index, which it does not close.

    Args:
        index: collection to search.
        policy: policy of the searches. Expressions need a policy that reads them, such as ``auto``.
        fields: fields of the :class:`Engine`; clients read of them in the descriptions.
        validity: validity of the :class:`Engine`, of searches for contradictions and of checks for
            conflicts; described to clients, too.
        judge: judge of the :class:`Engine`. A model that compares passages also reads the
            candidates of a search for contradictions, and the pairs of a check for conflicts. With
            another judge the package's cross-encoder reads these pairs, with None no model does.
        reranker: reranker of the :class:`Engine`.
    """

    def __init__(
        self,
        index: PassageIndex,
        policy: AnyPolicy = "auto",
        *,
        fields: Mapping[str, Any] | None = None,
        validity: Validity | None = None,
        judge: AnyJudge = "auto",
        reranker: AnyJudge = None,
    ) -> None:
        self.index = index
        self._engine = Engine(
            index, policy, fields=fields, validity=validity, judge=judge, reranker=reranker
        )
        own = judge.judge if isinstance(judge, JudgeSettings) else judge
        self._pair_judge = own if isinstance(own, ModelJudge) and own.compares else None
        pair_judge: AnyPairJudge = self._pair_judge
        if pair_judge is None and own is not None:
            pair_judge = "auto"
        self._conflicts = ConflictCheck(index, pair_judge, self._engine.validity)

    def describe(self, request: type[Request]) -> str:
        """Describe a request to a client, with the declared fields that it may compare."""
        description = cleandoc(request.__doc__ or "")
        if issubclass(request, ConflictCheckRequest):
            return description
        if fields := self._engine.fields:
            listed = "; ".join(f"{name}: {_described(field)}" for name, field in fields.items())
            description += f" Fields of the passages, for `filter`: {listed}."
            if issubclass(request, SearchRequest):
                description += " Comparisons with these are read from the query, too."
        if validity := self._engine.validity:
            start, end = validity
            description += (
                f" Passages are valid from the date in {start!r} until the date in {end!r}; `as_of`"
                " asks for those of another time than now."
            )
        return description

    async def health(self) -> Health:
        """Ask the collection for an answer; raise one of the package's errors without one."""
        return Health(passages=await self.index.acount())

    async def check_conflicts(self, request: ConflictCheckRequest) -> ConflictCheckResponse:
        """Find the conflicts of a request, or raise one of the package's errors."""
        return await self._conflicts.check(request)

    async def answer(self, request: PassagesRequest) -> SearchResponse:
        """Run a search, or raise one of the package's errors."""
        match request:
            case SearchRequest(query=query):
                hits = await self._engine.asearch(
                    query,
                    request.k,
                    filter=request.filter,
                    exclude=request.exclude,
                    hard=request.hard,
                    as_of=request.as_of,
                )
            case ExpressionRequest(expression=text):
                expression = read_query(text, "expression", self._engine.policy)
                hits = await self._engine.asearch(
                    expression, request.k, filter=request.filter, as_of=request.as_of
                )
            case ContradictionRequest():
                hits = await self._find_contradictions(request)
        note = None if hits else await self._explain_nothing(request)
        return SearchResponse(passages=[_found(hit, request.explain) for hit in hits], note=note)

    async def _explain_nothing(self, request: PassagesRequest) -> str | None:
        if not await self.index.acount():
            return f"collection {self.index.collection!r} holds no passage: index some first"
        unknown = await self.index.aunknown_fields(request.filter)
        return describe(unknown) if unknown else None

    async def _find_contradictions(self, request: ContradictionRequest) -> list[Hit]:
        search = ContradictionSearch(
            self.index,
            min_probability=request.min_probability,
            judge=self._pair_judge,
            validity=self._engine.validity,
        )
        if request.passage_id is not None:
            return await search.asearch_like(
                request.passage_id, request.k, filter=request.filter, as_of=request.as_of
            )
        return await search.asearch(
            str(request.text), request.k, filter=request.filter, as_of=request.as_of
        )


def _described(declared: Declared) -> str:
    """Describe a field, of a long list only the first values: every client reads it."""
    return shorten(describe_field(declared), MAX_DESCRIPTION, placeholder=" ...")


def _found(hit: Hit, explain: bool) -> FoundPassage:
    return FoundPassage(
        **{**hit.to_dict(), "evidence": hit.evidence.to_dict() if explain else None},
        reason=hit.evidence.reason,
    )


def describe_error(error: LogicRetrieversError) -> str:
    """Describe an error to a client. The remedy is a command, not Python code."""
    if not (isinstance(error, MissingVectorError) and error.remedy):
        return error.problem
    return (
        f"{error.problem} Stop this service, run `logic-retrievers backfill"
        f" {' '.join(error.names)}` once (with the same --collection and --location), and start it"
        " again."
    )


def describe_invalid(errors: Sequence[Mapping[str, Any]]) -> str:
    """Describe pydantic's errors in one line. Values are omitted: they may be long or secret."""
    return "; ".join(
        f"{'.'.join(map(str, error['loc'])) or 'request'}: {error['msg']}" for error in errors
    )
