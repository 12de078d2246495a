"""What a hook hands on, on the way into a collection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from logic_retrievers.cleaning.result import Cleaned
from logic_retrievers.types import Passage


@dataclass(frozen=True, slots=True)
class Screened:
    """What a hook hands on.

    Args:
        passages: those that came in, in their order; the quarantined ones have the flag.
        cleaned: what was found and decided.
    """

    passages: tuple[Passage, ...]
    cleaned: Cleaned


def screened(given: Sequence[Passage], cleaned: Cleaned) -> Screened:
    """The passages with the flags of their cleaning; without any of a dry run."""
    flagged = () if cleaned.dry_run else cleaned.quarantined
    return Screened(
        tuple(replace(one, quarantined=True) if one.id in flagged else one for one in given),
        cleaned,
    )
