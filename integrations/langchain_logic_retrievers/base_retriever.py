"""Run the search of a retriever, with or without ``await``, and trace it."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import Any

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from langchain_logic_retrievers.documents import to_document
from langchain_logic_retrievers.settings import STRICT
from langchain_logic_retrievers.tracing import RETRIEVAL, asend_event, send_event
from logic_retrievers.adapters.descriptions import describe_hits
from logic_retrievers.contradiction import ContradictionSearch
from logic_retrievers.search import Engine


class LogicRetriever(BaseRetriever):
    """Base of the retrievers: any setting in ``SearchOptions`` can be given to one call."""

    model_config = STRICT

    @abstractmethod
    def _request(
        self, query: str, settings: dict[str, Any]
    ) -> tuple[str, Engine | ContradictionSearch, dict[str, Any]]:
        """Return the policy's name, the core's object, and the arguments of its ``search``."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **settings: Any
    ) -> list[Document]:
        policy, core, request = self._request(query, settings)
        hits = core.search(**request)
        send_event(RETRIEVAL, partial(describe_hits, policy, hits), run_manager.get_child())
        return [to_document(hit) for hit in hits]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **settings: Any
    ) -> list[Document]:
        policy, core, request = self._request(query, settings)
        hits = await core.asearch(**request)
        await asend_event(RETRIEVAL, partial(describe_hits, policy, hits), run_manager.get_child())
        return [to_document(hit) for hit in hits]
