"""Fit how a judge is asked, and its weights, on labelled queries."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from logic_retrievers.errors import ConfigurationError, FewQueriesWarning, ReadError, warn
from logic_retrievers.evaluation.changes import Changes, changes, values_by_query
from logic_retrievers.evaluation.datasets import Dataset
from logic_retrievers.evaluation.remembering import RememberingJudge, remembering
from logic_retrievers.evaluation.result import bootstrap_group
from logic_retrievers.evaluation.statistics import Estimate, bootstrap
from logic_retrievers.files import write_text
from logic_retrievers.judging.judge import Answer
from logic_retrievers.judging.settings import AnyJudge, JudgeSettings, resolve_judge
from logic_retrievers.progress import ProgressCallback

if TYPE_CHECKING:
    from logic_retrievers.search import Engine

FOLDS = 5
# a fit to fewer answers would be about a judge that mostly failed
_LEAST_ANSWERED = 0.9
# fewer queries that have satisfying and violating documents say too little
ENOUGH = 20
# length of the rankings; a judge reads fewer candidates
DEPTH = 100

_NO_WEIGHT = {"relevance_weight": 0.0, "satisfies_weight": 0.0, "violates_weight": 0.0}
# of a judge that gives scores; and (satisfies, violates) of one that gives probabilities
_RELEVANCE_WEIGHTS = (0.25, 0.5, 0.75, 1.0)
_VERDICT_WEIGHTS = ((0.25, 0.1), (0.5, 0.2), (0.5, 0.5), (1.0, 0.4))

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Fit:
    """Settings of a judge that were chosen on labelled queries.

    Args:
        settings: the judge, and the settings that are best on all queries. No weight counts if
            nothing beats the search without the judge.
        dataset: name of the data set.
        queries: number of queries with satisfying documents.
        gain: mean gain of a query over the search without the judge, and its 95 % interval. It is
            measured on queries that had no part in the choice: five times the settings are chosen
            on four fifths and measured on the rest.
        over_shipped: mean gain over the search with the shipped judge, measured likewise; None if
            the package's bundle has no judge.
        changes: the queries that are better and worse than without the judge, measured likewise.
    """

    settings: JudgeSettings
    dataset: str
    queries: int
    gain: Estimate
    over_shipped: Estimate | None
    changes: Changes

    @property
    def helps(self) -> bool:
        """Whether the interval of the gain is above 0."""
        return self.gain.low > 0

    @property
    def chosen(self) -> dict[str, Any]:
        """The settings without the judge."""
        return self.settings.overrides()

    def to_json(self) -> dict[str, Any]:
        """Return a plain dictionary for ``json.dumps``, without the judge."""
        return {
            "settings": self.chosen,
            "fit": self.note(),
            "helps": self.helps,
            "over_shipped": None if self.over_shipped is None else self.over_shipped._asdict(),
            "changes": self.changes.to_json(),
        }

    def note(self) -> dict[str, Any]:
        """Return the note that :meth:`save` adds to the settings."""
        return {
            "dataset": self.dataset,
            "queries": self.queries,
            "gain": round(self.gain.mean, 6),
            "interval": [round(self.gain.low, 6), round(self.gain.high, 6)],
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file for :meth:`JudgeSettings.load`, with the note under ``fit``.

        Raises:
            ConfigurationError: the judge cannot be described, such as a plain function.
            StorageError: the file cannot be written.
        """
        description = {**self.settings.describe(), "fit": self.note()}
        write_text(path, json.dumps(description, indent=2) + "\n")


def fit_judge(
    dataset: Dataset,
    engine: Engine,
    judge: AnyJudge = "auto",
    progress: ProgressCallback | None = None,
) -> Fit:
    """Choose how a judge is asked, and its weights.

    The value of a query is the reciprocal rank at 10 of the first satisfying document. For a query
    with violating documents it is the mean of that and of 1 if a satisfying document ranks above
    all of them. A judge that gives scores is asked with the query and with its parts; one that
    gives probabilities also with the query restated. Each pair of passage and text is asked once.
    Ties go to no judge. :attr:`Fit.helps` says whether the choice helps.

    Args:
        dataset: the queries, and the documents, which ``engine.index`` holds.
        engine: searches with its policy and its reranker; its own judge is not asked.
        judge: the judge to fit, as for :class:`~logic_retrievers.Engine`. Fields of
            :class:`JudgeSettings` other than ``ask`` and the weights stay.
        progress: called after every 60 pairs of a passage and a text that the judge reads, or a few
            more; its share is that of one way of asking.

    Warns:
        FewQueriesWarning: fewer than 20 queries have satisfying and violating documents.
        PairJudgeWarning: the judge failed on some pairs.

    Raises:
        ConfigurationError: there is no judge, it was asked nothing, it failed on every pair, no
            query has satisfying documents, or the policy is ``judge``, which uses no weight.
    """
    if engine.policy.name == "judge":
        raise ConfigurationError("the policy 'judge' uses no weight to fit; take another policy")
    remembered = remembering(judge, engine.index, progress)
    if remembered is None:
        raise ConfigurationError("there is no judge to fit; pass one")
    own = judge if isinstance(judge, JudgeSettings) else JudgeSettings()
    if callable(judge):
        own = JudgeSettings(judge=judge)
    asked = remembered.judge
    assert isinstance(asked, RememberingJudge)
    both = sum(bool(query.grades and query.violating) for query in dataset.queries)
    if both < ENOUGH:
        warn(
            FewQueriesWarning,
            f"only {both} queries of {dataset.name} have satisfying and violating passages; with"
            " fewer than fifty a fit says little",
        )
    measure, before = _values(dataset, engine, None)
    if not before:
        raise ConfigurationError(f"no query of {dataset.name} has a satisfying passage")
    grid: list[dict[str, Any]] = [{"ask": "query", **_NO_WEIGHT}]
    runs = [_values(dataset, engine, remembered.model_copy(update=grid[0]))[1]]
    grid = _grid(_an_answer(asked, dataset))
    for settings in grid[1:]:
        runs.append(_values(dataset, engine, remembered.model_copy(update=settings))[1])
    if asked.problem and asked.answered < _LEAST_ANSWERED:
        raise ConfigurationError(
            f"the judge answered {asked.answered:.0%} of the pairs, which is too few for a fit:"
            f" {asked.problem}"
        )
    queries = [query for query in dataset.queries if query.id in before]
    groups = [bootstrap_group(query) for query in queries]
    base = np.array([before[query.id] for query in queries])
    gains = np.array([[run[query.id] for query in queries] for run in runs]) - base
    gain_of_query = held_out_gains(gains, groups)
    after = dict(zip(before, (base + gain_of_query).tolist(), strict=True))
    over_shipped = None
    if engine.index.run(resolve_judge("auto")) is not None:
        shipped = _values(dataset, engine, "auto")[1]
        over = base + gain_of_query - np.array([shipped[query.id] for query in queries])
        over_shipped = bootstrap(over, groups)[0]
    return Fit(
        own.model_copy(update=grid[_best(gains)]),
        dataset.name,
        len(queries),
        bootstrap(gain_of_query, groups)[0],
        over_shipped,
        changes(measure, queries, before, after),
    )


def held_out_gains(gains: Values, groups: Sequence[str], seed: int = 0) -> Values:
    """Return each query's gain under the settings that are best on the other folds.

    Args:
        gains: shape (settings, queries); the first settings win ties.
        groups: group of each query; a fold has whole groups.
        seed: of the order in which the groups are dealt out.

    Returns:
        Shape (queries,). If there is only one group, the gains of the first settings.
    """
    held_out = np.zeros(gains.shape[1])
    for fold in _folds(groups, seed):
        # without other queries the mean is that of nothing, and the first settings are taken
        best = _best(gains[:, ~fold]) if not fold.all() else 0
        held_out[fold] = gains[best, fold]
    return held_out


def fitted_on(path: str | os.PathLike[str]) -> str | None:
    """Return the data set on which a file's settings were fitted; None if the file has no note.

    Raises:
        ReadError: the file cannot be read.
    """
    try:
        note = json.loads(Path(path).read_text("utf-8")).get("fit", {})
        name: str | None = note.get("dataset")
        return name
    except (OSError, ValueError, AttributeError) as error:
        raise ReadError(f"no judge's settings: {error}", file=os.fspath(path)) from error


def _values(dataset: Dataset, engine: Engine, judge: AnyJudge) -> tuple[str, dict[str, float]]:
    """Search with a judge; return the measure, and the value of each query."""
    searcher = copy.copy(engine)
    searcher.judge = judge
    most = max((len(query.exclude) for query in dataset.queries), default=0)
    found = searcher.search_many([query.text for query in dataset.queries], DEPTH + most)
    run = {
        query.id: [hit.passage.id for hit in hits if hit.passage.id not in query.exclude]
        for query, hits in zip(dataset.queries, found, strict=True)
    }
    return values_by_query(dataset, run)


def _an_answer(judge: RememberingJudge, dataset: Dataset) -> Answer:
    """Return one of the judge's answers, which shows what it gives."""
    if judge.answers:
        return judge.answers[0]
    if judge.problem:
        raise ConfigurationError(f"the judge cannot be fitted: {judge.problem}")
    raise ConfigurationError(
        f"the judge cannot be fitted: no query of {dataset.name} has a constraint on which it gave"
        " an answer. To order every query, pass it as reranker=, which has no fit"
    )


def _grid(answer: Answer) -> list[dict[str, Any]]:
    """Return the settings to try, for a judge that gives such answers; the first have no weight."""
    if isinstance(answer, float):
        return [
            {"ask": "query", "relevance_weight": 0.0},
            *(
                {"ask": ask, "relevance_weight": weight}
                for ask in ("query", "parts")
                for weight in _RELEVANCE_WEIGHTS
            ),
        ]
    return [
        {"ask": "query", "satisfies_weight": 0.0, "violates_weight": 0.0},
        *(
            {"ask": ask, "satisfies_weight": satisfies, "violates_weight": violates}
            for ask in ("query", "parts", "restated")
            for satisfies, violates in _VERDICT_WEIGHTS
        ),
    ]


def _best(gains: Values) -> int:
    """Return the settings of the greatest mean gain; the first among equals."""
    return int(np.argmax(np.round(gains.mean(axis=1), 9)))


def _folds(groups: Sequence[str], seed: int) -> Iterator[npt.NDArray[np.bool_]]:
    """Yield which queries each fold holds out."""
    names = list(dict.fromkeys(groups))
    order = np.random.default_rng(seed).permutation(len(names))
    fold_of = {names[place]: number % FOLDS for number, place in enumerate(order)}
    of_query = np.array([fold_of[group] for group in groups])
    for fold in sorted(set(fold_of.values())):
        yield of_query == fold
