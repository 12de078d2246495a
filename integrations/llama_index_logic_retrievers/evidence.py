"""Evidence on nodes: put on copies, kept out of embeddings, prompts and hashes, taken off again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from llama_index.core.schema import BaseNode, Document, IndexNode, Node, NodeWithScore, TextNode

from logic_retrievers.cleaning import Decision
from logic_retrievers.types import Hit

KEY = "logic"
"""The one metadata key of this package."""
CONTRADICTION = "contradiction"
"""Under our key: what a filter has to say, beside what ranked the node."""
CLEANING = "cleaning"
"""Under our key: what a cleaner found on the node's way into a store."""
QUARANTINED = "quarantined"
"""Under our key: True where the node is to be hidden; a collection looks for it there."""
REPLACED = "replaced"
"""Under our key: what the user had there, to be put back."""
_OF_EVIDENCE = frozenset({"policy", "scores", "ranks", "kept"})


def annotated(node: BaseNode, hit: Hit) -> NodeWithScore:
    """A copy of the node with the hit's score, rank and evidence; the node stays as it is."""
    own = without_evidence(node).metadata
    replaced = {REPLACED: {KEY: own[KEY]}} if KEY in own else {}
    return NodeWithScore(node=_with_evidence(node, _told(hit) | replaced), score=hit.score)


def noted(given: NodeWithScore, hit: Hit) -> NodeWithScore:
    """A copy of the node with a filter's evidence beside what ranked it; score and rest stay."""
    metadata = given.node.metadata
    found: Any = metadata.get(KEY)
    if not (_is_ranked(found) or _is_noted(found)):
        found = {REPLACED: {KEY: found}} if KEY in metadata else {}
    return NodeWithScore(
        node=_with_evidence(given.node, {**found, CONTRADICTION: _told(hit)}), score=given.score
    )


def judged(node: BaseNode, decisions: Sequence[Decision], *, quarantined: bool) -> BaseNode:
    """The node with a cleaner's verdict instead of an earlier one; a copy unless nothing changes.

    Args:
        node: on its way into a store.
        decisions: those that name it. Without any there is nothing to tell.
        quarantined: whether it is to be hidden.
    """
    plain = _unjudged(node)
    if not decisions:
        return plain
    found: Any = plain.metadata.get(KEY)
    if not (_is_ranked(found) or _is_noted(found)):
        found = {REPLACED: {KEY: found}} if KEY in plain.metadata else {}
    verdict = {CLEANING: {"findings": [one.seen_from(node.node_id) for one in decisions]}}
    hidden = {QUARANTINED: True} if quarantined else {}
    return _with_evidence(plain, {**found, **verdict, **hidden})


def is_quarantined(node: BaseNode) -> bool:
    """Whether a cleaner's verdict is that the node is to be hidden."""
    found: Any = node.metadata.get(KEY)
    return (_is_ranked(found) or _is_noted(found)) and found.get(QUARANTINED) is True


def without_evidence(node: BaseNode) -> BaseNode:
    """The node as it was before any evidence was put on it; itself where it has none."""
    kind = _PLAIN.get(type(node), type(node))
    found = node.metadata.get(KEY)
    if not (_is_ranked(found) or _is_noted(found)):
        return node if kind is type(node) else _copy(node, kind)
    return _copy(
        node,
        kind,
        metadata={key: value for key, value in node.metadata.items() if key != KEY}
        | dict(node.metadata[KEY].get(REPLACED, {})),
        excluded_embed_metadata_keys=_without_key(node.excluded_embed_metadata_keys),
        excluded_llm_metadata_keys=_without_key(node.excluded_llm_metadata_keys),
    )


# LlamaIndex merges nodes of several queries and retrievers by their hash, and the hash takes in all
# metadata. Evidence differs from query to query, so one node would be shown several times.


class EvidenceTextNode(TextNode):
    """A text node with evidence, and the hash that it has without."""

    @property
    def hash(self) -> str:
        """The hash of the node without evidence."""
        return without_evidence(self).hash


class EvidenceIndexNode(IndexNode):
    """An index node with evidence, and the hash that it has without."""

    @property
    def hash(self) -> str:
        """The hash of the node without evidence."""
        return without_evidence(self).hash


class EvidenceNode(Node):
    """A node with evidence, and the hash that it has without."""

    @property
    def hash(self) -> str:
        """The hash of the node without evidence."""
        return without_evidence(self).hash


class EvidenceDocument(Document):
    """A document with evidence, and the hash that it has without."""

    @property
    def hash(self) -> str:
        """The hash of the document without evidence."""
        return without_evidence(self).hash


_ANNOTATED: dict[type[BaseNode], type[BaseNode]] = {
    TextNode: EvidenceTextNode,
    IndexNode: EvidenceIndexNode,
    Node: EvidenceNode,
    Document: EvidenceDocument,
}
_PLAIN = {annotated: plain for plain, annotated in _ANNOTATED.items()}


def _with_evidence(node: BaseNode, evidence: Mapping[str, Any]) -> BaseNode:
    kind = _PLAIN.get(type(node), type(node))
    return _copy(
        node,
        _ANNOTATED.get(kind, kind),
        metadata=deepcopy({**without_evidence(node).metadata, KEY: dict(evidence)}),
        relationships=deepcopy(node.relationships),
        embedding=None if node.embedding is None else list(node.embedding),
        excluded_embed_metadata_keys=_with_key(node.excluded_embed_metadata_keys),
        excluded_llm_metadata_keys=_with_key(node.excluded_llm_metadata_keys),
    )


def _copy(node: BaseNode, kind: type[BaseNode], **changes: Any) -> BaseNode:
    """A shallow copy, of another class if need be: those of the tables have the same fields."""
    copy = node.model_copy(update=changes)
    object.__setattr__(copy, "__class__", kind)
    return copy


def _told(hit: Hit) -> dict[str, Any]:
    return {**hit.evidence.to_dict(), "score": hit.score, "rank": hit.rank}


def _is_ranked(evidence: Any) -> bool:
    """Whether it is ours, and says why a node stands where it stands."""
    return isinstance(evidence, Mapping) and evidence.keys() >= _OF_EVIDENCE


def _is_noted(evidence: Any) -> bool:
    """Whether it is ours, and a filter's or a cleaner's alone."""
    return (
        isinstance(evidence, Mapping)
        and evidence.keys() <= {CONTRADICTION, CLEANING, QUARANTINED, REPLACED}
        and (_is_ranked(evidence.get(CONTRADICTION)) or _is_cleaned(evidence.get(CLEANING)))
    )


def _is_cleaned(verdict: Any) -> bool:
    """Whether it is what :func:`judged` wrote."""
    return isinstance(verdict, Mapping) and isinstance(verdict.get("findings"), list)


def _unjudged(node: BaseNode) -> BaseNode:
    """The node without a cleaner's verdict; other evidence stays."""
    found: Any = node.metadata.get(KEY)
    if not (_is_ranked(found) or _is_noted(found)) or CLEANING not in found:
        return node
    if not _is_ranked(found) and CONTRADICTION not in found:
        return without_evidence(node)
    kept = {key: value for key, value in found.items() if key not in {CLEANING, QUARANTINED}}
    return _with_evidence(node, kept)


def _with_key(keys: list[str]) -> list[str]:
    return [*_without_key(keys), KEY]


def _without_key(keys: list[str]) -> list[str]:
    return [key for key in keys if key != KEY]
