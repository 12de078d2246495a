"""Judges from LangChain's chat models, rerankers and cross-encoders."""

from __future__ import annotations

from functools import partial
from typing import Any

from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable

from langchain_logic_retrievers.models import chat
from logic_retrievers.adapters.framework_judges import (
    ScoringJudge,
    scores_in_order,
    without_limit,
)
from logic_retrievers.adapters.settings import refuse_unknown
from logic_retrievers.errors import ConfigurationError, MalformedAnswerError, shown
from logic_retrievers.judging.chat_judge import ChatJudge
from logic_retrievers.judging.model_judge import ModelJudge


def as_judge(model: Any, /, **settings: Any) -> ModelJudge:
    """Make a judge from a model of LangChain, for ``judge=`` and ``reranker=``.

    Args:
        model: a chat model (also with ``bind``, ``with_retry`` or ``with_fallbacks``), a document
            compressor that reranks, or a cross-encoder. A reranker is called once for each query
            and returns all documents, whatever its ``top_n``.
        **settings: for a chat model, the settings of :class:`~logic_retrievers.ChatJudge`, such as
            ``cache`` and the ``model``'s name, under which answers are kept.

    Raises:
        ConfigurationError: a different kind of model, or a setting that cannot work.

    Examples:
        >>> cohere = as_judge(CohereRerank(model="rerank-v3.5"))       # doctest: +SKIP
        >>> ConstraintRetriever(index=index, reranker=cohere)          # doctest: +SKIP
        >>> ConstraintRetriever(index=index, judge=as_judge(ChatOpenAI()))  # doctest: +SKIP
    """
    if isinstance(model, Runnable) and not isinstance(model, BaseRetriever):
        return ChatJudge(partial(chat, model), **settings)
    refuse_unknown(f"as_judge of a {type(model).__name__}", settings)
    if isinstance(model, BaseDocumentCompressor):
        return ScoringJudge(partial(_compress, model), model)
    if callable(getattr(model, "score", None)):  # BaseCrossEncoder moves between versions
        return ScoringJudge(partial(_score, model), model)
    raise ConfigurationError(
        "as_judge takes a chat model, a document compressor that reranks, or a cross-encoder of"
        f" LangChain, not {shown(model)}"
    )


def _compress(model: BaseDocumentCompressor, query: str, texts: list[str]) -> list[float | None]:
    documents = [Document(text) for text in texts]
    reranked = without_limit(model, len(texts)).compress_documents(documents, query)
    # by text, because some compressors return new documents
    places = {text: place for place, text in enumerate(texts)}
    try:
        returned = [
            (places[document.page_content], document.metadata.get("relevance_score"))
            for document in reranked
        ]
    except KeyError:
        raise MalformedAnswerError("it changed a document's text, and is no reranker") from None
    return scores_in_order(returned, len(texts))


def _score(model: Any, query: str, texts: list[str]) -> list[float]:
    return list(model.score([(query, text) for text in texts]))
