"""Where the cues of a list of rules stand in a query, whatever its language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from logic_retrievers.queries.rules.rule import CONTEXT, Rule, Scope

MAX_CUES = 10
"""A text with more cues is no query."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A cue that means exclusion: its rule, its span, and the excluded span between its halves."""

    rule: Rule
    start: int
    end: int
    excluded: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A cue, the spans of the texts that it excludes, and the span that leaves the query."""

    cue: Cue
    excluded: tuple[tuple[int, int], ...]
    start: int
    end: int


def find_cues(
    rules: Sequence[Rule],
    masked: str,
    opens: Callable[[str, int], bool],
    accepts: Callable[[str], bool] | None = None,
) -> list[Cue]:
    """The cues that mean exclusion, from left to right; where some overlap, the longest.

    ``opens``: whether a sentence begins at a place. ``accepts``: whether a cue may stand before a
    text; any where None.
    """
    candidates = [(rule, match) for rule in rules for match in rule.cue_pattern.finditer(masked)]
    if len(candidates) > 4 * MAX_CUES:
        return []
    cues: list[Cue] = []
    for rule, match in candidates:
        start, end = match.span()
        before, after = masked[max(0, start - CONTEXT) : start], masked[end : end + CONTEXT]
        if rule.opening is not None and rule.opening != opens(masked, start):
            continue
        verb = match["verb"] if rule.again else ""
        if rule.fits(before, after, verb) and (accepts is None or accepts(after)):
            excluded = match.span("excluded") if rule.scope is Scope.BETWEEN else None
            cues.append(Cue(rule, start, end, excluded))
    cues.sort(key=lambda cue: (cue.start, cue.start - cue.end))
    apart: list[Cue] = []
    for cue in cues:
        if not apart or cue.start >= apart[-1].end:
            apart.append(cue)
    return apart if len(apart) <= MAX_CUES else []
