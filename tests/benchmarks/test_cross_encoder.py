"""A cross-encoder from a folder: its format, and cached scores."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx.parser
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from benchmarks.common.cross_encoder import CrossEncoder

WORDS = ["[PAD]", "[UNK]", "quiet", "loud", "inn"]
LENGTH = 8


def write_model(folder: Path, contradiction: int = 1) -> Path:
    """Logits (0, sum of the ids / 10): longer texts and later words contradict more."""
    folder.mkdir(parents=True, exist_ok=True)
    text = f"""
        <ir_version: 9, opset_import: ["" : 18]>
        pairs (int64[N,{LENGTH}] input_ids, int64[N,{LENGTH}] attention_mask) => (float[N,2] logits)
        <int64[1] axis = {{1}}, float tenth = {{0.1}}>
        {{
            kept = Mul(input_ids, attention_mask)
            real = Cast<to = 1>(kept)
            sum = ReduceSum<keepdims = 1>(real, axis)
            second = Mul(sum, tenth)
            first = Sub(second, second)
            logits = Concat<axis = 1>(first, second)
        }}
    """
    onnx.save(onnx.parser.parse_model(text), str(folder / "model.onnx"))
    words = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"tokens": LENGTH, "contradiction": contradiction}
    (folder / "cross_encoder.json").write_text(json.dumps(settings), encoding="utf-8")
    return folder


def test_probabilities_by_hand(tmp_path: Path) -> None:
    judge = CrossEncoder(write_model(tmp_path / "model"), tmp_path / "pairs.sqlite")
    result = judge.probabilities([("quiet", "inn"), ("loud", "inn"), ("quiet", "inn")])
    assert result == pytest.approx([1 / (1 + np.exp(-0.6)), 1 / (1 + np.exp(-0.7)), result[0]])
    assert judge.probabilities([]).shape == (0,)


def test_scores_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty passages per query take minutes, which a second run must not repeat."""
    folder = write_model(tmp_path / "model")
    first = CrossEncoder(folder, tmp_path / "pairs.sqlite").probabilities([("quiet", "inn")])
    monkeypatch.setattr(CrossEncoder, "_probability", lambda *_: pytest.fail("read again"))
    again = CrossEncoder(folder, tmp_path / "pairs.sqlite")
    assert again.probabilities([("quiet", "inn")]).tolist() == first.tolist()
    monkeypatch.undo()
    write_model(folder, contradiction=0)
    other = CrossEncoder(folder, tmp_path / "pairs.sqlite").probabilities([("quiet", "inn")])
    assert other == pytest.approx(1 - first)
