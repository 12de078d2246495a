"""Distractor queries: questions with a clause about their wrong passages (LORE, Zhang et al.).

Also holds the builders of tiered examples that a recipe names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from logic_export.data.files import first_of_each, read_toml
from logic_export.data.tiers.examples import (
    TieredExample,
    examples_from_triplets,
    read_tiers,
    write_tiers,
)
from logic_export.data.tiers.labelled_questions import (
    SHARES,
    BM25Index,
    Candidate,
    LabelledQuestion,
    mine_wrong_passages,
    read_questions,
    split_questions,
)
from logic_export.data.tiers.passage_contents import (
    PassageContent,
    join_contents,
    lowercase_first,
    read_content,
)
from logic_export.data.triplet_builders import build_triplets, find_data_file
from logic_export.data.triplets import unique_triplets
from logic_retrievers.errors import ConfigurationError, InputError

# Relation -> part of the data -> wordings. A wording joins a clause about a wrong passage to a
# question. The slot "{clause}" takes a statement, "{named}" a topic with its description, "{topic}"
# the topic alone. No wording is in two parts. Two relations are only in the test part.
RELATIONS: dict[str, dict[str, list[str]]] = read_toml(__package__, "relations.toml")
_SLOT = re.compile(r"\{(clause|named|topic)\}")
_TWO_STOPS = re.compile(r"([.?!]\"?)\.(?!\.)")  # as in "Monsters, Inc.."
_NEW_SENTENCE = re.compile(r"[.:?!]\s*$")


def wordings_of_part(part: str) -> dict[str, list[str]]:
    """Map the relations of a part to their wordings."""
    return {name: parts[part] for name, parts in RELATIONS.items() if part in parts}


def usable_wordings(wordings: Sequence[str], content: PassageContent) -> list[str]:
    """Return the wordings whose slots the content can fill."""
    return [form for form in wordings if all(getattr(content, s) for s in _SLOT.findall(form))]


def join_clause(wording: str, content: PassageContent, question: str) -> str:
    """Make a distractor query by putting the question, word for word, into the wording.

    Only the question's first letter may change, to lower case: within a sentence, if it does not
    begin a name. A question mark may be added if the wording goes on after the question.
    """
    before, _, after = wording.partition("{question}")
    question_text = question.strip()
    if after and question_text[-1] not in ".?!":
        question_text += "?"
    if before and not _NEW_SENTENCE.search(before):
        question_text = lowercase_first(question_text)
    before, after = (
        _TWO_STOPS.sub(r"\1", _SLOT.sub(lambda slot: str(getattr(content, slot[1])), part))
        for part in (before, after)
    )
    text = f"{before}{question_text}{after}"
    return text if not before else text[0].upper() + text[1:]


@dataclass(frozen=True, slots=True)
class DistractorQueries:
    """Distractor queries, and how many questions were left out for each reason."""

    examples: tuple[TieredExample, ...]
    reasons: Mapping[str, int]


def add_distractors(
    questions: Sequence[LabelledQuestion],
    part: str,
    *,
    copies: int = 1,
    distractors: int = 2,
    candidates: int = 10,
    seed: int = 0,
) -> DistractorQueries:
    """Add to each question a clause about some of its wrong passages.

    Passages with a clause become distractors, other wrong passages negatives. Every relation of the
    part occurs about equally often. No clause is about a passage whose topic the question names.

    Args:
        questions: questions of this part only, since any of their passages may become a candidate.
        part: ``train``, ``dev`` or ``test``; each has its own wordings.
        copies: queries per question, each with a different relation; more copies than relations
            are a ConfigurationError.
        distractors: maximum number of passages that a clause is about; the number is random.
        candidates: a question with fewer candidates gets passages of other questions, see
            :func:`mine_wrong_passages`.
        seed: seeds all random choices.
    """
    relations = wordings_of_part(part)
    if not 0 < copies <= len(relations) or distractors < 1 or candidates < 1:
        raise ConfigurationError(
            f"copies are 1 to {len(relations)}, the relations of {part!r}; distractors and "
            "candidates 1 or more"
        )
    rank = BM25Index([candidate for question in questions for candidate in question.candidates])
    order = list(relations)
    Random(f"{seed}:{part}").shuffle(order)
    examples: list[TieredExample] = []
    reasons: Counter[str] = Counter()
    turn = 0
    for question in questions:
        random = Random(f"{seed}:{part}:{question.id}")
        wrong = [
            *question.wrong,
            *mine_wrong_passages(question, rank, candidates - len(question.candidates)),
        ]
        usable = [
            (candidate, content)
            for candidate in wrong
            if (content := _clause_content(candidate, question))
        ]
        if not usable:
            reasons["no passage to make a clause of"] += 1
            continue
        for copy in range(copies):
            relation = order[(turn + copy) % len(order)]
            forms = relations[relation]
            query, chosen = _compose_query(question, usable, forms, distractors, random)
            examples.append(
                TieredExample(
                    query=query,
                    positives=_unique_passages(question.right),
                    distractors=chosen,
                    negatives=tuple(p for p in _unique_passages(wrong) if p not in chosen),
                    source=question.source,
                    relation=relation,
                    original=question.text,
                )
            )
        turn += copies
    return DistractorQueries(tuple(examples), dict(sorted(reasons.items())))


def original_question(example: TieredExample) -> TieredExample:
    """Return the question without its clause, with the same candidates."""
    return replace(example, query=example.original, relation="", original="")


def _clause_content(candidate: Candidate, question: LabelledQuestion) -> PassageContent | None:
    content = read_content(candidate)
    topic = (content.topic or candidate.title).casefold().removeprefix("the ").strip('"')
    is_named = bool(topic) and topic in question.text.casefold()
    return content if content.clause and not is_named else None


def _compose_query(
    question: LabelledQuestion,
    usable: Sequence[tuple[Candidate, PassageContent]],
    forms: Sequence[str],
    most: int,
    random: Random,
) -> tuple[str, tuple[str, ...]]:
    sampled = random.sample(usable, random.randint(1, min(most, len(usable))))
    content = join_contents([content for _, content in sampled])
    form = random.choice(usable_wordings(forms, content))
    passages = tuple(candidate.passage for candidate, _ in sampled)
    return join_clause(form, content, question.text), passages


def _unique_passages(candidates: Sequence[Candidate]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(candidate.passage for candidate in candidates))


ORIGINAL_TEST = "test_original"


def read_parts(
    folders: Sequence[str | Path], shares: Mapping[str, float] = SHARES
) -> dict[str, list[LabelledQuestion]]:
    """Read the questions of all folders, without duplicates, and split them into parts.

    Errors are those of :func:`read_questions` and :func:`split_questions`.
    """
    questions = (question for folder in folders for question in read_questions(folder))
    unique = first_of_each(questions, lambda one: " ".join(one.text.split()).casefold())
    return split_questions(unique, shares)


def build_parts(
    parts: Mapping[str, Sequence[LabelledQuestion]],
    *,
    copies: Mapping[str, int],
    distractors: int = 2,
    candidates: int = 10,
    seed: int = 0,
) -> dict[str, DistractorQueries]:
    """Make the distractor queries of each part by :func:`add_distractors`.

    ``copies`` maps parts to the number of queries per question; a missing part has 1.
    """
    return {
        part: add_distractors(
            questions,
            part,
            copies=copies.get(part, 1),
            distractors=distractors,
            candidates=candidates,
            seed=seed,
        )
        for part, questions in parts.items()
    }


def common_passages(built: Mapping[str, DistractorQueries], one: str, other: str) -> int:
    """Count the passages that are candidates in both parts."""
    texts, others = (
        {text for row in built[part].examples for text in row.passages} for part in (one, other)
    )
    return len(texts & others)


def require_new_folder(folder: Path) -> None:
    """Raise :class:`ConfigurationError` if a folder already holds a file of a data set."""
    if existing := [
        path for part in (*SHARES, ORIGINAL_TEST) if (path := _part_file(folder, part)).exists()
    ]:
        raise ConfigurationError(f"{existing[0]} is there already; choose a new folder")


def write_parts(folder: Path, built: Mapping[str, DistractorQueries]) -> None:
    """Write ``PART.jsonl.gz`` for each part that has examples, and ``test_original.jsonl.gz``.

    The last file has the rows of the test part with the original questions. Nothing is written if
    one of the files exists (:class:`ConfigurationError`) or there is no example
    (:class:`InputError`).
    """
    if not any(queries.examples for queries in built.values()):
        raise InputError("there is no distractor query to write")
    require_new_folder(folder)
    for part, queries in built.items():
        if not queries.examples:
            continue
        if part == "test":
            write_tiers(
                _part_file(folder, ORIGINAL_TEST),
                [original_question(example) for example in queries.examples],
            )
        write_tiers(_part_file(folder, part), queries.examples)


def _part_file(folder: Path, part: str) -> Path:
    return folder / f"{part}.jsonl.gz"


def tiers(path: Path) -> list[TieredExample]:
    """Read a user's own file, or a file that ``logic-export data distractor-queries`` wrote."""
    return read_tiers(find_data_file(path))


def distractor_queries(
    folders: Sequence[str],
    split: str = "train",
    copies: int = 6,
    distractors: int = 2,
    candidates: int = 10,
    *,
    plain: bool = False,
    shares: Mapping[str, float] = SHARES,
    seed: int = 0,
) -> list[TieredExample]:
    """Make the queries that ``logic-export data distractor-queries`` writes.

    The split does not depend on the seed. ``plain`` gives the original questions with the same
    candidates.
    """
    parts = read_parts(folders, shares)
    if split not in parts:
        raise ConfigurationError(f"no part {split!r}; there are {', '.join(parts)}")
    examples = add_distractors(
        parts[split],
        split,
        copies=copies,
        distractors=distractors,
        candidates=candidates,
        seed=seed,
    ).examples
    return [original_question(example) for example in examples] if plain else list(examples)


def triplets(
    builder: str, options: dict[str, Any] | None = None, others: int = 8, *, seed: int = 0
) -> list[TieredExample]:
    """Turn a builder's triplets into examples, with violating passages as distractors.

    ``others`` random passages of other queries become negatives.
    """
    return examples_from_triplets(
        unique_triplets(build_triplets(builder, options or {}, seed)), others, seed=seed
    )


TIER_BUILDERS: Mapping[str, Callable[..., list[TieredExample]]] = {
    builder.__name__: builder for builder in (tiers, distractor_queries, triplets)
}
