"""Explain a decision in one sentence for people. Pure function."""

from __future__ import annotations

from logic_retrievers.conflicts.cleaning.result import CleaningResult, Decision, Kind
from logic_retrievers.judging.relation import pair_sentences

# maximum characters quoted from a passage
MAX_QUOTED = 300

_RELATIONS = {
    Kind.CONTRADICTION: "contradict each other",
    Kind.SUPERSEDED: "are two states of one thing",
    Kind.SCOPE: "are about different things",
    Kind.PARAPHRASE: "agree",
    Kind.DUPLICATE: "are copies",
}


def explain(result: CleaningResult, decision: Decision) -> str:
    """Explain a decision in one sentence: how the two relate, how certainly, why, what follows.

    The explanation quotes the sentences of each passage nearest to the other passage. A
    cross-encoder reads the same sentences, and short metadata.

    Examples:
        >>> for decision in result.decisions:                             # doctest: +SKIP
        ...     print(explain(result, decision))
    """
    finding = decision.finding
    newer = f", {finding.newer!r} the newer one" if finding.newer is not None else ""
    relation = f"{_RELATIONS[finding.kind]}{_certainty(decision)}{newer}"
    quotes = _quotes(result, decision)
    fate = _fate(decision, dry_run=result.dry_run)
    return f"{finding.one!r} and {finding.other!r} {relation}: {quotes}; {finding.reason}; {fate}."


def _certainty(decision: Decision) -> str:
    """Return a contradiction's probability and its source; other kinds' reasons state both."""
    finding = decision.finding
    if finding.kind is not Kind.CONTRADICTION:
        return ""
    by_vectors = f"{_percent(finding.own_probability)} by the vectors"
    if finding.probability == finding.own_probability:
        return f" with a probability of {by_vectors}"
    return f" with a probability of {_percent(finding.probability)} ({by_vectors} alone)"


def _quotes(result: CleaningResult, decision: Decision) -> str:
    finding = decision.finding
    one, other = result.passages[finding.one].text, result.passages[finding.other].text
    if finding.kind is Kind.DUPLICATE:
        return f"both say {_quoted(one)}"
    first, second = pair_sentences(one, other)
    return f"one says {_quoted(first)}, the other {_quoted(second)}"


def _fate(decision: Decision, *, dry_run: bool) -> str:
    if decision.closed:
        verb = "would end" if dry_run else "ends"
        return f"{decision.closed[0]!r} {verb} at {decision.until} ({decision.reason})"
    names = " and ".join(map(repr, decision.quarantined))
    if not names:
        return f"nothing is hidden for it ({decision.reason})"
    verb = "would be" if dry_run else "is" if len(decision.quarantined) == 1 else "are"
    return f"{names} {verb} hidden ({decision.reason})"


def _percent(probability: float) -> str:
    return f"{100 * probability:.0f} %"


def _quoted(text: str) -> str:
    """Quote a text on one line, shortened with an ellipsis."""
    line = " ".join(text.split())
    return f'"{line}"' if len(line) <= MAX_QUOTED else f'"{line[: MAX_QUOTED - 1]}\u2026"'
