"""Settings of a cleaning, for the core and the integrations."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal, TypeAlias, TypedDict, get_args

from logic_retrievers.checks import (
    check_choice,
    check_count,
    check_number,
    check_texts,
    check_type,
)
from logic_retrievers.conflicts.candidate_pairs import (
    BY_WORDS_READ,
    LEAST_COSINE_READ,
    NEAREST_READ,
    TrustedFilter,
    check_trusted_filter,
)
from logic_retrievers.conflicts.pair_judge import (
    AnyPairJudge,
    Reader,
    check_pair_judge,
)
from logic_retrievers.conflicts.resolution_strategies import (
    AnyResolution,
    ResolutionStrategy,
    resolution_strategy,
)
from logic_retrievers.conflicts.settings import (
    VECTORS,
    ContradictionConstants,
    ContradictionSettings,
    merge_constants,
)
from logic_retrievers.encoders.base import Encoder
from logic_retrievers.errors import ConfigurationError, shown
from logic_retrievers.judging.model_judge import ModelJudge
from logic_retrievers.types import Passage
from logic_retrievers.validation import check_passages
from logic_retrievers.validity import Validity, check_validity

AgainstTrusted: TypeAlias = Literal["quarantine", "annotate"]
Supersede: TypeAlias = Literal["hide", "close"]
# highest threshold that finds .6 of the passages planted in ConflictQA's development part
THRESHOLD = 0.87

# fingerprints omit addresses of objects, which differ between processes
_ADDRESS = re.compile(r" at 0x[0-9a-f]+", re.IGNORECASE)

# a field that can be removed without a trace; a nested one would leave its parent
_PLAIN_KEY = re.compile(r"[\w-]+")
# defaults of settings that the fingerprints of earlier versions lack
_ADDED = {"validity": None, "supersede": "hide"}

# metadata keys of a passage's scope, for example its country
SCOPE_KEYS = (
    "region", "country", "state", "city", "location", "site", "branch", "product", "model",
    "edition", "plan", "platform", "year", "quarter", "season", "term", "audience", "role",
    "department", "brand", "language", "lang", "locale", "currency", "unit",
)  # fmt: skip


class CommonCleaningOptions(TypedDict, total=False):
    """Fields of :class:`CleaningSettings` that have the same types in all integrations."""

    resolution: AnyResolution
    neighbours: int
    threshold: float | None
    settings: ContradictionSettings | None
    trusted_candidates: int
    against_trusted: AgainstTrusted
    date_key: str
    version_key: str
    document_key: str | None
    source_key: str
    source_order: Sequence[str]
    scope_keys: Sequence[str]
    validity: Validity | None
    supersede: Supersede
    judge: AnyPairJudge
    judge_above: float | None
    hide_above: float | None


class CleaningOptions(CommonCleaningOptions, total=False):
    """:class:`CleaningSettings` as keyword arguments, for signatures that forward them."""

    trusted: Sequence[Passage] | None
    trusted_filter: TrustedFilter


@dataclass(frozen=True, slots=True, kw_only=True)
class CleaningSettings:
    """How a cleaning compares passages and resolves contradictions, and which passages it trusts.

    Args:
        resolution: decides a contradiction if no trusted passage does: ``annotate`` (both stay),
            ``prefer_newest`` (also hides superseded versions), ``prefer_source``,
            ``prefer_majority``, ``quarantine_all``, a ``ResolutionStrategy``, or a function of two
            passages that returns the one that stays, or None if undecided. In a list, each is tried
            until one decides.
        neighbours: number of topical neighbours that each passage is compared with.
        threshold: least probability of a contradiction; by default the one in ``settings``, else
            the cross-encoder's. Without a cross-encoder the default is .87, above a filter's,
            because a whole corpus has more pairs.
        settings: overrides the encoder's constants of the contradiction vector.
        trusted: passages that the user vouches for, which are never hidden. Trusted passages that
            contradict each other decide nothing, and a warning says so.
        trusted_filter: selects more trusted passages among the stored and the examined passages:
            ``{"key": wanted}`` over the metadata, a Qdrant filter, or a function of a passage.
        trusted_candidates: number of trusted passages that each passage is compared with.
        against_trusted: ``quarantine`` or ``annotate`` a passage that contradicts a trusted one.
        date_key: metadata key of the date; nested keys are written ``a.b``, here and below.
        version_key: metadata key of the version.
        document_key: metadata key of a document name that all its versions share. If two passages
            share the name, the one with the later version or date is the newer version. Without
            this key only the texts can show that one passage replaces the other.
        source_key: metadata key of the source; by default a passage's own ``source`` counts.
        source_order: sources for ``prefer_source``, best first.
        scope_keys: metadata keys of a passage's scope; passages that differ in one of these do not
            contradict each other.
        validity: two metadata keys of the dates from which and up to which a passage is valid, as
            for :class:`~logic_retrievers.Engine`. Passages that are never valid at the same time
            do not contradict or replace each other.
        supersede: what becomes of an older version. ``hide`` hides it if the newer one is trusted
            or the resolution prefers the newest. ``close`` ends its validity where the newer one
            begins, whatever the resolution: it is still found as of an earlier time. The end is
            the newer passage's first field of ``validity``, else its date, else the time of the
            cleaning. Needs ``validity``.
        judge: reads pairs of passages. With ``auto`` the package's cross-encoder reads each passage
            with its two nearest, with one that shares its rare words, and with those likely to
            contradict it; ``judging.OnnxRelation`` does so with a different bundle. Around a
            trusted passage, the vectors of its whole neighbourhood decide too. With None the
            vectors decide alone, which is faster and finds less, except among passages that argue
            at length for opposite answers. Your own model (``conflicts.PairJudge``) is called once
            per cleaning. If it fails, the vectors decide, and a warning says so.
        judge_above: least vector probability of the pairs that your own judge reads; by default
            the threshold.
        hide_above: least cross-encoder probability of a contradiction or newer version that hides
            a passage; by default the cross-encoder's own value.

    Raises:
        UnknownResolutionError: no resolution has that name.
        ConfigurationError: a setting cannot work.
        InputError: a trusted passage is not a passage, or a filter cannot be read.
    """

    resolution: AnyResolution = "annotate"
    neighbours: int = 20
    threshold: float | None = None
    settings: ContradictionSettings | None = None
    trusted: Sequence[Passage] | None = ()
    trusted_filter: TrustedFilter = None
    trusted_candidates: int = 10
    against_trusted: AgainstTrusted = "quarantine"
    date_key: str = "date"
    version_key: str = "version"
    document_key: str | None = None
    source_key: str = "source"
    source_order: Sequence[str] = ()
    scope_keys: Sequence[str] = SCOPE_KEYS
    validity: Validity | None = None
    supersede: Supersede = "hide"
    judge: AnyPairJudge = "auto"
    judge_above: float | None = None
    hide_above: float | None = None

    def __post_init__(self) -> None:
        self.strategy()
        check_count("neighbours", self.neighbours)
        check_count("trusted_candidates", self.trusted_candidates, least=0)
        check_choice("against_trusted", self.against_trusted, get_args(AgainstTrusted))
        check_texts("scope_keys", self.scope_keys)
        object.__setattr__(self, "validity", check_validity(self.validity))
        check_choice("supersede", self.supersede, get_args(Supersede))
        if self.supersede == "close":
            if self.validity is None:
                raise ConfigurationError("supersede='close' needs validity=(from_key, to_key)")
            if not _PLAIN_KEY.fullmatch(self.validity[1]):
                raise ConfigurationError(
                    "supersede='close' writes a field of letters, digits, _ and -, not"
                    f" {shown(self.validity[1])}"
                )
        check_type("version_key", self.version_key, str)
        check_type("document_key", self.document_key, str, type(None))
        check_type("settings", self.settings, ContradictionSettings, type(None))
        check_pair_judge(self.judge)
        for name in ("threshold", "judge_above", "hide_above"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), 0, 1)
        check_trusted_filter(self.trusted_filter)
        object.__setattr__(
            self, "trusted", check_passages(() if self.trusted is None else self.trusted)
        )
        object.__setattr__(self, "scope_keys", tuple(self.scope_keys))

    def strategy(self) -> ResolutionStrategy:
        return resolution_strategy(
            self.resolution, self.date_key, self.source_key, self.source_order
        )


@dataclass(frozen=True, slots=True)
class ReadThresholds:
    """Least cross-encoder probabilities for listing a conflict and for hiding a passage."""

    listed: float
    hiding: float


@dataclass(frozen=True, slots=True)
class Criteria:
    """Everything that the decisions of a cleaning depend on, except the passages."""

    settings: CleaningSettings
    constants: ContradictionConstants
    resolution: ResolutionStrategy
    judge_above: float
    encoder: Encoder
    # the cross-encoder that reads the pairs, if any, and the thresholds for its readings
    reader: Reader | None = None
    read_thresholds: ReadThresholds | None = None

    @classmethod
    def merge(cls, settings: CleaningSettings, encoder: Encoder) -> Criteria:
        """Merge the settings with the constants of the encoder.

        Raises:
            ConfigurationError: the encoder lacks a vector or constants that are needed, or a value
                is out of its range.
        """
        threshold = settings.threshold
        is_given = threshold is not None or (
            settings.settings is not None and settings.settings.threshold is not None
        )
        if not is_given:
            threshold = THRESHOLD
        constants = merge_constants(encoder.specs, settings.settings, threshold=threshold)
        above = constants.threshold if settings.judge_above is None else settings.judge_above
        reader = Reader.of(settings.judge, "relation")
        thresholds = None
        if reader is not None:
            listed = constants.threshold if is_given else reader.constants["threshold"]
            hiding = max(listed, reader.constants["hide_above"])
            if settings.hide_above is not None:
                hiding = settings.hide_above
            thresholds = ReadThresholds(listed, hiding)
        elif settings.hide_above is not None:
            raise ConfigurationError("hide_above needs judge='auto' or an OnnxRelation")
        return cls(settings, constants, settings.strategy(), above, encoder, reader, thresholds)

    @property
    def threshold(self) -> float:
        """Least probability of a contradiction that is listed."""
        thresholds = self.read_thresholds
        return self.constants.threshold if thresholds is None else thresholds.listed

    def fingerprint(self) -> str:
        """Return the sha256 of the criteria, with names of functions and vector fingerprints."""
        merged = ("resolution", "threshold", "settings", "source_order", "judge", "judge_above")
        settings = [
            (field.name, getattr(self.settings, field.name))
            for field in fields(self.settings)
            if field.name not in merged
            and getattr(self.settings, field.name) != _ADDED.get(field.name, merged)
        ]
        parts = (
            settings,
            self.constants,
            self.resolution,
            _name(self.settings.judge) if self.reader is None else self.reader.fingerprint,
            self.read_thresholds,
            (NEAREST_READ, BY_WORDS_READ, LEAST_COSINE_READ),
            self.judge_above,
            sorted((name, self.encoder.specs[name].fingerprint) for name in VECTORS),
        )
        text = _ADDRESS.sub("", repr(parts))
        return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _name(judge: AnyPairJudge) -> str | None:
    """Return the name of a user's judge; None if the vectors decide."""
    if not callable(judge):
        return None
    if isinstance(judge, ModelJudge):
        return repr(judge)
    return str(getattr(judge, "__qualname__", type(judge).__qualname__))
