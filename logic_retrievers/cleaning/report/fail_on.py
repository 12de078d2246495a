"""Which findings a build should stop for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from logic_retrievers.cleaning.result import CleaningResult, Decision, Kind, Severity
from logic_retrievers.errors import ConfigurationError

FAIL_ON = (*(kind.value for kind in Kind), *get_args(Severity), "any")
"""What a build may fail on: a kind, a severity, or every finding there is."""


def check_fail_on(names: Sequence[str]) -> None:
    """Refuse a name that :func:`failing_decisions` does not know.

    Raises:
        ConfigurationError: a name that is not in :data:`FAIL_ON`.
    """
    unknown = [name for name in names if name not in FAIL_ON]
    if unknown:
        raise ConfigurationError(
            f"no kind or severity is called {unknown[0]!r}; use one of: {', '.join(FAIL_ON)}"
        )


def failing_decisions(result: CleaningResult, names: Sequence[str]) -> tuple[Decision, ...]:
    """The decisions whose finding is of one of some kinds or severities, in their order.

    ``names`` are of :data:`FAIL_ON`; nothing fails without any.

    Raises:
        ConfigurationError: a name that is not in :data:`FAIL_ON`.
    """
    check_fail_on(names)
    return tuple(
        decision
        for decision in result.decisions
        if not {"any", decision.finding.kind.value, decision.finding.severity}.isdisjoint(names)
    )
