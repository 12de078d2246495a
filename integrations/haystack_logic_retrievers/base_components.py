"""Base classes of the components, whose store and encoder open at first use."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Self

from haystack import default_from_dict
from haystack.document_stores.types import FilterPolicy

from haystack_logic_retrievers.settings import (
    any_judge_from,
    check_encoder,
    describe_any_judge,
    describe_any_policy,
    refuse_to_save,
    with_settings,
)
from haystack_logic_retrievers.store import LogicDocumentStore
from logic_retrievers.adapters.descriptions import any_policy_from
from logic_retrievers.adapters.settings import (
    RankingSettings,
    describe_settings,
    read_settings,
)
from logic_retrievers.effects import encoder_threads
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import ConfigurationError, shown
from logic_retrievers.index import PassageIndex
from logic_retrievers.judging.settings import AnyJudge, check_any_judge
from logic_retrievers.ranking.query_input import (
    AnyPolicy,
    Hard,
    QuerySyntax,
    check_exclude,
    check_syntax,
)


class StoreComponent:
    """A component over a store, or over documents from any source."""

    document_store: LogicDocumentStore | None
    bundle: str | None = None
    encoder: Encoder | None = None

    def _set_store(
        self, store: Any, bundle: str | None = None, encoder: Encoder | None = None
    ) -> None:
        check_encoder(bundle, encoder)
        if store is not None and not isinstance(store, LogicDocumentStore):
            raise ConfigurationError(
                f"document_store= must be a LogicDocumentStore, not {shown(store)}."
            )
        self.document_store = store
        self.bundle = bundle
        self.encoder = encoder

    @property
    def _index(self) -> PassageIndex | None:
        return None if self.document_store is None else self.document_store.index

    def _refuse_own_encoder(self) -> None:
        if self.encoder is not None:
            raise refuse_to_save("encoder", self.encoder, "Name a bundle's folder: bundle=.")

    @abstractmethod
    def _load(self) -> Any:
        """Open the store and load the encoder."""

    def warm_up(self) -> None:
        self._load()

    async def warm_up_async(self) -> None:
        """:meth:`warm_up` without blocking the event loop."""
        await encoder_threads.submit(self._load)

    def close(self) -> None:
        if self.document_store is not None:
            self.document_store.close()

    async def close_async(self) -> None:
        if self.document_store is not None:
            await self.document_store.close_async()


class QueryComponent(StoreComponent):
    """A component that ranks by a query."""

    # the settings that this kind of component passes on as they are
    _passed_on: type[RankingSettings]
    fields: Mapping[str, Any] | None

    def _set_query_settings(
        self,
        policy: AnyPolicy,
        query_syntax: QuerySyntax,
        exclude: list[str] | None,
        hard: Hard,
        judge: AnyJudge,
        reranker: AnyJudge,
        further: Mapping[str, Any],
    ) -> None:
        check_syntax(query_syntax, policy)
        check_any_judge(judge)
        check_any_judge(reranker, "reranker")
        self.policy = policy
        self.query_syntax = query_syntax
        self.exclude = list(check_exclude(() if exclude is None else exclude, hard, policy))
        self.hard = hard
        self.judge = judge
        self.reranker = reranker
        for name, value in read_settings(self._passed_on, policy, further).items():
            setattr(self, name, value)

    def _own_where_none(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Replace each None in the arguments of a run by the component's setting."""
        return {
            name: getattr(self, name) if value is None else value for name, value in given.items()
        }

    def _describe_query_settings(self) -> dict[str, Any]:
        return {
            "policy": describe_any_policy(self.policy),
            "query_syntax": self.query_syntax,
            "exclude": self.exclude,
            "hard": self.hard,
            "judge": describe_any_judge(self.judge),
            "reranker": describe_any_judge(self.reranker, "reranker"),
            **describe_settings(self._passed_on, self),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        made = with_settings(
            data,
            policy=any_policy_from,
            judge=any_judge_from,
            reranker=any_judge_from,
            filter_policy=FilterPolicy.from_str,
        )
        return default_from_dict(cls, made)
