"""Steps shared by search and reranker: plan a query, encode the plan, get passage vectors."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from logic_retrievers.effects import Compute, Operation, arun, encoder_threads, run
from logic_retrievers.errors import UntrainedVectorWarning, warn
from logic_retrievers.fields import Condition, FieldReading
from logic_retrievers.index import EncodedVectorQuery, lexical
from logic_retrievers.index.client_calls import QueryVector
from logic_retrievers.index.lexical import term_vector
from logic_retrievers.index.vectors import encode_passages
from logic_retrievers.judging.judge import Question
from logic_retrievers.judging.settings import WeightedJudge
from logic_retrievers.policies import Policy, PolicyRouter
from logic_retrievers.policies.base import JudgeRequest
from logic_retrievers.queries import ParsedQuery
from logic_retrievers.ranking.excluded_words import ExcludedWords, candidates_for
from logic_retrievers.ranking.query_input import CheckedQuery, Hard
from logic_retrievers.types import Passage, VectorQuery

if TYPE_CHECKING:
    from logic_retrievers.encoders.base import Encoder, VectorSpec
    from logic_retrievers.index.passage_index import PassageIndex

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PlannedQuery:
    """The plan of a search for one query.

    Args:
        policy: ranks the candidates.
        plan: the policy's vector queries.
        k: number of hits.
        request: question for a judge about the candidates; None asks no judge.
        question: the query as a reranker reads it; None asks none.
        reading: what the query says of declared fields; None if it was not read.
        words: excluded texts, for ``hard``; None leaves no passage out.
        overruled: whether a judge's sure verdicts overrule the words.
    """

    policy: Policy
    plan: tuple[VectorQuery, ...]
    k: int
    request: JudgeRequest | None
    question: Question | None
    words: ExcludedWords | None
    overruled: bool = False
    reading: FieldReading | None = None

    @property
    def depth(self) -> int:
        """Number of candidates to rank."""
        reads_more = self.words is not None or self.preferences
        return candidates_for(self.k) if reads_more else self.k

    @property
    def required(self) -> tuple[Condition, ...]:
        """What the query requires of declared fields."""
        return self.reading.required if self.reading else ()

    @property
    def preferences(self) -> tuple[Condition, ...]:
        """What the query prefers of declared fields."""
        conditions = self.reading.conditions if self.reading else ()
        return tuple(each for each in conditions if each.preferred)

    @property
    def filters(self) -> list[Mapping[str, Any]]:
        """Filters that the query's passages must match besides the user's own."""
        excluded = [{name: {"not": values}} for name, values in self.policy.must_not.items()]
        return [*excluded, *({each.field: each.to_filter()} for each in self.required)]

    def preferring(self) -> PlannedQuery:
        """Return the query with everything preferred that it requires of declared fields."""
        return replace(self, reading=self.reading and self.reading.preferring())

    def read_by(self, judge: WeightedJudge | None) -> str:
        """Return the texts about which a judge's sure verdict overrules the words of ``hard``."""
        if judge is None or self.request is None or not self.overruled:
            return ""
        return " ".join(self.request.question.texts(judge.constants.ask))


def run_over(index: PassageIndex | None, operation: Operation[T]) -> T:
    """Run an operation on the index; without an index, in this thread."""
    return run(operation, encoder_threads) if index is None else index.run(operation)


async def arun_over(index: PassageIndex | None, operation: Operation[T]) -> T:
    """Run as :func:`run_over` does, without blocking the event loop."""
    if index is None:
        return await arun(operation, encoder_threads)
    return await index.arun(operation)


def plan_queries(
    queries: Sequence[CheckedQuery],
    policy: Policy | PolicyRouter,
    specs: Mapping[str, VectorSpec],
    vectors: Collection[str],
    k: int,
    exclude: Sequence[str],
    *,
    hard: Hard,
    today: date,
    read: int = 0,
) -> Operation[list[PlannedQuery]]:
    """Plan each query for k hits; a router parses the query and chooses a policy.

    A router adds ``exclude`` to the query's own excluded texts. ``hard`` leaves passages out by
    words, and by a judge's sure verdicts about texts in its question.
    ``today`` is the day from which relative dates of the query count.
    ``specs`` describes the encoder's vectors; ``vectors`` names the passages' vectors. ``read`` is
    the number of candidates that a reranker reads.

    Raises:
        InputError: ``exclude`` and the query's own excluded texts are too many.
    """

    def plan_one(query: CheckedQuery) -> PlannedQuery:
        reading = None
        if isinstance(policy, PolicyRouter) and isinstance(query, str):
            reading = policy.read_fields(query, today)
            query = query if reading is None else reading.rest
        if isinstance(policy, PolicyRouter) and (exclude or hard):
            query = policy.parse(query).also_excluding(exclude)
        excluded: tuple[str, ...] = ()
        if hard:
            own = query.excluded_outright if isinstance(query, ParsedQuery) else ()
            excluded = own if isinstance(policy, PolicyRouter) else (*own, *exclude)
        if isinstance(policy, PolicyRouter):
            trained = [v for v in vectors if v == lexical.NAME or (v in specs and specs[v].trained)]
            constants = specs["topical"].exclusion if "topical" in specs else None
            chosen = policy.route(query, trained, constants)
        else:
            chosen = policy
        text = query.text if isinstance(query, ParsedQuery) else query
        request = chosen.judge_request(text)
        words = ExcludedWords(excluded) if excluded else None
        reads_fields = reading is not None and bool(reading.conditions)
        depth = k if words is None and not reads_fields else candidates_for(k)
        plan = chosen.plan(text, max(depth, read))
        question = chosen.question(text)
        return PlannedQuery(chosen, plan, k, request, question, words, hard is True, reading)

    # a router's parser may ask a model
    planned: list[PlannedQuery] = yield Compute(lambda: [plan_one(query) for query in queries])
    return planned


def warn_if_untrained(
    queries: Sequence[PlannedQuery], specs: Mapping[str, VectorSpec], policy: str
) -> None:
    """Warn if a policy ranks by a vector that the encoder was not trained for."""
    needed = {leaf.vector for query in queries for leaf in query.plan}
    untrained = sorted(name for name in needed if name in specs and not specs[name].trained)
    if untrained:
        warn(
            UntrainedVectorWarning,
            f"policy {policy!r} ranks by {untrained[0]!r}, which this encoder has not been trained "
            "for: its vectors repeat another head's, so the policy cannot tell violating passages",
        )


def encode_plans(
    plans: Sequence[tuple[VectorQuery, ...]], encoder: Encoder, language: str = lexical.ENGLISH
) -> Operation[list[list[EncodedVectorQuery]]]:
    """Encode the vector queries that a policy planned for each query.

    Each pair of vector and text is encoded once. Texts that need the same named vectors share one
    call of the encoder. The sparse ``lexical`` vector needs no encoder, only the language, for
    stems.
    """
    names_by_text: dict[str, set[str]] = {}
    for plan in plans:
        for query in plan:
            names_by_text.setdefault(query.text, set()).add(query.vector)
    texts_by_names: dict[tuple[str, ...], list[str]] = {}
    for text, names in names_by_text.items():
        texts_by_names.setdefault(tuple(sorted(names)), []).append(text)

    def encode() -> dict[tuple[str, str], QueryVector]:
        encoded: dict[tuple[str, str], QueryVector] = {}
        for names, texts in texts_by_names.items():
            if lexical.NAME in names:
                encoded.update(
                    {(lexical.NAME, t): term_vector(t, language, query=True) for t in texts}
                )
            dense = [name for name in names if name != lexical.NAME]
            for name, rows in (encoder.encode_queries(texts, dense) if dense else {}).items():
                encoded.update({(name, text): row for text, row in zip(texts, rows, strict=True)})
        return encoded

    vectors: dict[tuple[str, str], QueryVector] = yield Compute(encode)
    return [
        [EncodedVectorQuery(q.name, q.vector, vectors[q.vector, q.text], q.limit) for q in plan]
        for plan in plans
    ]


def passage_vectors(
    passages: Sequence[Passage],
    names: Sequence[str],
    encoder: Encoder,
    index: PassageIndex | None = None,
) -> Operation[dict[str, npt.NDArray[np.float64]]]:
    """Read the stored vectors of passages from an index, and encode missing vectors.

    A stored vector is used only if its fingerprint equals the encoder's. If several passages share
    an id, only the first one uses stored vectors. A passage in which the encoder finds no text gets
    zeros.

    Returns:
        Vector name -> shape (passages, dimension).
    """
    stored: dict[tuple[str, str], npt.NDArray[np.float64]] = {}
    first_of_id = {passage.id: passage for passage in reversed(passages)}
    if index is not None:
        stored_specs = index.encoder.specs
        shared = [
            name
            for name in names
            if name in stored_specs
            and stored_specs[name].fingerprint == encoder.specs[name].fingerprint
        ]
        stored = yield from index.stored_vectors(list(first_of_id.values()), shared)

    def encode_missing() -> dict[str, npt.NDArray[np.float64]]:
        rows = {
            (name, position): stored[name, passage.id]
            for position, passage in enumerate(passages)
            for name in names
            if (name, passage.id) in stored and passage is first_of_id[passage.id]
        }
        places = range(len(passages))
        missing = [p for p in places if any((name, p) not in rows for name in names)]
        encoded = encode_passages(encoder, [passages[p] for p in missing], names)
        for position, vectors in zip(missing, encoded, strict=True):
            for name in names:
                size = encoder.specs[name].dimension
                row = np.zeros(size) if vectors is None else vectors[name].astype(np.float64)
                rows.setdefault((name, position), row)
        return {name: np.stack([rows[name, position] for position in places]) for name in names}

    matrices: dict[str, npt.NDArray[np.float64]] = yield Compute(encode_missing)
    return matrices
