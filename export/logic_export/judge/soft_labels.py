"""A file of soft labels without the texts that they are of, which may not be copied everywhere."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from logic_export.judge.rows import JudgeRow
from logic_retrievers.errors import ConfigurationError, ReadError, StorageError
from logic_retrievers.judging import LABELS, PAIR_KINDS

_STEPS = 255
"""A probability is stored in one byte."""


class SoftLabels:
    """A teacher's probabilities by pair of texts; a byte each, and eight for the pair.

    Args:
        targets: first 64 bits of the hash of a pair -> probabilities in 255ths, of the judge's
            three labels or of the five pair kinds.
    """

    def __init__(self, targets: dict[int, npt.NDArray[np.uint8]] | None = None) -> None:
        self._targets = targets or {}

    @classmethod
    def read(cls, path: Path) -> SoftLabels:
        """The labels of a file.

        Raises:
            ReadError: it is missing, or no file of soft labels.
        """
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                pairs, targets = arrays["pairs"], arrays["targets"]
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise ReadError(f"{path} cannot be read as soft labels: {error}") from error
        widths = [(len(pairs), len(labels)) for labels in (LABELS, PAIR_KINDS)]
        if targets.shape not in widths or targets.dtype != np.uint8:
            raise ReadError(
                f"{path} holds no probabilities of {', '.join(LABELS)},"
                f" or of {', '.join(PAIR_KINDS)}"
            )
        return cls(dict(zip(pairs.tolist(), targets, strict=True)))

    def write(self, path: Path) -> None:
        """Replaces the file as a whole, or leaves the old one.

        Raises:
            StorageError: the disk is full or not writable.
        """
        pairs = np.fromiter(self._targets, dtype=np.uint64, count=len(self))
        targets = np.array([*self._targets.values()], dtype=np.uint8)
        if not len(self):
            targets = targets.reshape(0, len(LABELS))
        partial = path.with_name(f".{path.name}.partial")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                with partial.open("wb") as file:
                    np.savez_compressed(file, pairs=pairs, targets=targets)
                partial.replace(path)
            finally:
                partial.unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(f"cannot write {path}: {error.strerror}") from error

    def add(self, rows: Sequence[JudgeRow], probabilities: npt.NDArray[np.float32]) -> None:
        """Adds pairs; ``probabilities`` has shape (rows, labels).

        Raises:
            ConfigurationError: the pairs here have labels of the other kind.
        """
        first = next(iter(self._targets.values()), None)
        if first is not None and len(first) != probabilities.shape[1]:
            raise ConfigurationError(
                f"soft labels of {len(first)} columns take none of {probabilities.shape[1]}:"
                " name another file"
            )
        steps = np.rint(probabilities * _STEPS).astype(np.uint8)
        self._targets |= {_pair(row): target for row, target in zip(rows, steps, strict=True)}

    def missing(self, rows: Iterable[JudgeRow]) -> list[JudgeRow]:
        """The rows whose pair has no label here."""
        return [row for row in rows if _pair(row) not in self._targets]

    def label(self, rows: Iterable[JudgeRow]) -> list[JudgeRow]:
        """The rows whose pair has a label here, with that in place of their own."""
        labelled = []
        for row in rows:
            target = self._targets.get(_pair(row))
            if target is not None and (total := int(target.sum())):
                shares = tuple(int(step) / total for step in target)
                labelled.append(JudgeRow(row.premise, row.hypothesis, shares))
        return labelled

    def __len__(self) -> int:
        return len(self._targets)


def _pair(row: JudgeRow) -> int:
    texts = f"{row.premise}\0{row.hypothesis}".encode(errors="surrogatepass")
    return int.from_bytes(hashlib.sha256(texts).digest()[:8], "little")
