"""Turn nodes into passages and back, keeping ids, relationships, excluded keys and templates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from llama_index.core.schema import (
    BaseNode,
    Document,
    ImageDocument,
    ImageNode,
    IndexNode,
    MetadataMode,
    Node,
    NodeRelationship,
    NodeWithScore,
    RelatedNodeInfo,
    TextNode,
)
from pydantic_core import PydanticSerializationError

from llama_index_logic_retrievers.evidence import with_ranking, without_evidence
from logic_retrievers.adapters.evidence_metadata import is_quarantined
from logic_retrievers.errors import InputError
from logic_retrievers.index.point_format import FIELDS_OF_PASSAGE
from logic_retrievers.text import is_blank
from logic_retrievers.types import Hit, Passage

_KINDS: dict[str, type[BaseNode]] = {
    kind.class_name(): kind
    for kind in (TextNode, ImageNode, IndexNode, Node, Document, ImageDocument)
}
AnyNode: TypeAlias = NodeWithScore | BaseNode


def passage_of(node: AnyNode) -> Passage:
    """Return a node's passage to rank or judge, with its text and the text to embed."""
    node = node.node if isinstance(node, NodeWithScore) else node
    if not isinstance(node, BaseNode):
        raise InputError(f"A node is needed, not {type(node).__name__}.")
    node = without_evidence(node)
    text = node.get_content(metadata_mode=MetadataMode.NONE)
    embedded = node.get_content(metadata_mode=MetadataMode.EMBED)
    start, end = getattr(node, "start_char_idx", None), getattr(node, "end_char_idx", None)
    return Passage(
        id=node.node_id,
        text=text,
        metadata=node.metadata,
        source=node.ref_doc_id,
        span=None if start is None or end is None else (start, end),
        # a node without text must not be judged by its metadata
        embed_text=embedded if embedded != text and not is_blank(text) else None,
    )


def with_score(node: AnyNode) -> NodeWithScore:
    """Return a node with a score, as retrievers do; users also pass nodes without one."""
    return node if isinstance(node, NodeWithScore) else NodeWithScore(node=node)


def trusted_passages(trusted: Sequence[AnyNode | Passage]) -> tuple[Passage, ...]:
    """Return trusted nodes as passages."""
    return tuple(node if isinstance(node, Passage) else passage_of(node) for node in trusted)


def stored_passage(node: BaseNode) -> Passage:
    """Return a node's passage to store, with the fields that :func:`node_of` restores."""
    quarantined = is_quarantined(node.metadata)
    node = without_evidence(node)
    try:
        fields = node.model_dump(mode="json")
    except (PydanticSerializationError, TypeError):  # the index then stores or refuses this node
        fields = node.model_dump()
    rest = {key: value for key, value in fields.items() if key not in FIELDS_OF_PASSAGE}
    resource = {k: v for k, v in (fields.get("text_resource") or {}).items() if k != "text" and v}
    if resource:
        rest["text_resource"] = resource
    embedded = node.get_content(metadata_mode=MetadataMode.EMBED)
    passage = passage_of(node)
    return replace(
        passage,
        # unlike passage_of, because LlamaIndex finds pages without text by metadata
        embed_text=embedded if embedded != passage.text else None,
        extra={"node": rest, "node_type": node.class_name()},
        quarantined=quarantined,
    )


def node_of(passage: Passage) -> BaseNode:
    """Return the stored node, or a plain text node if another tool stored the passage."""
    if "node" not in passage.extra:
        return _text_node(passage)
    kind = _KINDS.get(passage.extra.get("node_type", ""), TextNode)
    fields: dict[str, Any] = {
        **passage.extra["node"],
        "id_": passage.id,
        "metadata": dict(passage.metadata),
    }
    if issubclass(kind, Node):
        fields["text_resource"] = {**fields.get("text_resource", {}), "text": passage.text}
    else:
        fields["text"] = passage.text
    return kind.from_dict(fields)


def to_nodes(hits: Sequence[Hit]) -> list[NodeWithScore]:
    """Return hits as LlamaIndex's nodes with scores, best first."""
    return [with_ranking(node_of(hit.passage), hit) for hit in hits]


def _text_node(passage: Passage) -> TextNode:
    start, end = passage.span or (None, None)
    source = None if passage.source is None else RelatedNodeInfo(node_id=passage.source)
    return TextNode(
        id_=passage.id,
        text=passage.text,
        metadata=dict(passage.metadata),
        relationships={} if source is None else {NodeRelationship.SOURCE: source},
        start_char_idx=start,
        end_char_idx=end,
    )
