"""A cross-encoder for contradictions, the slow baseline that reads both texts together."""

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
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from tokenizers import Tokenizer

from benchmarks.reproduction.workbench import Workbench
from logic_retrievers.encoders.sessions import onnxruntime
from logic_retrievers.errors import EncoderError, StorageError

Pair: TypeAlias = tuple[str, str]

MODEL, TOKENIZER, SETTINGS = "model.onnx", "tokenizer.json", "cross_encoder.json"
_SCHEMA = "CREATE TABLE IF NOT EXISTS pairs (key BLOB PRIMARY KEY, probability REAL) WITHOUT ROWID"
_COMMIT_EVERY = 256
"""Pairs between two commits; an interrupted run loses at most these."""


class CrossEncoderSettings(BaseModel):
    """Input format of a cross-encoder; ``cross_encoder.json`` in its folder.

    Args:
        tokens: length to which every pair is truncated and padded.
        contradiction: index of the logit of a contradiction.
        pad_id: id of the padding token.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tokens: int = Field(ge=3)
    contradiction: int = Field(ge=0)
    pad_id: int = 0


class CrossEncoder:
    """Probabilities that two texts contradict.

    The folder holds ``model.onnx`` (inputs ``input_ids`` and ``attention_mask``, the first output
    the logits, shape (pairs, classes)), ``tokenizer.json`` and ``cross_encoder.json``
    (:class:`CrossEncoderSettings`). Pairs are scored one at a time: the
    logits of an int8 graph depend on the other rows of a batch.

    Args:
        folder: of the model.
        scores: SQLite cache of all probabilities; created if it is missing.

    Raises:
        EncoderError: a file is missing or cannot be loaded.
    """

    def __init__(self, folder: Path, scores: Path) -> None:
        try:
            self._settings = CrossEncoderSettings.model_validate_json(
                (folder / SETTINGS).read_bytes()
            )
            content = (folder / MODEL).read_bytes()
            self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
            self._session = onnxruntime.InferenceSession(content)
        except (OSError, ValidationError) as error:
            raise EncoderError(f"no cross-encoder in {folder}: {error}") from error
        except Exception as error:  # ONNX Runtime's and the tokenizer's own derive from Exception
            raise EncoderError(
                f"the cross-encoder in {folder} cannot be loaded: {error}"
            ) from error
        self._tokenizer.enable_truncation(self._settings.tokens)
        self._tokenizer.enable_padding(length=self._settings.tokens, pad_id=self._settings.pad_id)
        settings = self._settings.model_dump_json().encode()
        self._fingerprint = hashlib.sha256(content + settings).hexdigest()
        self._scores = scores

    def probabilities(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        """Probabilities of a contradiction, shape (pairs,); cached ones are not computed again.

        Raises:
            StorageError: the file cannot be read or written.
        """
        keys = [self._key(pair) for pair in pairs]
        try:
            with closing(sqlite3.connect(self._scores, timeout=60)) as connection:
                connection.execute(_SCHEMA)
                known = dict.fromkeys(keys, np.nan)
                for key in known:
                    row = connection.execute(
                        "SELECT probability FROM pairs WHERE key = ?", [key]
                    ).fetchone()
                    known[key] = np.nan if row is None else row[0]
                new = {k: pair for k, pair in zip(keys, pairs, strict=True) if np.isnan(known[k])}
                for done, (key, pair) in enumerate(new.items(), start=1):
                    known[key] = self._probability(pair)
                    connection.execute("INSERT INTO pairs VALUES (?, ?)", [key, known[key]])
                    if done % _COMMIT_EVERY == 0:
                        connection.commit()
                connection.commit()
        except sqlite3.Error as error:
            raise StorageError(f"the scores in {str(self._scores)!r} failed: {error}") from error
        return np.array([known[key] for key in keys], dtype=np.float64)

    def _key(self, pair: Pair) -> bytes:
        return hashlib.sha256(json.dumps([self._fingerprint, *pair]).encode()).digest()

    def _probability(self, pair: Pair) -> float:
        tokens = self._tokenizer.encode(*pair)
        feed = {
            "input_ids": np.array([tokens.ids], dtype=np.int64),
            "attention_mask": np.array([tokens.attention_mask], dtype=np.int64),
        }
        logits = np.asarray(self._session.run(None, feed)[0][0], dtype=np.float64)
        raised = np.exp(logits - logits.max())
        return float(raised[self._settings.contradiction] / raised.sum())


def find_cross_encoder(bench: Workbench) -> CrossEncoder | None:
    """The cross-encoder of the workbench, with its scores cached beside the vectors; or None."""
    folder = bench.model("cross-encoder")
    return None if folder is None else CrossEncoder(folder, bench.vectors.with_name("pairs.sqlite"))
