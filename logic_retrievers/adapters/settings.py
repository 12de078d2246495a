"""Settings that several frameworks share, as pydantic fields.

:class:`logic_retrievers.ContradictionFilter` and
:class:`logic_retrievers.cleaning.settings.CleaningSettings` explain them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Annotated, Any, Literal, TypeAlias, TypedDict

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    InstanceOf,
    PlainSerializer,
    model_validator,
)

from logic_retrievers.adapters.descriptions import describe_resolution, qualified_name
from logic_retrievers.checks import check_count, check_number
from logic_retrievers.cleaning import Ledger
from logic_retrievers.cleaning import settings as cleaning_settings
from logic_retrievers.contradiction import ContradictionSettings
from logic_retrievers.contradiction.conflict_resolution import AgainstTrusted
from logic_retrievers.contradiction.pair_judge import AnyPairJudge
from logic_retrievers.contradiction.resolution_strategies import ResolutionStrategy
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import (
    CleaningSkippedWarning,
    ConfigurationError,
    LogicRetrieversError,
    warn,
)
from logic_retrievers.index import PassageIndex, Settings
from logic_retrievers.judging.conflict import ConflictJudge
from logic_retrievers.judging.settings import AnyJudge, JudgeSettings, check_any_judge
from logic_retrievers.queries.parsed_query import check_excluded
from logic_retrievers.types import Passage

# reaction of an ingestion hook if the model, the ledger or Qdrant fails
OnError: TypeAlias = Literal["raise", "skip"]
_STORE_SETTINGS = frozenset({"location", "client", "api_key", "prefer_grpc", "grpc_port", "create"})


def _checked_count(number: Any) -> Any:
    check_count("the number of documents", number)
    return number


def _checked_number(number: Any) -> Any:
    if number is not None:
        check_number("this setting", number)
    return number


# pydantic would take True for 1
Number: TypeAlias = Annotated[float, BeforeValidator(_checked_number)]
Count: TypeAlias = Annotated[int, BeforeValidator(_checked_count)]
ExcludeSetting: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(check_excluded)]
HardSetting: TypeAlias = Annotated[bool, Field(strict=True)]
# InstanceOf keeps a part out of a JSON schema; the core's class checks settings that depend on
# others
ResolutionSetting: TypeAlias = Annotated[
    str | InstanceOf[ResolutionStrategy] | Callable[[Passage, Passage], Passage | None],
    PlainSerializer(describe_resolution),
]
ResolutionsSetting: TypeAlias = Annotated[
    ResolutionSetting | tuple[ResolutionSetting, ...], PlainSerializer(describe_resolution)
]
PairJudgeSetting: TypeAlias = Annotated[
    InstanceOf[ConflictJudge] | Callable[..., Any], PlainSerializer(qualified_name)
]


def _checked_judge(judge: Any) -> Any:
    check_any_judge(judge)
    return judge


def _describe_judge(judge: AnyJudge) -> Any:
    if isinstance(judge, JudgeSettings):
        own = {} if judge.judge is None else {"judge": qualified_name(judge.judge)}
        return {**own, **judge.overrides()}
    return judge if judge is None or isinstance(judge, str) else qualified_name(judge)


# an AnyJudge, which has no JSON schema
JudgeSetting: TypeAlias = Annotated[
    Any, BeforeValidator(_checked_judge), PlainSerializer(_describe_judge)
]


class ConflictFields(BaseModel):
    """Fields of a filter and of a cleaner; objects and secrets stay out of dumps."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    index: PassageIndex | None = Field(default=None, exclude=True, repr=False)
    encoder: Encoder | None = Field(default=None, exclude=True, repr=False)
    threshold: Number | None = None
    settings: ContradictionSettings | None = None
    trusted_candidates: int = Field(default=10, strict=True)
    date_key: str = "date"
    source_key: str = "source"
    source_order: tuple[str, ...] = ()
    judge: Literal["auto"] | PairJudgeSetting | None = Field(default=None, repr=False)
    judge_above: Number | None = None


class FilterFields(ConflictFields):
    """Fields of a contradiction filter."""

    resolution: ResolutionSetting = "annotate"
    top_n: Count | None = None

    @model_validator(mode="before")
    @classmethod
    def _read_earlier_form(cls, values: Any) -> Any:
        """Saved filters of earlier versions have ``edited_copies``, which went, mostly as False."""
        if isinstance(values, Mapping) and values.get("edited_copies") is False:
            return {name: value for name, value in values.items() if name != "edited_copies"}
        return values

    against_trusted: AgainstTrusted = "drop"
    drop_above: Number | None = None


class CleanerFields(ConflictFields):
    """Fields of a corpus cleaner."""

    resolution: ResolutionsSetting = "annotate"
    ledger: InstanceOf[Ledger] | str | os.PathLike[str] | None = Field(
        default=None, exclude=True, repr=False
    )
    neighbours: int = Field(default=20, strict=True)
    against_trusted: cleaning_settings.AgainstTrusted = "quarantine"
    scope_keys: tuple[str, ...] = Field(default=cleaning_settings.SCOPE_KEYS, repr=False)


class FilterOptions(TypedDict, total=False):
    """:class:`FilterFields` as keyword arguments, except those that constructors name."""

    threshold: float | None
    settings: ContradictionSettings | None
    trusted_candidates: int
    against_trusted: AgainstTrusted
    date_key: str
    source_key: str
    source_order: Sequence[str]
    judge: AnyPairJudge
    judge_above: float | None
    drop_above: float | None


def refuse_unknown(owner: str, settings: Mapping[str, Any], known: Set[str] = frozenset()) -> None:
    """Refuse an unknown setting, which a framework would silently drop.

    Raises:
        ConfigurationError: the message names it and the known ones.
    """
    if unknown := sorted(settings.keys() - known):
        names = f"; there is {', '.join(sorted(known))}" if known else ""
        raise ConfigurationError(f"{owner} has no setting {unknown[0]!r}{names}.")


def split_options(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split keyword arguments of ``over`` into a retriever's settings and an index's.

    A name that neither knows counts as the retriever's.
    """
    names = {*Settings.__annotations__, "embed_model", "encoder", "identity"}
    own = {name: value for name, value in options.items() if name not in names}
    opening = {name: value for name, value in options.items() if name in names}
    return own, opening


def open_index_of(store: Any, *options: Any) -> PassageIndex:
    """Return the index of a store that is open already; refuse settings for it.

    Raises:
        ConfigurationError: there are settings.
    """
    if any(options):
        raise ConfigurationError("A LogicVectorStore is open already and takes no settings.")
    index: PassageIndex = store.index
    return index


def refuse_store_settings(settings: Settings, *further: str) -> None:
    """Refuse settings that an existing store decides, and ``further`` ones of a framework.

    Raises:
        ConfigurationError: the message names the first setting.
    """
    if refused := sorted(settings.keys() & {*_STORE_SETTINGS, *further}):
        raise ConfigurationError(f"Leave {refused[0]}= out: the store decides it.")


def warn_cleaning_skipped(count: int, error: Exception, kind: str) -> None:
    """Warn that documents were not examined and are passed on unchanged."""
    # another package's message may hold a key or a text
    own = isinstance(error, LogicRetrieversError)
    cause = f"{type(error).__name__}: {error}" if own else f"it raised {type(error).__name__}"
    warn(
        CleaningSkippedWarning,
        f"cleaning was skipped, and {count} {kind} go on unjudged ({cause}). Clean the collection"
        " when this is mended: logic_retrievers.cleaning.CorpusCleaner.clean()",
    )
