"""Questions disturbed by their wrong candidates (LORE, Zhang et al.)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from logic_export.data.tiers.contents import Content, content_of, joined
from logic_export.data.tiers.examples import TieredExample
from logic_export.data.tiers.joining import fitting, said
from logic_export.data.tiers.near_passages import Near, WordIndex, near_wrong
from logic_export.data.tiers.questions import Candidate, LabelledQuestion
from logic_export.data.tiers.rewriting import RelationRewriter
from logic_export.data.tiers.wordings import wordings
from logic_retrievers.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Disturbed:
    """What came of it.

    Args:
        examples: the disturbed queries with their candidates.
        reasons: why a question was left out, or a template stood in for the rewriter -> how often.
    """

    examples: tuple[TieredExample, ...]
    reasons: Mapping[str, int]


def disturb(
    questions: Sequence[LabelledQuestion],
    part: str,
    *,
    copies: int = 1,
    distractors: int = 2,
    candidates: int = 10,
    near: Near | None = None,
    rewriter: RelationRewriter | None = None,
    seed: int = 0,
) -> Disturbed:
    """Each question with a clause about some of its wrong passages joined to it.

    The passages that the clause is about are its distractors, its other wrong ones the negatives.
    A question with too few candidates gets some of the other questions' passages
    (:func:`~logic_export.data.tiers.near_passages.near_wrong`). Every relation of the part comes
    about equally often. A passage does not disturb a question that names its topic.

    Args:
        questions: of this part only: the passages of all of them serve as candidates.
        part: ``train``, ``dev`` or ``test``: whose relations and wordings are used.
        copies: how often a question comes, each time under another relation.
        distractors: at most so many passages for one clause; how many is drawn.
        candidates: fill a question's passages up to so many.
        near: finds passages for that; by shared words if None.
        rewriter: joins clause and question; a template does where it is None or fails.
        seed: of all that is drawn; the same seed gives the same queries.

    Raises:
        ConfigurationError: no such part, more copies than relations, or a number below 1.
        ServerError: the rewriter cannot go on.
    """
    known = wordings(part)
    if not known:
        raise ConfigurationError(f"a part is train, dev or test, not {part!r}")
    if not 0 < copies <= len(known) or distractors < 1 or candidates < 1:
        raise ConfigurationError(
            f"copies are 1 to {len(known)}, the relations of {part!r}; distractors and candidates "
            "1 or more"
        )
    near = near or WordIndex([one for question in questions for one in question.candidates])
    order = list(known)
    Random(f"{seed}:{part}").shuffle(order)
    found: list[TieredExample] = []
    reasons: Counter[str] = Counter()
    turn = 0
    for question in questions:
        random = Random(f"{seed}:{part}:{question.id}")
        wrong = [
            *question.wrong,
            *near_wrong(question, near, candidates - len(question.candidates)),
        ]
        usable = [(one, content) for one in wrong if (content := _usable(one, question))]
        if not usable:
            reasons["no passage to make a clause of"] += 1
            continue
        for copy in range(copies):
            relation = order[(turn + copy) % len(order)]
            query, chosen = _query(question, usable, known[relation], distractors, random)
            if rewriter is not None:
                rewritten = rewriter.ask(relation, question.text, [one.passage for one in chosen])
                query = rewritten.query or query
                reasons.update(rewritten.reasons)
            found.append(_example(question, query, chosen, wrong, relation))
        turn += copies
    return Disturbed(tuple(found), dict(sorted(reasons.items())))


def undisturbed(example: TieredExample) -> TieredExample:
    """The same candidates in the same tiers under the question as it was asked."""
    return replace(example, query=example.original, relation="", original="")


def _usable(candidate: Candidate, question: LabelledQuestion) -> Content | None:
    content = content_of(candidate)
    topic = (content.topic or candidate.title).casefold().removeprefix("the ").strip('"')
    named = bool(topic) and topic in question.text.casefold()
    return content if content.clause and not named else None


def _query(
    question: LabelledQuestion,
    usable: Sequence[tuple[Candidate, Content]],
    forms: Sequence[str],
    most: int,
    random: Random,
) -> tuple[str, list[Candidate]]:
    drawn = random.sample(usable, random.randint(1, min(most, len(usable))))
    content = joined([content for _, content in drawn])
    form = random.choice(fitting(forms, content))
    return said(form, content, question.text), [one for one, _ in drawn]


def _example(
    question: LabelledQuestion,
    query: str,
    chosen: Sequence[Candidate],
    wrong: Sequence[Candidate],
    relation: str,
) -> TieredExample:
    distractors = tuple(one.passage for one in chosen)
    return TieredExample(
        query=query,
        positives=_texts(question.right),
        distractors=distractors,
        negatives=tuple(one for one in _texts(wrong) if one not in distractors),
        source=question.source,
        relation=relation,
        original=question.text,
    )


def _texts(candidates: Sequence[Candidate]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.passage for one in candidates))
