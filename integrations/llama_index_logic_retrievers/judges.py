"""Judges from LlamaIndex's LLMs and rerankers."""

from __future__ import annotations

from functools import partial
from typing import Any

from llama_index.core.base.llms.base import BaseLLM
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, TextNode

from llama_index_logic_retrievers.models import chat
from logic_retrievers.adapters.framework_judges import (
    ScoringJudge,
    scores_in_order,
    without_limit,
)
from logic_retrievers.adapters.settings import refuse_unknown
from logic_retrievers.errors import ConfigurationError, shown
from logic_retrievers.judging.chat_judge import ChatJudge
from logic_retrievers.judging.model_judge import ModelJudge


def as_judge(model: BaseLLM | BaseNodePostprocessor, /, **settings: Any) -> ModelJudge:
    """Make a judge from a model of LlamaIndex, for ``judge=`` and ``reranker=``.

        ConstraintRetriever(index, reranker=as_judge(SentenceTransformerRerank(model="...")))
        ConstraintRetriever(index, judge=as_judge(OpenAI()))

    Args:
        model: an LLM, or a node postprocessor that reranks. A reranker is called once for each
            query and returns all nodes, whatever its ``top_n``.
        **settings: for an LLM, the settings of :class:`~logic_retrievers.ChatJudge`, such as
            ``cache`` and the ``model``'s name, under which answers are kept.

    Raises:
        ConfigurationError: a different kind of model, or a setting that cannot work.
    """
    if isinstance(model, BaseLLM):
        return ChatJudge(partial(chat, model), **settings)
    refuse_unknown(f"as_judge of a {type(model).__name__}", settings)
    if isinstance(model, BaseNodePostprocessor):
        return ScoringJudge(partial(_postprocess, model), model)
    raise ConfigurationError(
        "as_judge takes an LLM or a node postprocessor that reranks, of LlamaIndex, not"
        f" {shown(model)}"
    )


def _postprocess(model: BaseNodePostprocessor, query: str, texts: list[str]) -> list[float | None]:
    # without a score, so that a score afterwards is the reranker's
    nodes = [
        NodeWithScore(node=TextNode(id_=str(place), text=text)) for place, text in enumerate(texts)
    ]
    reranked = without_limit(model, len(texts)).postprocess_nodes(nodes, query_str=query)
    returned = [(int(node.node_id), node.score) for node in reranked]
    return scores_in_order(returned, len(texts))
