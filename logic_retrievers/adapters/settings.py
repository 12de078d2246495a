"""Pydantic fields for settings that several frameworks share.

:class:`logic_retrievers.ContradictionFilter` and
:class:`logic_retrievers.conflicts.cleaning.settings.CleaningSettings` explain the settings.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence, Set
from datetime import date
from functools import partial
from typing import Annotated, Any, Literal, TypeAlias, TypedDict

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    InstanceOf,
    PlainSerializer,
    ValidationError,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema
from qdrant_client import models

from logic_retrievers.adapters.descriptions import (
    any_policy_from,
    describe_date,
    describe_fields,
    describe_judge,
    describe_params,
    describe_resolution,
    qualified_name,
)
from logic_retrievers.checks import MAX_COUNT, check_count, check_number, check_type
from logic_retrievers.conflicts import ContradictionSettings, Ledger
from logic_retrievers.conflicts.cleaning import settings as cleaning_settings
from logic_retrievers.conflicts.conflict_resolution import AgainstTrusted
from logic_retrievers.conflicts.pair_judge import AnyPairJudge
from logic_retrievers.conflicts.resolution_strategies import ResolutionStrategy
from logic_retrievers.encoders import Encoder, default_encoder
from logic_retrievers.errors import (
    CleaningSkippedWarning,
    ConfigurationError,
    LogicRetrieversError,
    warn,
)
from logic_retrievers.fields import check_fields
from logic_retrievers.index import PassageIndex, Settings
from logic_retrievers.index.filters import to_qdrant_filter
from logic_retrievers.index.groups import check_group_by
from logic_retrievers.index.point_format import METADATA
from logic_retrievers.index.search_params import SearchParams, check_params
from logic_retrievers.judging.settings import AnyJudge, check_any_judge
from logic_retrievers.policies import (
    AutoPolicy,
    Policy,
    PolicyRouter,
    describe_policy,
    resolve_policy,
)
from logic_retrievers.policies.auto import with_fields
from logic_retrievers.queries.parsed_query import check_excluded
from logic_retrievers.ranking.query_input import (
    AnyPolicy,
    Hard,
    QuerySyntax,
    check_exclude,
    check_now,
    check_syntax,
    read_query,
)
from logic_retrievers.rerank import Reranker
from logic_retrievers.search import Engine
from logic_retrievers.types import Passage
from logic_retrievers.validity import AsOf, Validity, check_as_of, check_validity

# reaction of an ingestion hook if the model, the ledger or Qdrant fails
OnError: TypeAlias = Literal["raise", "skip"]
_STORE_SETTINGS = frozenset({"location", "client", "api_key", "prefer_grpc", "grpc_port", "create"})


def _checked(check: Callable[[Any], object]) -> Callable[[Any], Any]:
    """Make a validator from a check that raises this package's errors."""

    def validate(value: Any) -> Any:
        check(value)
        return value

    return validate


def check_policy(policy: Any) -> str | Policy | PolicyRouter:
    """Check a policy, or make one from the output of :func:`describe_policy`.

    Raises:
        UnknownPolicyError: no policy has that name.
        ConfigurationError: ``policy`` is not a policy, or its description cannot restore one.
    """
    made: str | Policy | PolicyRouter = any_policy_from(policy)
    resolve_policy(made)
    return made


# pydantic alone accepts True as 1
Number: TypeAlias = Annotated[
    float, BeforeValidator(_checked(partial(check_number, "this setting")))
]
Count: TypeAlias = Annotated[
    int, BeforeValidator(_checked(partial(check_count, "the number of documents")))
]
ValiditySetting: TypeAlias = Annotated[
    tuple[str, str] | None, BeforeValidator(_checked(check_validity))
]
ExcludeSetting: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(check_excluded)]
# InstanceOf keeps a type out of a JSON schema, and keeps a dict with a Qdrant filter's keys from
# becoming a Qdrant filter. The core's class checks settings that depend on each other.
PolicySetting: TypeAlias = Annotated[
    str | InstanceOf[Policy] | InstanceOf[PolicyRouter],
    BeforeValidator(check_policy),
    PlainSerializer(lambda policy: policy if isinstance(policy, str) else describe_policy(policy)),
]
FilterSetting: TypeAlias = Annotated[
    InstanceOf[models.Filter] | Mapping[str, Any], AfterValidator(_checked(to_qdrant_filter))
]
TrustedFilterSetting: TypeAlias = (
    FilterSetting
    | Annotated[
        Callable[[Passage], bool],
        PlainSerializer(lambda value: qualified_name(value) if callable(value) else value),
    ]
)
_Resolution: TypeAlias = (
    str | InstanceOf[ResolutionStrategy] | Callable[[Passage, Passage], Passage | None]
)
ResolutionSetting: TypeAlias = Annotated[
    _Resolution | tuple[_Resolution, ...], PlainSerializer(describe_resolution)
]
PairJudgeSetting: TypeAlias = Annotated[Callable[..., Any], PlainSerializer(describe_judge)]
# the types are Any, because AnyJudge has no JSON schema
JudgeSetting: TypeAlias = Annotated[
    Any, BeforeValidator(_checked(check_any_judge)), PlainSerializer(describe_judge)
]
RerankerSetting: TypeAlias = Annotated[
    Any,
    BeforeValidator(_checked(partial(check_any_judge, setting="reranker"))),
    PlainSerializer(describe_judge),
]


FieldsSetting: TypeAlias = Annotated[
    Any,
    BeforeValidator(lambda fields: None if fields is None else check_fields(fields)),
    PlainSerializer(describe_fields),
]
DateSetting: TypeAlias = Annotated[Any, PlainSerializer(describe_date)]


class RankingSettings(BaseModel):
    """Settings of searches and rerankings that frameworks pass on as they are."""

    fields: FieldsSetting = None
    now: Annotated[DateSetting, BeforeValidator(_checked(check_now))] = None


class SearchSettings(RankingSettings):
    """Settings of searches that frameworks pass on as they are.

    A new option of the engine needs a line here and in :class:`SearchSettingsOptions`. Every
    framework's retriever then takes it, saves it, and passes it on.
    """

    validity: ValiditySetting = None
    strict_fields: Annotated[
        bool, BeforeValidator(_checked(lambda value: check_type("strict_fields", value, bool)))
    ] = False
    as_of: DateSetting = None
    group_by: Any = None
    per_group: Any = 1
    offset: Annotated[
        Any,
        BeforeValidator(_checked(lambda value: check_count("offset", value, MAX_COUNT, least=0))),
    ] = 0
    params: Annotated[
        Any, BeforeValidator(_checked(check_params)), PlainSerializer(describe_params)
    ] = None

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        if self.as_of is not None or self.validity is not None:
            check_as_of(self.as_of, self.validity)
        check_group_by(self.group_by, self.per_group, [METADATA])


def read_settings(
    kind: type[RankingSettings], policy: AnyPolicy, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Check settings; return all settings of this kind, with defaults for those not given.

    Raises:
        ConfigurationError, InputError: a setting is unknown or cannot work.
    """
    refuse_unknown("This component", settings, kind.model_fields.keys())
    try:
        read = dict(kind.model_validate(dict(settings)))
    except ValidationError as error:
        raise error.errors()[0]["ctx"]["error"] from None  # this package's own error
    with_fields(resolve_policy(policy), read["fields"])
    return read


def describe_settings(kind: type[RankingSettings], component: object) -> dict[str, Any]:
    """Describe a component's settings of this kind in JSON types."""
    own = {name: getattr(component, name) for name in kind.model_fields}
    return kind.model_validate(own).model_dump(mode="json")


class QueryFields(RankingSettings):
    """Fields of a retriever and of a reranker."""

    policy: PolicySetting = "auto"
    query_syntax: QuerySyntax = "words"
    exclude: ExcludeSetting = ()
    hard: Hard = False
    judge: JudgeSetting = Field(default="auto", repr=False)
    reranker: RerankerSetting = Field(default=None, repr=False)

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        check_syntax(self.query_syntax, self.policy)
        check_exclude(self.exclude, self.hard, self.policy)
        with_fields(resolve_policy(self.policy), self.fields)


class RerankerFields(QueryFields):
    """Fields of a reranker."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    top_n: Count | None = None
    encoder: SkipJsonSchema[Encoder | None] = Field(default=None, exclude=True, repr=False)
    index: SkipJsonSchema[PassageIndex | None] = Field(default=None, exclude=True, repr=False)

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        if self.encoder is None and self.index is None:
            default_encoder()  # load now, because loading later may block an event loop

    def _request(self, query: str, candidates: Sequence[tuple[Passage, Any]]) -> dict[str, Any]:
        """Return the arguments of :meth:`logic_retrievers.Reranker.rerank`."""
        return {
            "query": read_query(query, self.query_syntax, self.policy),
            "passages": [passage for passage, _ in candidates],
            "k": self.top_n,
            "exclude": self.exclude,
            "hard": self.hard,
            "now": self.now,
        }

    def _reranker(self) -> Reranker:
        return Reranker(
            self.encoder,
            with_fields(resolve_policy(self.policy), self.fields),
            index=self.index,
            judge=self.judge,
            reranker=self.reranker,
        )


class ConflictFields(BaseModel):
    """Fields of a filter and of a cleaner. Objects and secrets stay out of dumps."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    index: PassageIndex | None = Field(default=None, exclude=True, repr=False)
    encoder: Encoder | None = Field(default=None, exclude=True, repr=False)
    threshold: Number | None = None
    resolution: ResolutionSetting = "annotate"
    settings: ContradictionSettings | None = None
    trusted_candidates: int = Field(default=10, strict=True)
    date_key: str = "date"
    source_key: str = "source"
    source_order: tuple[str, ...] = ()
    validity: ValiditySetting = None
    judge: Literal["auto"] | PairJudgeSetting | None = Field(default="auto", repr=False)
    judge_above: Number | None = None


class FilterFields(ConflictFields):
    """Fields of a contradiction filter."""

    top_n: Count | None = None
    against_trusted: AgainstTrusted = "drop"
    drop_above: Number | None = None

    @model_validator(mode="before")
    @classmethod
    def _read_earlier_form(cls, values: Any) -> Any:
        """Drop ``edited_copies=False``, which earlier versions saved with a filter."""
        if isinstance(values, Mapping) and values.get("edited_copies") is False:
            return {name: value for name, value in values.items() if name != "edited_copies"}
        return values


class CleanerFields(ConflictFields):
    """Fields of a corpus cleaner."""

    ledger: InstanceOf[Ledger] | str | os.PathLike[str] | None = Field(
        default=None, exclude=True, repr=False
    )
    neighbours: int = Field(default=20, strict=True)
    against_trusted: cleaning_settings.AgainstTrusted = "quarantine"
    version_key: str = "version"
    document_key: str | None = None
    scope_keys: tuple[str, ...] = Field(default=cleaning_settings.SCOPE_KEYS, repr=False)
    supersede: cleaning_settings.Supersede = "hide"
    hide_above: Number | None = None


class SearchSettingsOptions(TypedDict, total=False):
    """:class:`SearchSettings` as keyword arguments."""

    fields: Mapping[str, Any] | None
    validity: Validity | None
    now: date | str | None
    strict_fields: bool | None
    as_of: AsOf
    group_by: str | None
    per_group: int | None
    offset: int | None
    params: SearchParams


class QueryOptions(SearchSettingsOptions, total=False):
    """Settings that a single search may override."""

    policy: AnyPolicy | None
    min_score: float | None
    query_syntax: QuerySyntax | None
    exclude: Sequence[str] | None
    hard: Hard | None
    judge: AnyJudge
    reranker: AnyJudge


class ContradictionOptions(TypedDict, total=False):
    """Settings that a single search for contradictions may override."""

    min_probability: float | None
    candidates: int | None
    alpha: float | None


class FilterOptions(TypedDict, total=False):
    """:class:`FilterFields` as keyword arguments, except those that constructors name."""

    threshold: float | None
    settings: ContradictionSettings | None
    trusted_candidates: int
    against_trusted: AgainstTrusted
    date_key: str
    source_key: str
    source_order: Sequence[str]
    validity: Validity | None
    judge: AnyPairJudge
    judge_above: float | None
    drop_above: float | None


def refuse_unknown(owner: str, settings: Mapping[str, Any], known: Set[str] = frozenset()) -> None:
    """Refuse an unknown setting, which frameworks silently drop.

    Raises:
        ConfigurationError: the message names the unknown setting and the known ones.
    """
    if unknown := sorted(settings.keys() - known):
        names = f"; there is {', '.join(sorted(known))}" if known else ""
        raise ConfigurationError(f"{owner} has no setting {unknown[0]!r}{names}.")


def engine_and_request(
    index: PassageIndex, query: str, settings: Mapping[str, Any]
) -> tuple[Engine, dict[str, Any]]:
    """Make the engine of one search, and the arguments of its ``search``.

    Args:
        index: the index to search.
        query: text of the query.
        settings: :class:`QueryOptions` and the engine's ``k`` and ``filter``, all given.
    """
    request = {**settings, "query": read_query(query, settings["query_syntax"], settings["policy"])}
    del request["query_syntax"]
    policy = resolve_policy(request.pop("policy"))
    of_engine = {name: request.pop(name) for name in ("fields", "validity", "judge", "reranker")}
    if not isinstance(policy, AutoPolicy) or policy.fields:
        # a single search may name a policy without fields, or with fields of its own
        del of_engine["fields"]
    return Engine(index, policy, **of_engine), request


def split_options(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split keyword arguments of ``over`` into a retriever's settings and an index's.

    Unknown names go to the retriever, which refuses them.
    """
    names = {*Settings.__annotations__, "embed_model", "encoder", "identity"}
    own = {name: value for name, value in options.items() if name not in names}
    opening = {name: value for name, value in options.items() if name in names}
    return own, opening


def open_index_of(store: Any, *options: Any) -> PassageIndex:
    """Return the index of an open store; refuse settings, because the store is open already.

    Raises:
        ConfigurationError: an option is set.
    """
    if any(options):
        raise ConfigurationError("A LogicVectorStore is open already and takes no settings.")
    index: PassageIndex = store.index
    return index


def refuse_store_settings(settings: Settings, *further: str) -> None:
    """Refuse settings that an existing store decides, and the settings in ``further``.

    Raises:
        ConfigurationError: the message names the first such setting.
    """
    if refused := sorted(settings.keys() & {*_STORE_SETTINGS, *further}):
        raise ConfigurationError(f"Leave {refused[0]}= out: the store decides it.")


def warn_cleaning_skipped(count: int, error: Exception, kind: str) -> None:
    """Warn that documents are passed on unchanged, because cleaning failed."""
    # messages of other packages may hold a key or a text
    own = isinstance(error, LogicRetrieversError)
    cause = f"{type(error).__name__}: {error}" if own else f"it raised {type(error).__name__}"
    warn(
        CleaningSkippedWarning,
        f"cleaning was skipped, and {count} {kind} go on unjudged ({cause}). Clean the collection"
        " when this is mended: logic_retrievers.conflicts.CorpusCleaner.clean()",
    )
