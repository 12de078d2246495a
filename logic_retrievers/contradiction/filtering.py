"""Contradictions kept out of a list of passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, TypeVar, get_args

from logic_retrievers.answering import Query, check_count
from logic_retrievers.contradiction.filtered import Filtered
from logic_retrievers.contradiction.gathering import Room, checked_passages, gathered
from logic_retrievers.contradiction.opinions import (
    Heard,
    Questions,
    SecondOpinion,
    aask,
    answered,
    ask,
    questions,
)
from logic_retrievers.contradiction.rules import AnyRule, resolve_rule
from logic_retrievers.contradiction.settings import (
    ContradictionSettings,
    check_probability,
    settings_for,
)
from logic_retrievers.contradiction.telling import contested_note, told
from logic_retrievers.contradiction.trust import TrustedFilter, check_trusted_filter
from logic_retrievers.contradiction.verdicts import AgainstTrusted, Case, verdict
from logic_retrievers.encoders import default_encoder
from logic_retrievers.errors import (
    ConfigurationError,
    ConflictingTrustWarning,
    SecondOpinionWarning,
    warn,
)
from logic_retrievers.procedures import Procedure, Work, arun, encoding, run
from logic_retrievers.types import Passage

if TYPE_CHECKING:
    from logic_retrievers.encoders.base import Encoder
    from logic_retrievers.index.passages import PassageIndex

T = TypeVar("T")
Warned: TypeAlias = list[tuple[type[Warning], str]]


class ContradictionFilter:
    """Finds the passages of a list that contradict each other, or trusted ones, and decides.

    Give it more passages than the context shall hold and the number k: what is dropped is replaced
    by the next in the list. The rules, in this order:

    1. A passage that contradicts a trusted one is dropped. Trusted ones are never dropped; those
       that contradict each other judge nobody in this call, and a warning says so.
    2. The first k of the others are compared with each other. The policy decides each conflict, the
       strongest first; whoever has been dropped takes nobody along.
    3. The next ones of the list take the free places, and are judged against those that stay; so on
       until k stand together or the list is at its end. What follows plays no part, but that it has
       a vote under ``prefer_majority``.

    A policy that cannot decide keeps both, and says why in the evidence of both. Copies of one text
    never contradict each other. A passage without text, or mostly in another script than the Latin
    one, cannot be judged and stays.

    Args:
        encoder: makes the vectors ``topical`` and ``contradiction``; the index's where None, or
            that of the bundle that comes with the package.
        policy: ``annotate`` (both stay, and tell of each other), ``prefer_newest``,
            ``prefer_source``, ``prefer_majority``, ``drop_both``; a ``rules.ConflictPolicy``; or a
            function of two passages that gives back the one that stays, or None.
        index: a collection; its stored vectors are taken, and with a ``trusted_filter`` its trusted
            passages judge too.
        threshold: least probability of a conflict, instead of that of the settings.
        settings: of the contradiction vector, instead of those that the encoder brings.
        trusted: passages that the user vouches for.
        trusted_filter: which of the given passages, and of the index's, are trusted:
            ``{"key": wanted}`` over the metadata, as a search takes it, or a Qdrant filter. A
            function of a passage can only pick from those given.
        trusted_candidates: how many trusted passages of the index are looked at for each given one,
            those topically nearest to it; 0: none.
        against_trusted: ``drop``, or ``annotate``: what contradicts a trusted passage stays too.
        date_key: of the date in the metadata, for ``prefer_newest``.
        source_key: of the source in the metadata, for ``prefer_source`` and ``prefer_majority``; a
            passage without it is known by its ``source``.
        source_order: the best source first, for ``prefer_source``.
        second_opinion: see :class:`SecondOpinion`; asked once a call. Its answers take the place of
            our own probabilities; where it fails these stand, and a warning says so.
        ask_above: least own probability of the pairs that it is asked about; by default the
            threshold.

    Raises:
        UnknownPolicyError: no policy has that name.
        ConfigurationError: a setting that cannot work, or an encoder without the vectors.
        InputError: a trusted passage that is none, or a filter that cannot be read.

    Example:
        >>> contradictions = ContradictionFilter(policy="prefer_newest")   # doctest: +SKIP
        >>> contradictions.filter(passages, k=5).hits                      # doctest: +SKIP
    """

    def __init__(
        self,
        encoder: Encoder | None = None,
        *,
        policy: AnyRule = "annotate",
        index: PassageIndex | None = None,
        threshold: float | None = None,
        settings: ContradictionSettings | None = None,
        trusted: Sequence[Passage] | None = None,
        trusted_filter: TrustedFilter = None,
        trusted_candidates: int = 10,
        against_trusted: AgainstTrusted = "drop",
        date_key: str = "date",
        source_key: str = "source",
        source_order: Sequence[str] = (),
        second_opinion: SecondOpinion | None = None,
        ask_above: float | None = None,
    ) -> None:
        self.policy = resolve_rule(policy, date_key, source_key, source_order)
        if encoder is None:
            encoder = default_encoder() if index is None else index.encoder
        self.encoder = encoder
        self.index = index
        self.settings = settings_for(encoder.specs, settings, threshold=threshold)
        if against_trusted not in get_args(AgainstTrusted):
            raise ConfigurationError(
                f"against_trusted must be 'drop' or 'annotate', not {against_trusted!r}"
            )
        self.against_trusted = against_trusted
        if trusted_candidates != 0:
            check_count("trusted_candidates", trusted_candidates)
        if second_opinion is not None and not callable(second_opinion):
            raise ConfigurationError("second_opinion must be callable; see SecondOpinion")
        self.second_opinion = second_opinion
        self.ask_above = self.settings.threshold if ask_above is None else ask_above
        check_probability("ask_above", self.ask_above)
        check_trusted_filter(trusted_filter)
        self._room = Room(
            encoder=encoder,
            index=index,
            settings=self.settings,
            least=min(self.settings.threshold, self.ask_above)
            if second_opinion
            else self.settings.threshold,
            trusted=checked_passages(() if trusted is None else trusted),
            trusted_filter=trusted_filter,
            trusted_candidates=trusted_candidates,
        )

    def filter(
        self,
        passages: Sequence[Passage],
        k: int | None = None,
        *,
        query: Query | None = None,  # noqa: ARG002 - for the shape that rerankers have
        trusted: Sequence[Passage] = (),
    ) -> Filtered:
        """The first k of the passages that can stand beside each other; see the class.

        Args:
            passages: the best first; those of one id count once, the first of them.
            k: how many are wanted; all that can stay where None.
            query: what they were found for; not needed.
            trusted: further trusted passages, for this call. A given passage is one of them where
                it has the id and the text of one.

        Raises:
            InputError: what is no passage, or a policy function that gives back none.
            ConfigurationError: k is under 1.
            MissingVectorError: trusted passages are to be searched for in an index without topical
                vectors.
            ServerError: the index failed or could not be reached.
        """
        case = self._run(self._gathered(passages, k, trusted))
        asked = self._questions(case)
        heard = ask(self.second_opinion, list(asked))
        result, problems = self._run(self._decided(case, k, asked, heard))
        for kind, message in problems:
            warn(kind, message)
        return result

    async def afilter(
        self,
        passages: Sequence[Passage],
        k: int | None = None,
        *,
        query: Query | None = None,  # noqa: ARG002
        trusted: Sequence[Passage] = (),
    ) -> Filtered:
        """:meth:`filter` without blocking the event loop; the same result."""
        case = await self._arun(self._gathered(passages, k, trusted))
        asked = self._questions(case)
        heard = await aask(self.second_opinion, list(asked))
        result, problems = await self._arun(self._decided(case, k, asked, heard))
        for kind, message in problems:
            warn(kind, message)
        return result

    def _gathered(
        self, passages: Sequence[Passage], k: int | None, trusted: Sequence[Passage]
    ) -> Procedure[Case]:
        """Checks at once, before anything is encoded."""
        if k is not None:
            check_count("k", k)
        return gathered(self._room, checked_passages(passages), checked_passages(trusted))

    def _questions(self, case: Case) -> Questions:
        if self.second_opinion is None:
            return {}
        return questions(case.pairs, case.passages, self.ask_above)

    def _decided(
        self, case: Case, k: int | None, asked: Questions, heard: Heard
    ) -> Procedure[tuple[Filtered, Warned]]:
        """The result, and what to warn about; as work, for a policy of the user's may be slow."""
        decided: tuple[Filtered, Warned] = yield Work(partial(self._decide, case, k, asked, heard))
        return decided

    def _decide(
        self, case: Case, k: int | None, asked: Questions, heard: Heard
    ) -> tuple[Filtered, Warned]:
        problems: Warned = []
        answers, problem = heard
        if answers is None:
            problems.append((SecondOpinionWarning, f"the second opinion does not count: {problem}"))
        else:
            case = replace(case, pairs=answered(case.pairs, list(asked.values()), answers))
        threshold = self.settings.threshold
        found = verdict(case, self.policy, threshold, self.against_trusted, k)
        if note := contested_note(case, found):
            problems.append((ConflictingTrustWarning, note))
        notes = [message for _, message in problems]
        result = told(case, found, k, rule=self.policy.name, threshold=threshold, notes=notes)
        return result, problems

    def _run(self, procedure: Procedure[T]) -> T:
        return run(procedure, encoding) if self.index is None else self.index.run(procedure)

    async def _arun(self, procedure: Procedure[T]) -> T:
        if self.index is None:
            return await arun(procedure, encoding)
        return await self.index.arun(procedure)
