"""What gives a question its passages, and what changes them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.probe.questions import ProbeQuestion
from logic_retrievers.types import Hit

Retrieve: TypeAlias = Callable[[ProbeQuestion, int], Sequence[Hit]]
"""The passages for a question, best first, at most so many."""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """A way of retrieving that says what changes its answers.

    A file of traces remembers it, and a run that goes on with other settings under the same name is
    refused. Any function can take the place of this class; then its name alone is compared.

    Args:
        retrieve: gives a question its passages.
        settings: policy, thresholds, fingerprints, whatever changes them; as JSON can hold it, no
            secret.

    Raises:
        ConfigurationError: settings that JSON cannot hold.
    """

    retrieve: Retrieve
    settings: Mapping[str, Any]

    def __post_init__(self) -> None:
        try:
            json.dumps(self.settings)
        except (TypeError, ValueError) as error:
            raise ConfigurationError(f"the settings of a retrieval must be JSON: {error}") from None

    def __call__(self, question: ProbeQuestion, depth: int) -> Sequence[Hit]:
        """The passages."""
        return self.retrieve(question, depth)


def settings_of(retrieve: Retrieve) -> dict[str, Any]:
    """What a way of retrieving says of itself, in one level and as JSON reads it back.

    ``{"policy": {"name": "auto"}}`` becomes ``{"policy.name": "auto"}``; of a plain function there
    is nothing.
    """
    if not isinstance(retrieve, Retrieval):
        return {}
    return dict(_leaves(json.loads(json.dumps(retrieve.settings)), ""))


def _leaves(value: Any, path: str) -> list[tuple[str, Any]]:
    if not isinstance(value, dict):
        return [(path, value)]
    within = f"{path}." if path else ""
    return [leaf for name, inner in value.items() for leaf in _leaves(inner, f"{within}{name}")]
