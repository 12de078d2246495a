"""What LangChain's ``from_texts`` and ``from_documents`` say, as what an index is opened with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from langchain_core.embeddings import Embeddings

from langchain_logic_retrievers.embeddings import LogicEmbeddings, completed
from logic_retrievers.answering import AnyPolicy
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import Settings


@dataclass(frozen=True, slots=True)
class Opening:
    """What a store is made of.

    Args:
        collection: its name.
        policy: for searches that name none.
        settings: of :meth:`PassageIndex.open`.
        identity: says which model the embeddings are.
    """

    collection: str
    policy: AnyPolicy
    settings: Settings
    identity: str | None


def read_opening(keywords: dict[str, Any]) -> Opening:
    """Sorts the keyword arguments of ``from_texts``.

    Raises:
        ConfigurationError: one that nobody knows, or the collection's name twice.
    """
    rest = dict(keywords)
    names = [rest.pop(key) for key in ("collection", "collection_name") if key in rest]
    if len(names) > 1:
        raise ConfigurationError("Name the collection once: collection= or collection_name=.")
    policy, identity = rest.pop("policy", "auto"), rest.pop("identity", None)
    if unknown := sorted(rest.keys() - Settings.__annotations__.keys()):
        raise ConfigurationError(
            f"Unknown setting {unknown[0]!r}. A server's URL or a folder is location=; the others "
            f"are {', '.join(sorted(Settings.__annotations__))}."
        )
    settings = cast("Settings", rest)
    return Opening(names[0] if names else "passages", policy, settings, identity)


def encoder_for(embedding: Embeddings | None, identity: str | None) -> Encoder | None:
    """The encoder that a store gets; None for that of the bundle that comes with the package.

    Args:
        embedding: :class:`LogicEmbeddings` give their encoder with all its vectors; any others make
            the topical vectors, beside compatibility vectors of the package's bundle.
        identity: says which model the others are.
    """
    if embedding is None:
        return None
    if isinstance(embedding, LogicEmbeddings):
        return embedding.source
    return completed(embedding, identity=identity)
