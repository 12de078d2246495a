"""Training rows of the pair judge (two texts, the probability of each label), and their files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

from logic_export.data.files import first_of_each, write_json_lines
from logic_export.data.triplet_builders import find_data_file, run_builder
from logic_export.training.training_data import RowFormat, sample_rows
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation.rows import Row, json_rows
from logic_retrievers.judging import LABELS, RELATIONS
from logic_retrievers.judging.judge import MAX_WORDS, nearest_sentences

ENTAILMENT, NEUTRAL, CONTRADICTION = LABELS

T = TypeVar("T")
Part: TypeAlias = Literal["train", "dev", "all"]

# clusters and pairs written for this project: see the README in this folder
OWN, OWN_PAIRS = (
    {name: Path(__file__).parent / f"{name}.jsonl.gz" for name in names.split()}
    for names in (
        "clusters marked_clusters denials",
        "passage_pairs relations relations_texts relations_mined relations_reworded "
        "relations_restated relations_short relations_dev relations_mined_dev relations_short_dev",
    )
)
_DEV_PERCENT = 15


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """One pair of texts."""

    premise: str  # the passage, or a sentence of it
    hypothesis: str  # the query, its constraint, or a statement
    target: tuple[float, ...]  # probability of each label, or of each pair kind; sums to 1

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels in the order of the target."""
        return LABELS if len(self.target) == len(LABELS) else RELATIONS

    @property
    def label(self) -> str:
        return self.labels[max(range(len(self.target)), key=self.target.__getitem__)]


def labelled_row(
    premise: str, hypothesis: str, label: str, labels: Sequence[str] = LABELS
) -> JudgeRow:
    """Make a row with one certain label."""
    target = tuple(float(label == name) for name in labels)
    return JudgeRow(premise.strip(), hypothesis.strip(), target)


def excerpt_row(passage: str, query: str, label: str) -> JudgeRow:
    """Make a row with the sentences of the passage that the judge reads in use."""
    return labelled_row(nearest_sentences(passage, query, MAX_WORDS), query, label)


def unique_rows(rows: Iterable[JudgeRow]) -> list[JudgeRow]:
    """Keep the first row of each pair of texts; drop rows with an empty text."""
    kept = (row for row in rows if row.premise and row.hypothesis)
    return first_of_each(kept, lambda row: (row.premise, row.hypothesis))


def write_judge_rows(path: Path, rows: Iterable[JudgeRow]) -> None:
    """Write JSON lines, with ``label`` or ``kind`` if it is certain, else ``target``."""
    write_json_lines(path, map(_to_json, rows))


def read_judge_rows(path: Path) -> list[JudgeRow]:
    """Read rows, ignoring other columns; a malformed one is a :class:`ReadError`."""
    rows = []
    for row in json_rows(path):
        try:
            rows.append(_from_json(row.fields))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise row.error(
                "a row needs 'premise', 'hypothesis' and one of 'label' "
                f"({', '.join(LABELS)}), 'kind' ({', '.join(RELATIONS)}) or 'target' "
                "(one probability for each label or kind)"
            ) from error
    return rows


def judge_format(
    builders: Mapping[str, Callable[..., list[T]]],
    unique: Callable[[Iterable[T]], list[T]],
    write: Callable[[Path, Iterable[T]], None],
    read: Callable[[Path], list[T]],
) -> RowFormat[T]:
    """Make a format whose rows are unique over all sets; a set without rows fails."""

    def build(name: str, options: Mapping[str, Any], seed: int) -> list[T]:
        if rows := unique(run_builder(builders, name, options, seed)):
            return rows
        raise ConfigurationError(f"the builder {name!r} gave no row")

    return RowFormat(build, sample_rows, write, read, merge=unique)


def read_clusters(part: Part, files: Sequence[str]) -> Iterator[Row]:
    """Read rows of one part of the domains; 15 % of the domains, by their hash, are ``dev``.

    A cluster holds queries, and the passages that compete for them. ``files`` are names of
    :data:`OWN` or paths.
    """
    for file in files:
        for row in json_rows(OWN.get(file) or find_data_file(Path(file))):
            if part in ("all", _domain_part(row.text("domain"))):
                yield row


def _domain_part(domain: str) -> Part:
    # not assign_part, since gate and weights were fitted on these development domains
    digest = hashlib.sha256(domain.encode()).hexdigest()
    return "dev" if int(digest, 16) % 100 < _DEV_PERCENT else "train"


def _to_json(row: JudgeRow) -> Mapping[str, Any]:
    texts = {"premise": row.premise, "hypothesis": row.hypothesis}
    if 1.0 not in row.target:
        return {**texts, "target": row.target}
    return {**texts, "label" if row.labels == LABELS else "kind": row.label}


def _from_json(row: Mapping[str, Any]) -> JudgeRow:
    if "target" not in row:
        name, labels = ("kind", RELATIONS) if "kind" in row else ("label", LABELS)
        labels.index(row[name])
        return labelled_row(row["premise"], row["hypothesis"], row[name], labels)
    target = tuple(float(value) for value in row["target"])
    if len(target) not in (len(LABELS), len(RELATIONS)):
        raise ValueError(row["target"])
    if min(target) < 0 or not abs(sum(target) - 1) <= 0.01:
        raise ValueError(row["target"])
    return JudgeRow(row["premise"].strip(), row["hypothesis"].strip(), target)
