"""LogiCoL's head for set queries, and development by recall of answers and violation rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import Enum
from functools import lru_cache, partial, reduce
from itertools import combinations
from operator import and_, or_
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sentence_transformers import SentenceTransformer

from logic_export.data.set_examples import (
    DOCUMENTS,
    SET_BUILDERS,
    SetExample,
    read_documents,
    read_examples,
    write_examples,
)
from logic_export.data.triplet_builders import run_builder
from logic_export.dense_retrieval import Encode
from logic_export.losses import LogicallyInformedLoss, pack_labels
from logic_export.recipe import LogicallyInformedSettings
from logic_export.training.batches import Batches, Collator, Draw, Row, Tensors
from logic_export.training.encoding import TextRoles
from logic_export.training.task import Development, Figures, Task, mean_of
from logic_export.training.training_data import RowFormat, shuffled_groups
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import Dataset, load_dataset
from logic_retrievers.evaluation.datasets import Query
from logic_retrievers.queries.expressions import Atom, Expression
from logic_retrievers.scoring import ordinal_ranks


def sample_set_examples(examples: Sequence[SetExample], most: int, seed: int) -> list[SetExample]:
    """Sample whole groups of set queries, together at most ``most`` queries; at least one group."""
    sampled: list[SetExample] = []
    for group in shuffled_groups(examples, lambda row: row.group, seed):
        if not sampled or len(sampled) + len(group) <= most:
            sampled += group
    return sampled


# largest number of atoms in two queries together; their truth table has 4,096 rows
MOST_ATOMS = 12


class Relation(Enum):
    """Relation of a first query to a second; no document can satisfy two exclusive queries."""

    SUBSET = "subset"
    SUPERSET = "superset"
    EXCLUSIVE = "exclusive"


@lru_cache(maxsize=65536)
def find_relation(left_query: Expression, right_query: Expression) -> Relation | None:
    """Find by truth table the relation that follows from the operators alone.

    For example (LogiCoL's list), ``A AND B`` and ``A AND NOT B`` are subsets of ``A``, and ``A`` is
    a subset of ``A OR B``; ``A AND NOT B`` excludes ``B`` and ``A AND B``. Atoms count as
    independent. Returns None if nothing follows, if both queries are equivalent, if one is always
    or never true, or if there are more than :data:`MOST_ATOMS` atoms.
    """
    atoms = sorted({*left_query.atoms, *right_query.atoms})
    disjoint = len(atoms) == len(left_query.atoms) + len(right_query.atoms)
    if disjoint or len(atoms) > MOST_ATOMS:  # queries without common atoms are independent
        return None
    rows = 1 << len(atoms)
    everything = (1 << rows) - 1
    # an atom's truth values as bits: bit n is set if it is true in row n of the table
    columns = {
        text: sum(1 << row for row in range(rows) if row >> position & 1)
        for position, text in enumerate(atoms)
    }
    left, right = (
        _truth_table(expression, columns, everything) for expression in (left_query, right_query)
    )
    if left == right or not {left, right}.isdisjoint({0, everything}):
        return None
    common = left & right
    if not common:
        return Relation.EXCLUSIVE
    if common == left:
        return Relation.SUBSET
    return Relation.SUPERSET if common == right else None


def find_relations(
    expressions: Sequence[Expression],
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Find pairs of rows: (narrow, wide) queries, and exclusive ones with the lower row first."""
    subsets, exclusive = [], []
    for (row, expression), (column, other) in combinations(enumerate(expressions), 2):
        relation = find_relation(expression, other)
        if relation is Relation.EXCLUSIVE:
            exclusive.append((row, column))
        elif relation is not None:
            subsets.append((row, column) if relation is Relation.SUBSET else (column, row))
    return subsets, exclusive


def _truth_table(expression: Expression, columns: Mapping[str, int], everything: int) -> int:
    if isinstance(expression, Atom):
        return columns[expression.text]
    tables = [_truth_table(arg, columns, everything) for arg in expression.args]
    if expression.op == "not":
        return everything & ~tables[0]
    return reduce(and_ if expression.op == "and" else or_, tables)


def set_plan(dataset: Any, size: int, *, random_share: float) -> Draw:
    """Mix whole groups and single queries as LogiCoL does; ``random_share`` is the paper's alpha.

    A group holds queries over the same atoms with different operators. Whole groups are drawn until
    they hold ``random_share`` of the queries. Batches of these queries ignore the groups; the other
    batches are filled with whole groups, so they may be larger than ``size``. A batch holds one
    source, since it is unknown whether documents of another source satisfy a query.
    """
    sources: dict[str, dict[str, list[int]]] = {}
    for index, (source, group) in enumerate(zip(dataset["source"], dataset["group"], strict=True)):
        sources.setdefault(source, {}).setdefault(group, []).append(index)

    def draw(random: Random) -> Batches:
        batches = []
        for by_group in sources.values():
            groups = list(by_group.values())
            random.shuffle(groups)
            wanted = random_share * sum(map(len, groups))
            loose: list[int] = []
            while len(loose) < wanted:
                loose += groups.pop()
            random.shuffle(loose)
            batches += [loose[start : start + size] for start in range(0, len(loose), size)]
            batch: list[int] = []
            for group in groups:
                batch += random.sample(group, len(group))
                if len(batch) >= size:
                    batches.append(batch)
                    batch = []
            if batch:
                batches.append(batch)
        random.shuffle(batches)
        return batches

    return draw


class SetCollator(Collator):
    """Makes ``query_*``, ``document_*`` (an answer of each query), ``label`` (:func:`pack_labels`).

    The drawn answer depends only on the seed and the batch's queries in their order. So the draw
    differs in nearly every epoch but is the same in a resumed run. ``documents`` is source -> id ->
    text.
    """

    def __init__(
        self,
        model: SentenceTransformer,
        roles: TextRoles,
        documents: Mapping[str, Mapping[str, str]],
        seed: int,
    ) -> None:
        super().__init__(model, roles)
        self._documents, self._seed = documents, seed

    def __call__(self, features: Sequence[Row]) -> Tensors:
        queries = [row["query"] for row in features]
        random = Random("\n".join([str(self._seed), *queries]))
        ids = list(dict.fromkeys(random.choice(row["satisfying"]) for row in features))
        texts = [self._documents[features[0]["source"]][name] for name in ids]
        positives, unknown = (
            torch.tensor([[name in labelled for name in ids] for labelled in ids_by_query])
            for ids_by_query in (
                [set(row[label]) for row in features] for label in ("satisfying", "neutral")
            )
        )
        related = find_relations([Expression.parse(row["expression"]) for row in features])
        return {
            **self._roles.tokenize(self._tokenizer, queries, texts),
            "label": pack_labels(positives, unknown, *related),
        }


def set_query_row(example: SetExample) -> dict[str, Any]:
    """Make a table row, without the texts of the documents."""
    return {
        "query": example.query,
        "expression": str(example.expression),
        "group": example.group,
        "satisfying": list(example.satisfying),
        "neutral": list(example.neutral),
        "source": example.source,
    }


# share of the answers found among the first hundred; share of the queries, of those with violating
# documents, that rank violating documents above answers on average (Shen et al. 2025)
ANSWER_RECALL, VIOLATION = "R@100", "violation rate"

ANSWER_DEPTH = 100
_LABELLED_SHARE = 0.5


def set_development(
    datasets: Sequence[Dataset], roles: TextRoles, documents: int | None = None
) -> Development:
    """Measure recall of the answers and the violation rate, on pools from :func:`sample_pool`."""

    def figures(data: Dataset, queries: Encode, encode: Encode) -> Figures:
        vectors = queries([query.text for query in data.queries])
        return set_figures(data, vectors @ encode(list(data.documents.values())).T)

    pools = [sample_pool(dataset, documents) for dataset in datasets]
    sets = {pool.name: partial(figures, pool) for pool in pools}
    return Development(sets, roles, mean_of(lambda figures: figures[ANSWER_RECALL]))


def sample_pool(dataset: Dataset, documents: int | None) -> Dataset:
    """Reduce a data set to a number of documents that can be encoded every few steps.

    Queries are sampled (at least one) while their satisfying and violating documents fill at most
    half of the pool. Other documents fill the rest. Figures over different pools cannot be
    compared, so the sample depends on the data set's name, not on the run's seed. ``documents``
    None keeps everything. A data set without an answer is a :class:`ConfigurationError`.
    """
    answerable = [query for query in dataset.queries if query.grades]
    if not answerable:
        raise ConfigurationError(f"no query of {dataset.name} has an answer")
    if documents is None or documents >= len(dataset.documents):
        return replace(dataset, queries=tuple(answerable))
    random = Random(dataset.name)
    random.shuffle(answerable)
    labelled: set[str] = set()
    queries: list[Query] = []
    for query in answerable:
        ids = query.satisfying | query.violating
        if not queries or len(labelled | ids) <= _LABELLED_SHARE * documents:
            labelled |= ids
            queries.append(query)
    others = [name for name in dataset.documents if name not in labelled]
    pool = labelled.union(random.sample(others, max(0, documents - len(labelled))))
    documents_kept = {name: text for name, text in dataset.documents.items() if name in pool}
    return replace(dataset, documents=documents_kept, queries=tuple(queries))


def set_figures(dataset: Dataset, scores: npt.NDArray[np.floating]) -> Figures:
    """Compute the figures of a ranking by scores of shape (queries, documents).

    Every query must have an answer. Without violating documents, the violation rate is left out.
    """
    column_of = {name: column for column, name in enumerate(dataset.documents)}
    recalls, violations = [], []
    for query, row in zip(dataset.queries, scores, strict=True):
        ranks = ordinal_ranks(row)
        answer_ranks, violating_ranks = (
            ranks[[column_of[name] for name in names]] for names in (query.grades, query.violating)
        )
        recalls.append((answer_ranks <= ANSWER_DEPTH).mean())
        if len(violating_ranks):
            violations.append(violating_ranks.mean() < answer_ranks.mean())
    metrics = {ANSWER_RECALL: float(np.mean(recalls))}
    return {**metrics, VIOLATION: float(np.mean(violations))} if violations else metrics


class SetQueryTask(Task[LogicallyInformedSettings]):
    """Trains an encoder of queries with AND, OR and NOT whose answers are sets."""

    format = RowFormat(
        partial(run_builder, SET_BUILDERS), sample_set_examples, write_examples, read_examples
    )
    row = staticmethod(set_query_row)
    compute = LogicallyInformedLoss

    def plan(self, dataset: Any, size: int) -> Draw:
        return set_plan(dataset, size, random_share=self.settings.random_share)

    def collator(self, model: SentenceTransformer, out: Path) -> Collator:
        return SetCollator(model, self.roles, read_documents(out / DOCUMENTS), self.recipe.seed)

    def development(self) -> Development:
        evaluation = self.recipe.evaluation
        folders = [load_dataset(*name.rsplit("/", 1)) for name in evaluation.sets]
        return set_development(folders, self.roles, evaluation.documents)
