"""A cross-encoder for contradictions: a slow baseline that reads both texts together."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from benchmarks.report.workbench import Workbench
from logic_retrievers.encoders.sessions import onnxruntime
from logic_retrievers.errors import EncoderError, StorageError

Pair: TypeAlias = tuple[str, str]

_SCHEMA = "CREATE TABLE IF NOT EXISTS pairs (key BLOB PRIMARY KEY, probability REAL) WITHOUT ROWID"
# Number of pairs per commit; an interrupted run loses at most this many.
_COMMIT_EVERY = 256


class CrossEncoder:
    """Computes probabilities that two texts contradict.

    The folder holds ``model.onnx`` (inputs ``input_ids`` and ``attention_mask``; first output:
    logits of shape (pairs, classes)), ``tokenizer.json`` and ``cross_encoder.json``. The last has
    ``tokens`` (length to which every pair is truncated and padded), ``contradiction`` (index of the
    contradiction logit) and ``pad_id`` (default 0).

    Args:
        folder: folder of the model.
        scores: SQLite cache of all probabilities; created if missing.
    """

    def __init__(self, folder: Path, scores: Path) -> None:
        try:
            settings = json.loads((folder / "cross_encoder.json").read_bytes())
            tokens, self._contradiction = int(settings["tokens"]), int(settings["contradiction"])
            pad_id = int(settings.get("pad_id", 0))
            content = (folder / "model.onnx").read_bytes()
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            self._session = onnxruntime.InferenceSession(content)
        # ONNX Runtime and the tokenizer raise errors that derive directly from Exception.
        except Exception as error:
            raise EncoderError(f"no cross-encoder loads from {folder}: {error!r}") from error
        self._tokenizer.enable_truncation(tokens)
        self._tokenizer.enable_padding(length=tokens, pad_id=pad_id)
        form = json.dumps([tokens, self._contradiction, pad_id]).encode()
        self._fingerprint = hashlib.sha256(content + form).hexdigest()
        self._scores = scores

    def probabilities(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        """Return probabilities of a contradiction, shape (pairs,); compute only uncached ones."""
        keys = [self._key(pair) for pair in pairs]
        known: dict[bytes, float] = {}
        try:
            with closing(sqlite3.connect(self._scores, timeout=60)) as connection:
                connection.execute(_SCHEMA)
                for done, (key, pair) in enumerate(zip(keys, pairs, strict=True), start=1):
                    if key in known:
                        continue
                    row = connection.execute(
                        "SELECT probability FROM pairs WHERE key = ?", [key]
                    ).fetchone()
                    known[key] = self._probability(pair) if row is None else row[0]
                    if row is None:
                        connection.execute("INSERT INTO pairs VALUES (?, ?)", [key, known[key]])
                    if done % _COMMIT_EVERY == 0:
                        connection.commit()
                connection.commit()
        except sqlite3.Error as error:
            raise StorageError(f"the scores in {str(self._scores)!r} failed: {error}") from error
        return np.array([known[key] for key in keys], dtype=np.float64)

    def _key(self, pair: Pair) -> bytes:
        return hashlib.sha256(json.dumps([self._fingerprint, *pair]).encode()).digest()

    # Takes one pair: the logits of an int8 graph depend on the other rows of a batch.
    def _probability(self, pair: Pair) -> float:
        tokens = self._tokenizer.encode(*pair)
        feed = {
            "input_ids": np.array([tokens.ids], dtype=np.int64),
            "attention_mask": np.array([tokens.attention_mask], dtype=np.int64),
        }
        logits = np.asarray(self._session.run(None, feed)[0][0], dtype=np.float64)
        raised = np.exp(logits - logits.max())
        return float(raised[self._contradiction] / raised.sum())


def find_cross_encoder(bench: Workbench) -> CrossEncoder | None:
    """Open the workbench's cross-encoder, with scores cached next to the vectors, or None."""
    folder = bench.model("cross-encoder")
    return None if folder is None else CrossEncoder(folder, bench.vectors.with_name("pairs.sqlite"))
