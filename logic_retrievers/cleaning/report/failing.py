"""Which findings a build should stop for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from logic_retrievers.cleaning.findings import Kind, Severity
from logic_retrievers.cleaning.result import Cleaned, Decision
from logic_retrievers.errors import ConfigurationError

WORDS = (*(kind.value for kind in Kind), *get_args(Severity), "any")
"""What can be asked for: a kind, a severity, or every finding there is."""


def check_words(wanted: Sequence[str]) -> None:
    """Refuses a word that :func:`failing` does not know.

    Raises:
        ConfigurationError: one that is not in ``WORDS``.
    """
    unknown = [word for word in wanted if word not in WORDS]
    if unknown:
        raise ConfigurationError(
            f"findings cannot be told by {unknown[0]!r}; use one of: {', '.join(WORDS)}"
        )


def failing(cleaned: Cleaned, wanted: Sequence[str]) -> tuple[Decision, ...]:
    """The decisions whose finding is of one of these kinds or severities, in their order.

    Args:
        cleaned: what was found.
        wanted: words of ``WORDS``; none of them: nothing fails.

    Raises:
        ConfigurationError: a word that is none of these.
    """
    check_words(wanted)
    return tuple(
        decision
        for decision in cleaned.decisions
        if "any" in wanted
        or decision.finding.kind.value in wanted
        or decision.finding.severity in wanted
    )
