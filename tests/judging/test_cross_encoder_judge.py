"""Judges from sentence-transformers cross-encoders: small BERTs made here."""

from __future__ import annotations

import pickle
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from small_models import write_small_cross_encoder, write_small_model
from suites.hashed_encoder import HashedEncoder

from logic_retrievers import CrossEncoderJudge, Engine, JudgeSettings, PassageIndex
from logic_retrievers.conflicts import ContradictionFilter
from logic_retrievers.errors import (
    ConfigurationError,
    EncoderError,
    MissingExtraError,
    PairJudgeWarning,
)
from logic_retrievers.judging import PartialAnswers
from logic_retrievers.judging.settings import check_any_judge
from logic_retrievers.types import Passage

pytest.importorskip("sentence_transformers", reason="the extra sentence-transformers")

PAIRS = [
    ("a quiet room", "not loud"),
    ("a hotel without noise, a quiet room", "a hotel"),
    ("find no room", "a loud room without noise"),
]
NLI = ("CONTRADICTION", "Entailment", "neutral")


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("cross-encoders")
    labels = {
        "nli": NLI,
        "verdict": ("violates", "satisfies", "neutral"),
        "score": ("LABEL_0",),
        "unnamed": ("LABEL_0", "LABEL_1", "LABEL_2"),
        "two": ("entailment", "not_entailment"),
    }
    return {name: write_small_cross_encoder(root / name, *labels[name]) for name in labels}


@pytest.fixture(scope="module")
def loaded(folders):
    """The models as a user loads them, for comparison."""
    from sentence_transformers import CrossEncoder

    return {name: CrossEncoder(str(folders[name]), device="cpu") for name in ("nli", "score")}


@pytest.fixture(scope="module")
def nli(folders) -> CrossEncoderJudge:
    return CrossEncoderJudge(folders["nli"], device="cpu", batch_size=2)


def test_nli_labels_in_our_order(nli, loaded):
    """With two labels exchanged, passages that contradict the query would come first."""
    expected = loaded["nli"].predict(PAIRS, apply_softmax=True)
    np.testing.assert_allclose(nli(PAIRS), expected[:, [1, 2, 0]], atol=1e-5)
    assert np.abs(np.diff(expected)).min() > 1e-3  # an exchange would show
    assert nli([]) == []


def test_a_reranker_reads_the_query_first_and_gives_logits(folders, loaded):
    """Published rerankers are trained on (query, passage); a sigmoid makes good scores equal."""
    from torch.nn import Identity

    judge = CrossEncoderJudge(folders["score"], device="cpu")
    turned = [(query, passage) for passage, query in PAIRS]
    expected = loaded["score"].predict(turned, activation_fn=Identity())
    np.testing.assert_allclose(judge(PAIRS), expected, atol=1e-5)
    assert all(isinstance(score, float) for score in judge(PAIRS))


def test_both_directions_of_a_contradiction(nli, folders, loaded):
    """Which of two passages was stored first must not decide whether they contradict."""
    turned = [pair[::-1] for pair in PAIRS]
    one, other = (loaded["nli"].predict(p, apply_softmax=True)[:, 0] for p in (PAIRS, turned))
    np.testing.assert_allclose(nli.contradictions(PAIRS), (one + other) / 2, atol=1e-5)
    assert nli.contradictions([]) == []
    ContradictionFilter(judge=nli)
    for name in ("score", "verdict"):
        judge = CrossEncoderJudge(folders[name], device="cpu")
        with pytest.raises(ConfigurationError, match="cannot compare"):
            judge.contradictions(PAIRS)


def test_labels_by_hand(folders, nli):
    """The labels of many models are LABEL_0 to LABEL_2, and only the model's card explains them."""
    with pytest.raises(ConfigurationError, match=r"LABEL_0, LABEL_1, LABEL_2 .* Pass labels="):
        CrossEncoderJudge(folders["unnamed"], device="cpu")
    by_hand = CrossEncoderJudge(
        folders["unnamed"], labels=("contradiction", "entailment", "neutral"), device="cpu"
    )
    np.testing.assert_allclose(by_hand(PAIRS), nli(PAIRS), atol=1e-6)
    assert by_hand.compares
    # a user's labels count more than the model's
    verdicts = CrossEncoderJudge(
        folders["nli"], labels=("neutral", "satisfies", "violates"), device="cpu"
    )
    assert not verdicts.compares
    a, b = np.array(nli(PAIRS)), np.array(verdicts(PAIRS))
    np.testing.assert_allclose(a, b[:, [0, 2, 1]], atol=1e-6)


@pytest.mark.parametrize(
    ("name", "labels", "problem"),
    [
        ("two", None, r"2 numbers .*entailment, not_entailment.* callable"),
        ("two", NLI, "2 numbers"),
        ("score", NLI, "leave out labels="),
        ("nli", ("entailment", "neutral"), "three names"),
        ("nli", "entailment", "three names"),
        ("nli", ("entailment", "neutral", "violates"), "three names"),
    ],
)
def test_labels_that_cannot_be(folders, name, labels, problem):
    """A guess would turn the order round without a word."""
    with pytest.raises(ConfigurationError, match=problem):
        CrossEncoderJudge(folders[name], labels=labels, device="cpu")


def test_numbers_that_are_not_finite(folders):
    """One broken answer must cost one passage, not the whole judgement."""
    import torch
    from sentence_transformers import CrossEncoder

    model = CrossEncoder(str(folders["nli"]), device="cpu")
    loud = model.tokenizer.convert_tokens_to_ids("loud")
    with torch.no_grad():
        model.model.bert.embeddings.word_embeddings.weight[loud] = torch.nan
    judge = CrossEncoderJudge(model)
    answers = judge([("a loud room", "a room"), ("a quiet room", "a room")])
    assert isinstance(answers, PartialAnswers)
    assert answers[0] is None
    assert sum(answers[1]) == pytest.approx(1)
    assert judge.contradictions([("loud", "room"), ("no", "room")])[0] is None
    with PassageIndex.open("rooms", HashedEncoder(dimension=64)) as index:
        index.add([Passage("1", "a loud room"), Passage("2", "a quiet room")])
        with pytest.warns(PairJudgeWarning, match="1 of 2 pairs: its model .* not finite"):
            hits = Engine(index, judge=judge).search("a room that is not q")
    assert len(hits) == 2


def test_threads_take_turns(nli, monkeypatch):
    """Tokenizers of transformers can fail with "Already borrowed" if two threads use one."""
    predict, inside, counts = nli._model.predict, [], []

    def watched(*args, **settings):
        inside.append(1)
        counts.append(len(inside))
        time.sleep(0.01)
        try:
            return predict(*args, **settings)
        finally:
            inside.pop()

    monkeypatch.setattr(nli._model, "predict", watched)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(nli, [PAIRS] * 8))
    assert counts == [1] * 8
    assert all(answer == answers[0] for answer in answers)


def test_models_that_are_none(folders, tmp_path, nli):
    """sentence-transformers puts a random head on an encoder, and it orders passages by chance."""
    import torch

    encoder = write_small_model(tmp_path / "encoder")
    with pytest.raises(EncoderError, match="no trained classification head"):
        CrossEncoderJudge(encoder, device="cpu")
    with pytest.raises(EncoderError, match="cannot load"):
        CrossEncoderJudge(tmp_path / "nowhere")
    pickled = write_small_cross_encoder(tmp_path / "pickled", *NLI)
    (pickled / "model.safetensors").unlink()
    torch.save(nli._model.model.state_dict(), pickled / "pytorch_model.bin")
    with pytest.raises(EncoderError, match="cannot load"):
        CrossEncoderJudge(pickled)
    with pytest.raises(ConfigurationError, match="model is a CrossEncoder"):
        CrossEncoderJudge(nli._model.tokenizer)
    with pytest.raises(ConfigurationError, match="device="):
        CrossEncoderJudge(nli._model, device="cpu")


def test_a_model_in_a_judges_place(nli):
    """It is callable too, and would fail at every query."""
    with pytest.raises(ConfigurationError, match=r"CrossEncoderJudge\(model\)"):
        check_any_judge(nli._model)


def test_a_missing_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match=r"logic-retrievers\[sentence-transformers\]"):
        CrossEncoderJudge("cross-encoder/nli-deberta-v3-base")


def test_its_settings(nli, folders):
    """A judge for 80 words would cut the passages of a model that reads 512 tokens."""
    assert nli.constants == {"ask": "query", "max_words": 20}
    assert CrossEncoderJudge(folders["score"], device="cpu").constants["max_words"] == 20


def test_it_is_saved_by_name(nli, folders, tmp_path):
    """A fitted judge's file restores the judge; a model in memory is in no file."""
    judge = CrossEncoderJudge(folders["unnamed"], labels=NLI, device="cpu")
    settings = JudgeSettings(judge=judge, satisfies_weight=0.3)
    settings.save(tmp_path / "judge.json")
    restored = JudgeSettings.load(tmp_path / "judge.json")
    assert restored.judge.describe() == {
        "class": "CrossEncoderJudge",
        "model": str(folders["unnamed"]),
        "labels": ["contradiction", "entailment", "neutral"],
        "device": "cpu",
        "batch_size": 32,
    }
    assert restored.judge(PAIRS) == judge(PAIRS) == pickle.loads(pickle.dumps(judge))(PAIRS)
    assert str(folders["unnamed"]) in repr(judge)
    with pytest.raises(ConfigurationError, match="loaded model"):
        CrossEncoderJudge(nli._model).describe()
