"""What a parser says of a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from logic_retrievers.errors import InputError

Kind: TypeAlias = Literal["none", "exclusion", "polarity"]
"""``exclusion``: something is ruled out of the results. ``polarity``: the wanted fact itself is
negative ("metals that do not rust"). ``none``: neither."""


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query, what it wants, and what it rules out. Can be searched for in place of a string.

    Args:
        text: the whole query.
        kind: see :data:`Kind`.
        target: what is wanted: the query without its exclusions; all of it where there are none.
        traps: what is ruled out, as the query words it; only with ``kind="exclusion"``.
        cue: the words that told, as they stand in the text; empty where a caller said it.
        rule: the rule that found them.
        span: first and one-past-last character of the cue in ``text``.
    """

    text: str
    kind: Kind = "none"
    target: str = ""
    traps: tuple[str, ...] = ()
    cue: str = ""
    rule: str = ""
    span: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if not self.target:
            object.__setattr__(self, "target", self.text)

    @classmethod
    def excluding(cls, target: str, traps: Sequence[str]) -> ParsedQuery:
        """A query of which the caller says what is wanted and what is ruled out.

        Raises:
            InputError: target or a trap is empty or no string, or there is no trap.
        """
        if isinstance(traps, str) or not traps:
            raise InputError(f"traps is a list of at least one text, not {traps!r}")
        if any(not isinstance(text, str) or not text.strip() for text in (target, *traps)):
            raise InputError("target and traps are texts that are not empty")
        text = f"{target}, except {', '.join(traps)}"
        return cls(text, "exclusion", target, tuple(traps), rule="caller")

    def to_dict(self) -> dict[str, Any]:
        """A plain dictionary, ready for JSON."""
        return {
            "text": self.text,
            "kind": self.kind,
            "target": self.target,
            "traps": list(self.traps),
            "cue": self.cue,
            "rule": self.rule,
            "span": list(self.span) if self.span else None,
        }


@runtime_checkable
class QueryParser(Protocol):
    """Tells what a query rules out. Must be safe to call from several threads."""

    def parse(self, text: str) -> ParsedQuery:
        """The query in its parts; never an error for any string."""
