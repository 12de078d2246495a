"""Boolean questions from a corpus: passages are grouped, questions generated and checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from logic_export.data.boolean_questions.checks import (
    Answerer,
    find_fault,
    find_inconsistency,
    make_answerer,
    strip_quotes,
)
from logic_export.data.boolean_questions.passage_groups import (
    ClusteringSettings,
    PassageGroup,
    cluster_passages,
    draw_groups,
)
from logic_export.data.boolean_questions.prompts import (
    QuestionKind,
    format_instruction,
    format_request,
)
from logic_export.data.boolean_questions.questions import (
    TYPES,
    BooleanQuestion,
    QuestionType,
    answering_passages,
    label_question,
)
from logic_export.data.rewriting import Rewriter
from logic_retrievers.encoders.base import Encoder
from logic_retrievers.errors import ConfigurationError, EmptyTextError, InputError
from logic_retrievers.progress import ProgressCallback, ProgressMeter


class QuestionGenerator:
    """Generates the questions of groups, and counts why some failed.

    Args:
        rewriter: words the questions.
        answerer: answers them, for the cyclic filter.
        others: see :func:`~logic_export.data.boolean_questions.checks.find_inconsistency`.
        seed: of styles and cues, which do not depend on other groups.

    Attributes:
        reasons: ``and: too long`` -> count; a group whose simple or shared question fails is
            abandoned and counts once.
    """

    def __init__(
        self, rewriter: Rewriter, answerer: Answerer, *, others: bool = True, seed: int = 0
    ) -> None:
        self._rewriter = rewriter
        self._answerer = answerer
        self._others = others
        self._seed = seed
        self.reasons: Counter[str] = Counter()

    def generate(
        self, group: PassageGroup, kinds: Collection[QuestionType]
    ) -> Iterator[BooleanQuestion]:
        """The questions of the given types that passed all checks.

        A simple question is generated for the first passage, and for OR also for the second.

        Raises:
            ServerError: the rewriter or the answerer fails.
        """
        first = self._simple_question(group, 0, ())
        if first is None:
            return
        second = self._simple_question(group, 1, (first,)) if "or" in kinds else None
        simple = (first,) if second is None else (first, second)
        shared = None
        if {"and", "not"} & set(kinds):
            all_passages = range(len(group.texts))
            shared = self._generate_checked("shared", group, group.texts, simple, all_passages)
        for kind in sorted(kinds):
            answering = answering_passages(kind, group)
            if kind == "or":
                text = (
                    None
                    if second is None
                    else self._generate_checked(kind, group, (), simple, answering)
                )
            else:
                text = shared and self._generate_checked(
                    kind, group, group.texts, (shared, first), answering
                )
            if text:
                yield label_question(kind, text, group, shared or "", simple)

    def _simple_question(
        self, group: PassageGroup, position: int, known: Sequence[str]
    ) -> str | None:
        answering = range(position, position + 1)
        return self._generate_checked("simple", group, [group.texts[position]], known, answering)

    def _generate_checked(
        self,
        kind: QuestionKind,
        group: PassageGroup,
        shown: Sequence[str],
        known: Sequence[str],
        answering: range,
    ) -> str | None:
        """A question that passed all checks; it is made from the known questions, or differs from
        them.
        """
        random = Random(f"{self._seed}:{group.id}:{kind}:{answering.start}")
        sources = () if kind in ("simple", "shared") else known
        try:
            answer = self._rewriter.rewrite(
                format_instruction(kind, random), format_request(shown, sources)
            )
        except InputError as error:
            empty = isinstance(error, EmptyTextError)
            self.reasons[f"{kind}: {'empty' if empty else 'no usable answer'}"] += 1
            return None
        question = strip_quotes(answer)
        problem = find_fault(kind, question, shown, known) or find_inconsistency(
            question, group.texts, answering, self._answerer, others=self._others
        )
        if problem:
            self.reasons[f"{kind}: {problem}"] += 1
            return None
        return question


@dataclass(frozen=True, slots=True)
class GeneratedQuestions:
    """Generated questions and failures.

    Args:
        questions: those that passed all checks; at most as many of each type as requested.
        reasons: ``not: rules nothing out`` -> number of questions rejected for it.
        groups: number of passage groups tried.
    """

    questions: tuple[BooleanQuestion, ...]
    reasons: Mapping[str, int]
    groups: int

    def count(self, kind: QuestionType) -> int:
        """Number of questions of a type."""
        return sum(question.type == kind for question in self.questions)


def generate_questions(
    documents: Mapping[str, str],
    encoder: Encoder,
    rewriter: Rewriter,
    counts: Mapping[QuestionType, int],
    *,
    answerer: Answerer | None = None,
    clustering: ClusteringSettings | None = None,
    sizes: tuple[int, ...] = (2, 3),
    others: bool = True,
    vector: str = "topical",
    seed: int = 0,
    progress: ProgressCallback | None = None,
) -> GeneratedQuestions:
    """AND, OR and NOT questions in the manner of BoolQuestions (Zhang et al. 2024).

    Passages on one topic are taken two or three at a time. A rewriter words a simple question for
    each of the first two, a shared one that each passage answers alone (the paper's disjunctive
    question), and from these

        and    the shared one with a condition that only the first passage meets
        or     the simple questions of the first and the second passage, joined
        not    the shared one, excluding what the first passage's simple question asks about

    The paper has a simple question for every passage; here unused ones are not generated.

    Every question must pass :func:`~logic_export.data.boolean_questions.checks.find_fault` and the
    cyclic filter (:func:`~logic_export.data.boolean_questions.checks.find_inconsistency`), the
    simple and shared ones too: the expression has them as its atoms. Failures are counted, and
    their group is not tried again.

    Nothing is stored between runs: the same arguments give the same requests, so a rewriter with a
    cache resumes an interrupted run.

    Args:
        documents: id -> text; every text once, as ``read_corpus`` gives them.
        encoder: of the vectors that are clustered.
        rewriter: words the questions, as :class:`~logic_export.data.rewriting.ChatRewriter`.
        counts: type -> number of questions, as far as the corpus has groups.
        answerer: for the filter; the rewriter itself where None.
        clustering: bounds of the clusters; the defaults where None.
        sizes: passages of a group: 2, 3, or both.
        others: whether unlabelled passages must not answer.
        vector: the name of the vector.
        seed: of the clusters, groups and styles.
        progress: called after every group; questions are counted.

    Raises:
        ConfigurationError: an unknown type, a negative or zero total, or other sizes.
        ServerError: the rewriter or the answerer fails.
    """
    if not set(counts) <= set(TYPES) or min(counts.values(), default=0) < 0:
        raise ConfigurationError(f"counts are of and, or and not, at least 0: {dict(counts)}")
    if not any(counts.values()):
        raise ConfigurationError("ask for at least one question")
    names = list(documents)
    vectors = encoder.encode_documents([documents[name] for name in names], [vector])[vector]
    clusters = [
        [names[row] for row in rows] for rows in cluster_passages(vectors, clustering, seed=seed)
    ]
    generator = QuestionGenerator(
        rewriter, answerer or make_answerer(rewriter), others=others, seed=seed
    )
    questions: list[BooleanQuestion] = []
    meter = ProgressMeter(progress, sum(counts.values()))
    tried = 0
    for group in draw_groups(clusters, documents, sizes=sizes, seed=seed):
        have = Counter(question.type for question in questions)
        wanted = [kind for kind in counts if have[kind] < counts[kind]]
        if not wanted:
            break
        questions += generator.generate(group, wanted)
        tried += 1
        meter.report(len(questions))
    return GeneratedQuestions(tuple(questions), dict(sorted(generator.reasons.items())), tried)
