"""All targets by name, and a run of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from math import ceil

from .bundles import Bundles, QueryEncoders
from .calls import Calls
from .commands import Commands
from .databases import Caches, Ledgers
from .documents import Rows
from .filters import Filters
from .folders import Folders
from .harness import Outcome, Tally, Target, run_input, run_target
from .isolation import IsolatedTarget
from .passages import Passages
from .replies import Replies
from .settings import Settings
from .workplace import workplace

TARGETS: dict[str, type[Target]] = {
    target.name: target
    for target in (
        *(Passages, Rows, Filters, Settings, Calls),
        *(Commands, Replies, Bundles, QueryEncoders, Ledgers, Caches, Folders),
    )
}


def shares(inputs: int, names: list[str]) -> dict[str, int]:
    """Target -> how many of the inputs it gets, rounded up."""
    total = sum(TARGETS[name].share for name in names)
    return {name: ceil(inputs * TARGETS[name].share / total) for name in names}


def run(
    name: str, seed: int, indices: Iterable[int], watch: Callable[[int], None] = lambda _: None
) -> Tally:
    """Runs inputs of one target; ``watch`` is told of each before it runs."""

    def watched(outcome_of: Callable[[int], Outcome], index: int) -> Outcome:
        watch(index)
        return outcome_of(index)

    if TARGETS[name].native:
        with IsolatedTarget(name, seed) as isolated:
            return run_target(name, partial(watched, isolated.outcome_of), indices)
    with workplace():
        target = TARGETS[name]()
        try:
            return run_target(name, partial(watched, partial(run_input, target, seed)), indices)
        finally:
            target.close()
