"""``ContradictionFilter``: keeps contradictions out of a list of passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, get_args

from logic_retrievers.checks import check_choice, check_count, check_number
from logic_retrievers.conflicts.candidate_pairs import (
    NEAREST_READ,
    CandidatePair,
    ConflictCase,
    FilterContext,
    TrustedFilter,
    check_trusted_filter,
    gather_candidate_pairs,
)
from logic_retrievers.conflicts.conflict_resolution import (
    AgainstTrusted,
    Resolution,
    resolve_conflicts,
)
from logic_retrievers.conflicts.filter_result import (
    NAME,
    FilterResult,
    build_filter_result,
    describe_contested,
)
from logic_retrievers.conflicts.pair_judge import (
    AnyPairJudge,
    Reader,
    Readings,
    check_pair_judge,
    judge_pairs,
)
from logic_retrievers.conflicts.resolution_strategies import AnyResolution, resolution_strategy
from logic_retrievers.conflicts.settings import ContradictionSettings, merge_constants
from logic_retrievers.effects import Compute, Operation
from logic_retrievers.encoders import Encoder, default_encoder
from logic_retrievers.errors import ConflictingTrustWarning, warn_each
from logic_retrievers.index.passage_index import PassageIndex
from logic_retrievers.ranking.execution import arun_over, run_over
from logic_retrievers.ranking.query_input import Query
from logic_retrievers.tracing import Attributes, own_attributes, reranking_attributes, traced
from logic_retrievers.types import Passage
from logic_retrievers.validation import check_parts, check_passages
from logic_retrievers.validity import Validity, check_validity


def _describe_filtering(
    result: FilterResult,
    contradictions: ContradictionFilter,
    passages: Sequence[Passage],
    k: int | None = None,
    *,
    query: Query | None = None,
    **_: Any,
) -> Attributes:
    return {
        **reranking_attributes(result.hits, query, passages, NAME, k),
        **own_attributes(
            resolution=contradictions.resolution.name,
            dropped=len(result.dropped),
            conflicts=len(result.conflicts),
        ),
    }


class ContradictionFilter:
    """Finds passages that contradict each other or a trusted passage, and drops some of them.

    Pass more passages than the context can hold, and ``k`` as the number wanted. The next passage
    of the list replaces a dropped one. The steps are:

    1. A passage that contradicts a trusted one is dropped. Trusted passages are never dropped. Two
       trusted passages that contradict each other drop no passage in this call. A warning says so.
    2. The first k passages that step 1 leaves are compared with each other. The resolution decides
       each conflict, the strongest first. A dropped passage drops no other.
    3. The next passages of the list take the free places, and are judged against those that stay,
       until k stay or the list ends. The rest of the list has no effect, except as votes under
       ``prefer_majority``.

    A resolution that cannot decide keeps both passages, and their evidence says why. Copies of one
    text never contradict each other. A passage without text, or mostly in a script other than
    Latin, cannot be judged and stays.

    Args:
        encoder: makes the vectors ``topical`` and ``contradiction``; by default the index's
            encoder, or without an index that of the package's bundle.
        resolution: ``annotate`` (both stay, and the evidence of each names the other),
            ``prefer_newest``, ``prefer_source``, ``prefer_majority``, ``drop_both``; a
            ``ResolutionStrategy``; or a function of two passages that returns the one that stays,
            or None if undecided. In a list, each is tried until one decides.
        index: a collection whose stored vectors are used. With a ``trusted_filter``, trusted
            passages of the collection judge too.
        threshold: least probability of a conflict; replaces the settings' and the judge's value.
        settings: overrides the encoder's constants of the contradiction vector.
        trusted: passages that the user vouches for.
        trusted_filter: selects trusted passages among the given passages and in the index. A filter
            is ``{"key": wanted}`` over the metadata, as for a search, or a Qdrant filter. A
            function of a passage can select only given passages.
        trusted_candidates: number of topically nearest trusted passages to find in the index for
            each given passage; may be 0.
        against_trusted: ``drop`` or ``annotate`` a passage that contradicts a trusted one.
        date_key: metadata key of the date, for ``prefer_newest``.
        source_key: metadata key of the source, for ``prefer_source`` and ``prefer_majority``. For a
            passage without the key, its own ``source`` counts.
        source_order: sources for ``prefer_source``, best first.
        validity: two metadata keys of the dates from which and up to which a passage is valid, as
            for :class:`~logic_retrievers.Engine`. Passages that are never valid at the same time do
            not contradict each other.
        judge: reads pairs. With ``auto``, the package's cross-encoder reads each passage with the
            two nearest earlier passages of the list and the two nearest trusted ones, down to a
            cosine of .35. With k most of the rest of a long list stays unread, unless the
            resolution counts votes. A conflict is then a contradiction or two states of one thing.
            Readings are remembered. ``judging.OnnxRelation`` of a different bundle works alike.
            With None the vectors decide alone, which is much faster but misses most contradictions
            in different words. Your own model (:class:`PairJudge`) is called once per ``filter``,
            and its probabilities replace the vectors'. If it fails, the vectors decide, and a
            warning says so.
        judge_above: least vector probability of the pairs that your own judge reads; by default
            the threshold.
        drop_above: least probability of a conflict that drops a passage. In a conflict between the
            threshold and this value both passages stay, and their evidence names the conflict. The
            default is the threshold.

    Raises:
        UnknownResolutionError: no resolution has that name.
        ConfigurationError: a setting cannot work, or the encoder lacks a vector.
        InputError: a trusted passage is not a passage, or a filter cannot be read.

    Examples:
        >>> contradictions = ContradictionFilter(resolution="prefer_newest")   # doctest: +SKIP
        >>> contradictions.filter(passages, k=5).hits                          # doctest: +SKIP
    """

    def __init__(
        self,
        encoder: Encoder | None = None,
        *,
        resolution: AnyResolution = "annotate",
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
        validity: Validity | None = None,
        judge: AnyPairJudge = "auto",
        judge_above: float | None = None,
        drop_above: float | None = None,
    ) -> None:
        check_parts(encoder=encoder, index=index)
        self.resolution = resolution_strategy(resolution, date_key, source_key, source_order)
        if encoder is None:
            encoder = default_encoder() if index is None else index.encoder
        self.encoder = encoder
        self.index = index
        self.constants = merge_constants(encoder.specs, settings, threshold=threshold)
        check_choice("against_trusted", against_trusted, get_args(AgainstTrusted))
        self.against_trusted = against_trusted
        check_count("trusted_candidates", trusted_candidates, least=0)
        check_pair_judge(judge)
        self.judge = judge
        self.validity = check_validity(validity)
        self._reader = Reader.of(judge, "relation")
        # hidden from the reader, because two dates make any conflict look like two versions
        self._unread = (date_key, source_key, *(self.validity or ()))
        self._readings: Readings = {}
        self.threshold = least = self.constants.threshold
        self.judge_above = least if judge_above is None else judge_above
        check_number("judge_above", self.judge_above, 0, 1)
        if self._reader is not None:
            constants = self._reader.constants
            if threshold is None and (settings is None or settings.threshold is None):
                self.threshold = constants["threshold"]
            least = min(least, constants["threshold"])
        elif judge is not None:
            least = min(least, self.judge_above)
        self.drop_above = self.threshold if drop_above is None else drop_above
        check_number("drop_above", self.drop_above, 0, 1)
        check_trusted_filter(trusted_filter)
        self._context = FilterContext(
            encoder=encoder,
            index=index,
            constants=self.constants,
            min_probability=least,
            trusted=check_passages(() if trusted is None else trusted),
            trusted_filter=trusted_filter,
            trusted_candidates=trusted_candidates,
            nearest_read=0 if self._reader is None else NEAREST_READ,
            validity=self.validity,
        )

    @traced("contradiction_filter", "RERANKER", _describe_filtering)
    def filter(
        self,
        passages: Sequence[Passage],
        k: int | None = None,
        *,
        query: Query | None = None,  # noqa: ARG002 - same signature as rerankers
        trusted: Sequence[Passage] = (),
    ) -> FilterResult:
        """Return the first k passages that can stay together; the class describes the steps.

        Args:
            passages: best first. A passage with the id, text and metadata of an earlier one is left
                out. Different passages with the same id all count.
            k: number of passages wanted; with None all that can stay.
            query: unused; rerankers have this argument.
            trusted: more trusted passages, for this call. A given passage with the id and text of
                a trusted one is trusted.

        Raises:
            InputError: something is not a passage, or a resolution function returned a wrong value.
            ConfigurationError: k is under 1.
            MissingVectorError: trusted passages are searched for in an index without topical
                vectors.
            ServerError: the index failed or could not be reached.
        """
        result, warnings = run_over(self.index, self._filter(passages, k, trusted))
        warn_each(warnings)
        return result

    @traced("contradiction_filter", "RERANKER", _describe_filtering)
    async def afilter(
        self,
        passages: Sequence[Passage],
        k: int | None = None,
        *,
        query: Query | None = None,  # noqa: ARG002
        trusted: Sequence[Passage] = (),
    ) -> FilterResult:
        """:meth:`filter` without blocking the event loop; the same result."""
        result, warnings = await arun_over(self.index, self._filter(passages, k, trusted))
        warn_each(warnings)
        return result

    def _filter(
        self, passages: Sequence[Passage], k: int | None, trusted: Sequence[Passage]
    ) -> Operation[tuple[FilterResult, list[Warning]]]:
        if k is not None:
            check_count("k", k)
        checked = check_passages(passages), check_passages(trusted)
        case = yield from gather_candidate_pairs(self._context, *checked)
        warnings: list[Warning] = []
        if self._reader is None:
            pairs, warnings = yield from judge_pairs(
                self.judge, case.pairs, case.passages, self.judge_above
            )
            judged, resolution = yield from self._resolve(case, pairs, k)
        else:
            judged, resolution = yield from self._read_and_resolve(self._reader, case, k)
        if note := describe_contested(judged, resolution):
            warnings.append(ConflictingTrustWarning(note))
        build = partial(
            build_filter_result,
            judged,
            resolution,
            k,
            strategy=self.resolution.name,
            threshold=self.threshold,
            notes=[str(warning) for warning in warnings],
        )
        return (yield Compute(build)), warnings

    def _read_and_resolve(
        self, reader: Reader, case: ConflictCase, k: int | None
    ) -> Operation[tuple[ConflictCase, Resolution]]:
        """Read the pairs of the first k passages, and of passages that take the free places."""
        count = case.given_count
        reached = count if k is None or self.resolution.needs_all_conflicts else min(k, count)
        while True:
            needed = [
                pair
                for pair in case.pairs
                if all(p < reached or p in case.trusted for p in (pair.one, pair.other))
            ]
            read = partial(reader.judge, needed, case.passages, self._unread, self._readings)
            judged, resolution = yield from self._resolve(case, (yield Compute(read)), k)
            if resolution.selection.reached <= reached:
                return judged, resolution
            reached *= 2  # keeps the rounds few

    def _resolve(
        self, case: ConflictCase, pairs: tuple[CandidatePair, ...], k: int | None
    ) -> Operation[tuple[ConflictCase, Resolution]]:
        """Resolve in a Compute, because a user's strategy may be slow."""
        judged = replace(case, pairs=pairs)
        resolve = partial(
            resolve_conflicts,
            judged,
            self.resolution,
            self.threshold,
            self.against_trusted,
            k,
            self.drop_above,
        )
        return judged, (yield Compute(resolve))
