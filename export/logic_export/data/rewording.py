"""Queries in other words: asked of a rewriter, and checked before they are taken."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from logic_export.data.rewriter import Rewriter
from logic_export.data.triplets import Triplet
from logic_retrievers.encoders.texts import check_texts
from logic_retrievers.errors import EmptyTextError, InputError

REWORD = (
    "Reword the search query as a person would naturally ask it. Keep its meaning, and everything "
    "that it limits itself to or rules out. Keep every number and everything in quotation marks "
    "as it stands. Answer with the new query alone, on one line."
)

_WITHIN = r"((?:[^'\u2018\u2019]|(?<=\w)['\u2019](?=\w))+)"  # apostrophes are no marks
_QUOTED = re.compile(rf"\"([^\"]+)\"|“([^”]+)”|«([^»]+)»|(?<!\w)['\u2018]{_WITHIN}['\u2019](?!\w)")
_NUMBER = re.compile(r"(?:(?<![\w.,])[-\u2212])?\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What came of rewording.

    Args:
        triplets: those whose query was reworded well.
        reasons: why the others were left out -> how many.
    """

    triplets: tuple[Triplet, ...]
    reasons: Mapping[str, int]

    @property
    def rejected(self) -> int:
        """How many triplets were left out."""
        return sum(self.reasons.values())


def rewrite_queries(
    triplets: Sequence[Triplet], rewriter: Rewriter, instruction: str = REWORD
) -> Rewritten:
    """The triplets with other words in their queries and ``reworded`` in their source.

    A triplet whose new query has a :func:`fault` is left out and counted: its old query in its
    place would pass for a natural one. A query that several triplets share is reworded once. That
    the *meaning* stays, a constraint above all, is asked of the model but cannot be checked here.

    Raises:
        EmptyTextError: an empty instruction.
        ServerError: the rewriter cannot go on; nothing of a cached one is lost.
    """
    check_texts([instruction])
    outcomes: dict[str, tuple[str, str | None]] = {}
    for row in triplets:
        if row.query not in outcomes:
            outcomes[row.query] = _reworded(row.query, rewriter, instruction)
    reasons = Counter(reason for row in triplets if (reason := outcomes[row.query][1]))
    kept = tuple(
        replace(row, query=outcomes[row.query][0], source=f"{row.source} reworded".strip())
        for row in triplets
        if outcomes[row.query][1] is None
    )
    return Rewritten(kept, dict(sorted(reasons.items())))


def fault(query: str, answer: str) -> str | None:
    """What keeps an answer from standing in for a query; None: nothing does.

    It is one line, at most four times as long, with the same quotations (the marks may differ) and
    every number that is written in digits.
    """
    query, answer = query.strip(), answer.strip()
    if not answer:
        return "empty"
    if len(answer.splitlines()) > 1:
        return "several lines"
    if len(answer) > 4 * len(query):
        return "too long"
    # a new quotation is a new demand, or the answer as a whole within quotation marks
    if _quotations(query) != _quotations(answer):
        return "another quotation"
    if not Counter(_NUMBER.findall(query)) <= Counter(_NUMBER.findall(answer)):
        return "a number is missing"
    return None


def _reworded(query: str, rewriter: Rewriter, instruction: str) -> tuple[str, str | None]:
    try:
        answer = rewriter.rewrite(instruction, query).strip()
    except InputError as error:
        return "", "empty" if isinstance(error, EmptyTextError) else "no usable answer"
    return answer, fault(query, answer)


def _quotations(text: str) -> Counter[str]:
    return Counter("".join(groups) for groups in _QUOTED.findall(text))
