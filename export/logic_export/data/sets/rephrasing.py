"""Set queries reworded by a language model, for training."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from logic_export.data.expression_queries import SetQuery
from logic_export.data.rewriting import Rewriter, find_fault
from logic_retrievers.errors import InputError

REPHRASE_QUERY = (
    "Reword this search query as a person would naturally type it. Keep exactly what it asks for: "
    "everything that must hold, every alternative, and above all what is ruled out. Keep every "
    "name, number and genre as it stands. Answer with the new query alone, on one line."
)
_NAME = re.compile(r"(?<!\w)[A-ZÀ-ÖØ-Þ0-9][\w.'\u2019\-]*(?: [A-ZÀ-ÖØ-Þ0-9][\w.'\u2019\-]*)*")


@dataclass(frozen=True, slots=True)
class RephrasedQueries:
    """Rephrased queries and failures.

    Args:
        queries: those whose new text passed the checks.
        reasons: reason -> number of queries left out.
    """

    queries: tuple[SetQuery, ...]
    reasons: Mapping[str, int]


def rephrase_queries(
    queries: Sequence[SetQuery], rewriter: Rewriter, *, noun: str, instruction: str = REPHRASE_QUERY
) -> RephrasedQueries:
    """The queries reworded, with the wording ``rewriter`` and ids ending in ``-r``.

    An answer must pass :func:`~logic_export.data.rewriting.find_fault` and contain what every atom
    names: each word before the noun (``1940s war films``), and names and numbers after it. Whether
        an
    AND is still an AND cannot be checked here, so these queries are for training only.

    Args:
        queries: of the training part.
        rewriter: a language model, as :class:`~logic_export.data.rewriting.ChatRewriter`.
        noun: of the table; a paraphrase may replace it.
        instruction: for the model.

    Raises:
        ServerError: the rewriter fails.
    """
    rephrased: list[SetQuery] = []
    reasons: Counter[str] = Counter()
    for query in queries:
        try:
            answer = rewriter.rewrite(instruction, query.text).strip()
        except InputError:
            reasons["no usable answer"] += 1
            continue
        problem = find_fault(query.text, answer) or _find_lost_name(query, answer, noun)
        if problem:
            reasons[problem] += 1
        else:
            rephrased.append(
                replace(
                    query,
                    id=f"{query.id}-r",
                    text=answer,
                    wording="rewriter",
                    shared_heads=True,
                    variant=True,
                )
            )
    return RephrasedQueries(tuple(rephrased), dict(sorted(reasons.items())))


def _find_lost_name(query: SetQuery, answer: str, noun: str) -> str | None:
    for atom in query.expression.atoms:
        before, _, after = atom.rpartition(noun)
        words_to_keep = [*before.split(), *_NAME.findall(after)] or after.split()
        if not all(
            re.search(rf"(?<!\w){re.escape(word)}(?!\w)", answer, re.I) for word in words_to_keep
        ):
            return "an atom's name is missing"
    return None
