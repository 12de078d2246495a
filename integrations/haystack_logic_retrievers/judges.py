"""Judges from Haystack's chat generators and rankers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from inspect import signature
from threading import Lock
from typing import Any

from haystack import Document
from haystack.dataclasses import ChatMessage

from logic_retrievers.adapters.framework_judges import ScoringJudge, scores_in_order
from logic_retrievers.adapters.settings import refuse_unknown
from logic_retrievers.errors import ConfigurationError, shown
from logic_retrievers.judging.chat_judge import ChatJudge
from logic_retrievers.judging.model_judge import ModelJudge

_MESSAGES = {"system": ChatMessage.from_system, "user": ChatMessage.from_user}


_warming_up = Lock()


def as_judge(model: Any, /, **settings: Any) -> ModelJudge:
    """Make a judge from a component of Haystack, for ``judge=`` and ``reranker=``.

        ConstraintRetriever(store, reranker=as_judge(CohereRanker(model="rerank-v3.5")))
        ConstraintRetriever(store, judge=as_judge(OpenAIChatGenerator()))

    A retriever or ranker with such a judge cannot be saved.

    Args:
        model: a chat generator, or a ranker. A ranker is called once for each query and returns
            all documents, whatever its ``top_k``.
        **settings: for a chat generator, the settings of :class:`~logic_retrievers.ChatJudge`, such
            as ``cache`` and the ``model``'s name, under which answers are kept.

    Raises:
        ConfigurationError: a different kind of component, or a setting that cannot work.
    """
    run = getattr(model, "run", None)
    inputs = signature(run).parameters if callable(run) else {}
    if "messages" in inputs:
        return ChatJudge(partial(_chat, model), **settings)
    refuse_unknown(f"as_judge of a {type(model).__name__}", settings)
    if {"query", "documents"} <= inputs.keys():
        return ScoringJudge(partial(_rank, model, has_top_k="top_k" in inputs), model)
    raise ConfigurationError(
        f"as_judge takes a chat generator or a ranker of Haystack, not {shown(model)}"
    )


def _chat(model: Any, turns: Sequence[tuple[str, str]]) -> str:
    _warm_up(model)
    reply = model.run(messages=[_MESSAGES[role](text) for role, text in turns])["replies"][0]
    return (reply.text or "").strip()


def _rank(model: Any, query: str, texts: list[str], *, has_top_k: bool) -> list[float | None]:
    _warm_up(model)
    documents = [Document(id=str(place), content=text) for place, text in enumerate(texts)]
    limit = {"top_k": len(texts)} if has_top_k else {}
    ranked = model.run(query=query, documents=documents, **limit)["documents"]
    return scores_in_order([(int(one.id), one.score) for one in ranked], len(texts))


def _warm_up(model: Any) -> None:
    if hasattr(model, "warm_up"):
        with _warming_up:  # a judge asks from several threads
            model.warm_up()  # outside a pipeline no one else does
