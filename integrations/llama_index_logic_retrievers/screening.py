"""The core's cleaner for nodes: made of a cleaner's settings, and its verdicts on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from llama_index.core.schema import BaseNode
from qdrant_client import models

from llama_index_logic_retrievers.evidence import judged
from llama_index_logic_retrievers.filters import as_filter
from logic_retrievers import cleaning
from logic_retrievers.cleaning import Screened
from logic_retrievers.index.payloads import METADATA


def core_of(chosen: Mapping[str, Any]) -> cleaning.CorpusCleaner:
    """The core's cleaner with these settings.

    Raises:
        UnknownPolicyError, ConfigurationError, InputError: a setting that cannot work.
    """
    index, wanted = chosen["index"], chosen["trusted_filter"]
    translated = as_filter(wanted, (METADATA,) if index is None else index.prefixes)
    if wanted is not None and translated is None:
        translated = models.Filter()  # nothing was asked for: to be refused, not to pick nobody
    return cleaning.CorpusCleaner(**{**chosen, "trusted_filter": translated})


def judged_nodes(nodes: Sequence[BaseNode], screened: Screened) -> list[BaseNode]:
    """The nodes with the verdicts on their passages."""
    hidden = set(screened.cleaned.quarantined)
    about = screened.cleaned.by_passage()
    return [
        judged(node, about.get(node.node_id, ()), quarantined=node.node_id in hidden)
        for node in nodes
    ]
