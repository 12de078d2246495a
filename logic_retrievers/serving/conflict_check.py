"""Check given texts and stored passages for conflicts: request, response and check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Self

from pydantic import BaseModel, Field, model_validator

from logic_retrievers.conflicts import Conflict, ContradictionFilter
from logic_retrievers.conflicts.pair_judge import AnyPairJudge
from logic_retrievers.errors import InputError, shown
from logic_retrievers.index import PassageIndex
from logic_retrievers.judging.relation import ConflictRelation, pair_sentences
from logic_retrievers.serving.base_request import BaseRequest, Text
from logic_retrievers.types import Passage, metadata_value
from logic_retrievers.validity import Validity

# maximum texts and passages of a request; a pair of them takes some 10 ms to read
MAX_MEMBERS = 50

_REASONS: Mapping[ConflictRelation, str] = {
    "contradiction": "both cannot be true",
    "superseded": "they state one thing at two times, and `one` is the older state",
    "supersedes": "they state one thing at two times, and `one` is the newer state",
}


class ConflictCheckRequest(BaseRequest):
    """Finds the conflicts among texts and stored passages.

    A conflict is two of them that cannot both be true, or that state one thing at two times.
    """

    texts: list[Text] = Field(
        [], max_length=MAX_MEMBERS, description="Texts of the caller, such as drafts or answers."
    )
    ids: list[Text] = Field([], max_length=MAX_MEMBERS, description="Ids of stored passages.")
    threshold: Annotated[float, Field(gt=0, le=1, strict=True)] | None = Field(
        None,
        description="Least probability of a conflict; by default that of the model. A lower value"
        " makes it read more pairs, and is slower.",
    )

    @model_validator(mode="after")
    def _check_count(self) -> Self:
        if not 2 <= len(self.texts) + len(set(self.ids)) <= MAX_MEMBERS:
            raise ValueError(f"give 2 to {MAX_MEMBERS} texts and ids, taken together")
        return self


class ConflictMember(BaseModel):
    """One of two that are in conflict, given as a text or as an id."""

    text: int | None = Field(None, description="Position in `texts`, from 0.")
    id: str | None = Field(None, description="Id of the stored passage.")
    sentence: str = Field(description="What conflicts; of a long text the sentences concerned.")


class FoundConflict(BaseModel):
    """Two that are in conflict."""

    one: ConflictMember
    other: ConflictMember
    probability: float
    relation: ConflictRelation | None = Field(
        None,
        description="What `one` is to `other`: a contradiction, superseded (an older state of one"
        " thing) or supersedes (a newer one). Absent where no model tells these apart.",
    )
    reason: str


class ConflictCheckResponse(BaseModel):
    """The conflicts, the strongest first."""

    conflicts: list[FoundConflict]
    notes: list[str] = Field([], description="What could not be checked, and why.")


class ConflictCheck:
    """Finds conflicts among texts and stored passages with a :class:`ContradictionFilter`.

    Texts are encoded, and so are passages in a collection without the contradiction vector. The
    metadata of the passages are read only where no texts are given.

    Args:
        index: holds the stored passages.
        judge: judge of the filter.
        validity: validity of the filter.
    """

    def __init__(
        self, index: PassageIndex, judge: AnyPairJudge, validity: Validity | None = None
    ) -> None:
        self._index, self._judge, self._validity = index, judge, validity
        self._usual: ContradictionFilter | None = None

    async def check(self, request: ConflictCheckRequest) -> ConflictCheckResponse:
        """Find the conflicts of a request.

        Raises:
            InputError: the collection has no passage with one of the ids.
            ConfigurationError: the encoder makes no contradiction vector.
        """
        stored = await self._index.aget(request.ids)
        known = {passage.id for passage in stored}
        if unknown := [name for name in dict.fromkeys(request.ids) if name not in known]:
            raise InputError(
                f"there is no passage {', '.join(map(shown, unknown))} in collection"
                f" {self._index.collection!r}"
            )
        if request.texts:
            # The caller's texts have no metadata, and metadata of one side alone hide conflicts: a
            # city takes the reader's recall from .69 to .40 (300 pairs of relations_test).
            stored = [replace(passage, metadata=self._dates(passage)) for passage in stored]
        numbers = _free_ids(len(request.texts), known)
        texts = [Passage(name, request.texts[number]) for name, number in numbers.items()]
        passages = {passage.id: passage for passage in (*texts, *stored)}
        result = await self._filter(request.threshold).afilter(list(passages.values()))

        def member(name: str, sentence: str) -> ConflictMember:
            number = numbers.get(name)
            return ConflictMember(
                text=number, id=name if number is None else None, sentence=sentence
            )

        def found(conflict: Conflict) -> FoundConflict:
            one, other = passages[conflict.one], passages[conflict.other]
            sentences = conflict.read or pair_sentences(one.text, other.text)
            return FoundConflict(
                one=member(one.id, sentences[0]),
                other=member(other.id, sentences[1]),
                probability=conflict.probability,
                relation=conflict.relation,
                reason=self._reason(conflict),
            )

        unchecked = [
            f"{_name(hit.passage.id, numbers)} {hit.evidence.reason}"
            for hit in result.hits
            if not hit.evidence.details["judged"]
        ]
        return ConflictCheckResponse(
            conflicts=[found(conflict) for conflict in result.conflicts],
            notes=[*unchecked, *result.notes],
        )

    def _filter(self, threshold: float | None) -> ContradictionFilter:
        if threshold is None and self._usual is not None:
            return self._usual
        made = ContradictionFilter(
            index=self._index, threshold=threshold, judge=self._judge, validity=self._validity
        )
        if threshold is None:  # kept, because it remembers what its cross-encoder has read
            self._usual = made
        return made

    def _dates(self, passage: Passage) -> dict[str, Any]:
        """Return the metadata that say when the passage is valid, which no reader reads."""
        values = {key: metadata_value(passage.metadata, key) for key in self._validity or ()}
        return {key: value for key, value in values.items() if value is not None}

    def _reason(self, conflict: Conflict) -> str:
        if conflict.relation is not None:
            return _REASONS[conflict.relation]
        # a model of the user's may leave pairs unread, and may fail
        if callable(self._judge) and conflict.probability != conflict.own_probability:
            return "the judge of this service reads a contradiction"
        return "their vectors differ as those of contradictions do; no model has read them"


def _free_ids(count: int, taken: set[str]) -> dict[str, int]:
    """Return ids for the caller's texts that no stored passage of the request has."""
    prefix = "text"
    while any(name.startswith(prefix) for name in taken):
        prefix += "_"
    return {f"{prefix}{number}": number for number in range(count)}


def _name(name: str, numbers: Mapping[str, int]) -> str:
    return f"texts[{numbers[name]}]" if name in numbers else f"passage {shown(name)}"
