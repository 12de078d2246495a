"""``CorpusCleaner``: finds the conflicts of a corpus, decides them, and hides what has to be."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar, get_args

from logic_retrievers.answering import check_count
from logic_retrievers.cleaning.comparing import Neighbourhood
from logic_retrievers.cleaning.gathering import Progress, Trust
from logic_retrievers.cleaning.kinds import SCOPE_KEYS
from logic_retrievers.cleaning.ledger import Ledger
from logic_retrievers.cleaning.quarantine import Quarantine
from logic_retrievers.cleaning.resolving import cleaning_rule
from logic_retrievers.cleaning.result import Cleaned
from logic_retrievers.cleaning.rules import Rules
from logic_retrievers.cleaning.screening import Screened, screened
from logic_retrievers.cleaning.steps import Steps, Warned
from logic_retrievers.cleaning.telling import Reading
from logic_retrievers.contradiction import verdicts
from logic_retrievers.contradiction.gathering import checked_passages
from logic_retrievers.contradiction.opinions import SecondOpinion, aask, ask
from logic_retrievers.contradiction.rules import AnyRule
from logic_retrievers.contradiction.settings import (
    ContradictionSettings,
    check_probability,
    settings_for,
)
from logic_retrievers.contradiction.trust import TrustedFilter, check_trusted_filter
from logic_retrievers.encoders import default_encoder
from logic_retrievers.errors import ConfigurationError, warn
from logic_retrievers.procedures import Procedure, arun, encoding, run
from logic_retrievers.types import Passage

if TYPE_CHECKING:
    from logic_retrievers.encoders.base import Encoder
    from logic_retrievers.index.passages import PassageIndex

T = TypeVar("T")
AgainstTrusted: TypeAlias = Literal["quarantine", "annotate"]

THRESHOLD = 0.87
"""The highest at which six tenths of the passages planted in ConflictQA's dev part are found."""
LEAST_COSINE = 0.5
"""Topical cosine under which two passages are about different things."""
LEAST_PROBABILITY = 0.5
"""Of a contradiction; a pair under it is looked at only where the two are nearly copies."""


class CorpusCleaner:
    """Finds pairs of passages that contradict, repeat or replace each other, and decides.

    New and changed passages are compared with their topical neighbours, so that the cost grows with
    their number and not with the square of the corpus. A text of more than 20,000 characters is
    judged by its beginning. Nothing is ever deleted: what a policy
    decides against is *quarantined*, hidden from retrieval and restorable byte for byte; and by
    default (``annotate``) nothing is hidden but what contradicts a passage that the user trusts.

    Args:
        index: the collection to clean, or the one that new passages are going to. Without one the
            passages that are passed in are compared with each other.
        ledger: where every decision is written down: a :class:`Ledger` or a path; by default kept
            in memory alone.
        policy: for a contradiction where nobody is trusted: ``annotate`` (both stay),
            ``prefer_newest`` (which also hides superseded versions), ``prefer_source``,
            ``prefer_majority``, ``quarantine_all``, a ``rules.ConflictPolicy``, or a function of
            two passages that gives back the one that stays, or None. Several in a list: the first
            that can decide does.
        encoder: makes the vectors; the index's where None, or that of the bundle that comes with
            the package.
        neighbours: how many topical neighbours each passage is compared with.
        threshold: least probability of a contradiction; by default .87, more than a filter of
            search results asks for, since a whole corpus has many pairs.
        settings: of the contradiction vector, and its threshold, instead of those that the encoder
            brings.
        trusted: passages that the user vouches for. They are never hidden; those that contradict
            each other judge nobody, and a warning says so.
        trusted_filter: which passages of the collection, and of those examined, are trusted too:
            ``{"key": wanted}`` over the metadata, a Qdrant filter, or a function of a passage.
        trusted_candidates: how many trusted passages of the collection each one is compared with.
        trusted_top: hold against each trusted passage's opponents not that they reach the
            threshold but that they are among the so many that contradict it most (Xu et al. 2024
            take 3). For a corpus that is known to be corrupted.
        against_trusted: ``quarantine``, or ``annotate``: what contradicts a trusted one stays too.
        date_key: of the date in the metadata.
        source_key: of the source in the metadata; a passage without it is known by its ``source``.
        source_order: the best source first, for ``prefer_source``.
        scope_keys: of the metadata, that say what a passage is true of (product, region, year...);
            passages that differ in one do not contradict each other.
        second_opinion: an NLI model or language model; see ``contradiction.SecondOpinion``. Asked
            once a call; where it fails our own probabilities stand, and a warning says so.
        ask_above: least own probability of the pairs that it is asked about.

    Raises:
        UnknownPolicyError: no policy has that name.
        ConfigurationError: a setting that cannot work, or an encoder without the vectors.
        InputError: a trusted passage that is none, or a filter that cannot be read.
        StorageError: the ledger cannot be opened.

    Example:
        >>> cleaner = CorpusCleaner(index, ledger="ledger.sqlite")        # doctest: +SKIP
        >>> cleaner.clean(dry_run=True).of_kind(Kind.CONTRADICTION)       # doctest: +SKIP
    """

    def __init__(
        self,
        index: PassageIndex | None = None,
        *,
        ledger: Ledger | str | os.PathLike[str] | None = None,
        policy: AnyRule | Sequence[AnyRule] = "annotate",
        encoder: Encoder | None = None,
        neighbours: int = 20,
        threshold: float | None = None,
        settings: ContradictionSettings | None = None,
        trusted: Sequence[Passage] | None = None,
        trusted_filter: TrustedFilter = None,
        trusted_candidates: int = 10,
        trusted_top: int | None = None,
        against_trusted: AgainstTrusted = "quarantine",
        date_key: str = "date",
        source_key: str = "source",
        source_order: Sequence[str] = (),
        scope_keys: Sequence[str] = SCOPE_KEYS,
        second_opinion: SecondOpinion | None = None,
        ask_above: float | None = None,
    ) -> None:
        self.policy = cleaning_rule(policy, date_key, source_key, source_order)
        if encoder is None:
            encoder = default_encoder() if index is None else index.encoder
        elif index is not None and encoder is not index.encoder:
            raise ConfigurationError("an index brings its own encoder; leave encoder= out")
        self.index = index
        self.encoder = encoder
        least = THRESHOLD if threshold is None and settings is None else threshold
        self.settings = settings_for(encoder.specs, settings, threshold=least)
        self.ledger = ledger if isinstance(ledger, Ledger) else Ledger(ledger or ":memory:")
        check_count("neighbours", neighbours)
        for name, count in (
            ("trusted_candidates", trusted_candidates or 1),
            ("trusted_top", 1 if trusted_top is None else trusted_top),
        ):
            check_count(name, count)
        if against_trusted not in get_args(AgainstTrusted):
            raise ConfigurationError(
                f"against_trusted must be 'quarantine' or 'annotate', not {against_trusted!r}"
            )
        self._against: verdicts.AgainstTrusted = (
            "drop" if against_trusted == "quarantine" else "annotate"
        )
        if isinstance(scope_keys, str):
            raise ConfigurationError(f"scope_keys must be a list of keys: [{scope_keys!r}]")
        self.reading = Reading(self.settings.threshold, date_key, source_key, tuple(scope_keys))
        if second_opinion is not None and not callable(second_opinion):
            raise ConfigurationError("second_opinion must be callable; see SecondOpinion")
        self.second_opinion = second_opinion
        self.ask_above = self.settings.threshold if ask_above is None else ask_above
        check_probability("ask_above", self.ask_above)
        check_trusted_filter(trusted_filter)
        named = checked_passages(() if trusted is None else trusted)
        self.trust = Trust(named, trusted_filter, trusted_candidates, trusted_top)
        self._neighbours = neighbours
        self._room = Neighbourhood(encoder, index, self.settings, neighbours, LEAST_COSINE)
        self._quarantine = None if index is None else Quarantine(index, self.ledger)

    @property
    def quarantine(self) -> Quarantine:
        """The hidden passages of the collection.

        Raises:
            ConfigurationError: there is no index.
        """
        if self._quarantine is None:
            raise ConfigurationError("nothing is hidden without an index: pass one")
        return self._quarantine

    def clean(
        self,
        passages: Iterable[Passage] | None = None,
        *,
        dry_run: bool = False,
        again: bool = False,
        progress: Progress | None = None,
    ) -> Cleaned:
        """Cleans the collection, or a list of passages.

        Args:
            passages: to examine instead of what the collection holds. With an index they are taken
                to be new to it, and compared with what it holds; nothing of them is stored.
            dry_run: decide, and write nothing: neither to the collection nor to the ledger.
            again: examine also what was examined before and has not changed since.
            progress: called with the number of passages examined so far.

        Raises:
            ConfigurationError: neither an index nor passages; or tenants share the collection, and
                the index was opened without one.
            InputError: what is no passage, or a policy function that gives back none.
            StorageError: the ledger cannot be written; nothing was hidden.
            CollectionError, ServerError: Qdrant refused or failed.
        """
        steps = self._steps(dry_run)
        gathered = self._run(steps.gathered(passages, again, progress))
        asked = steps.asked(gathered)
        heard = ask(self.second_opinion, list(asked))
        return _warned(self._run(steps.decided(gathered, asked, heard)))

    async def aclean(
        self,
        passages: Iterable[Passage] | None = None,
        *,
        dry_run: bool = False,
        again: bool = False,
        progress: Progress | None = None,
    ) -> Cleaned:
        """:meth:`clean` without blocking the event loop; the same result."""
        steps = self._steps(dry_run)
        gathered = await self._arun(steps.gathered(passages, again, progress))
        asked = steps.asked(gathered)
        heard = await aask(self.second_opinion, list(asked))
        return _warned(await self._arun(steps.decided(gathered, asked, heard)))

    def screen(self, passages: Iterable[Passage], *, dry_run: bool = False) -> Screened:
        """Examines passages on their way into a collection.

        Those that a policy decides against come back with the flag, so that they are stored hidden;
        stored ones that it decides against are hidden now.

        Args:
            passages: on their way; each id once.
            dry_run: flag and hide nothing.

        Raises:
            InputError: what is no passage.
            StorageError, CollectionError, ServerError: as for :meth:`clean`.
        """
        given = checked_passages(passages)
        return screened(given, self.clean(given, dry_run=dry_run))

    async def ascreen(self, passages: Iterable[Passage], *, dry_run: bool = False) -> Screened:
        """:meth:`screen` without blocking the event loop; the same result."""
        given = checked_passages(passages)
        return screened(given, await self.aclean(given, dry_run=dry_run))

    def fingerprint(self) -> str:
        """sha256 of all that a decision depends on beside the passages.

        A function counts by its name: whoever changes what it does cleans ``again``.
        """
        return self._rules().fingerprint()

    def _steps(self, dry_run: bool) -> Steps:
        return Steps(
            self.index,
            self.ledger,
            self._quarantine,
            self._room,
            self._rules(),
            min(LEAST_PROBABILITY, self.settings.threshold, self.ask_above),
            dry_run,
        )

    def _rules(self) -> Rules:
        return Rules(
            self.settings,
            self.reading,
            self.trust,
            self.policy,
            self._against,
            self._neighbours,
            self.ask_above,
            self.second_opinion is not None,
            self.encoder,
        )

    def _run(self, procedure: Procedure[T]) -> T:
        return run(procedure, encoding) if self.index is None else self.index.run(procedure)

    async def _arun(self, procedure: Procedure[T]) -> T:
        if self.index is None:
            return await arun(procedure, encoding)
        return await self.index.arun(procedure)


def _warned(result: tuple[Cleaned, Warned]) -> Cleaned:
    cleaned, problems = result
    for kind, message in problems:
        warn(kind, message)
    return cleaned
