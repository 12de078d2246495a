"""The judge of a bundle: small bundles with real graphs, and the shipped one."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import threading
import warnings

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from logic_export.bundles.manifests import checksums
from onnx import numpy_helper
from pair_bundles import LETTERS, write_pair_bundle
from tiny_bundles import WORDS

from logic_retrievers.effects import encoder_threads, run
from logic_retrievers.encoders.bundle import load_bundle
from logic_retrievers.errors import BundleError
from logic_retrievers.judging import OnnxPairJudge, Question, default_judge
from logic_retrievers.judging.settings import JudgeSettings, resolve_judge

texts = st.lists(st.sampled_from(LETTERS), max_size=25).map(" ".join)
pairs = st.lists(st.tuples(texts, texts), min_size=1, max_size=12)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_pair_bundle(tmp_path_factory.mktemp("pairs"))


@pytest.fixture(scope="module")
def judge(folder):
    return OnnxPairJudge(folder)


@given(pairs=pairs)
def test_a_pair_does_not_depend_on_the_others(judge, pairs):
    """A verdict that depends on its batch changes with k."""
    assert judge(pairs) == [judge([pair])[0] for pair in pairs]


def test_both_texts_are_read_in_one_row(judge):
    """The passage comes first, as in training, with special tokens between."""
    assert judge([]) == []
    (row,) = judge.token_ids([("a b", "c")])
    assert [WORDS[number] for number in row] == ["[CLS]", "a", "b", "[SEP]", "c", "[SEP]"]
    first, second, third = judge([("a b", "c"), ("a b", "d"), ("a e", "c")])
    assert len({first, second, third}) == 3


def test_a_broken_text_is_judged(judge):
    """Half a character from a broken JSON escape must not fail a search."""
    assert judge([("a \ud800", "b")]) == judge([("a \ufffd", "b")])
    assert len(judge([("", ""), (" ", "a")])) == 2


def test_the_longer_text_is_cut(folder, tmp_path):
    """A long passage must not push the query out."""
    short = OnnxPairJudge(write_pair_bundle(tmp_path / "short", max_tokens=8))
    (row,) = short.token_ids([(" ".join(LETTERS), "x y")])
    assert [WORDS[number] for number in row] == [
        "[CLS]", "a", "b", "c", "[SEP]", "x", "y", "[SEP]",
    ]  # fmt: skip
    assert short([(" ".join(LETTERS), "x y")]) == short([("a b c", "x y")])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert OnnxPairJudge(folder).token_ids([("a " * 90, "b")])[0][-2:] == [5, 3]


def test_temperature(judge, tmp_path):
    """Dividing logits by it takes the root of probability ratios and keeps their order."""
    given = [("a b c", "d"), ("q r", "s t"), ("u", "v")]
    warm = np.array(OnnxPairJudge(write_pair_bundle(tmp_path, temperature=4.0))(given))
    plain = np.array(judge(given))

    def ratios(shares):
        return np.log(shares[:, 1:]) - np.log(shares[:, :1])

    np.testing.assert_allclose(ratios(warm) * 4, ratios(plain), atol=1e-5)


def test_its_constants_are_those_of_the_bundle(judge, tmp_path):
    """The weights were measured with this judge; JSON turns whole numbers into floats."""
    assert judge.constants == {}
    shipped = {"candidates": 7, "satisfies_weight": 0.4}
    weighted = OnnxPairJudge(write_pair_bundle(tmp_path, constants=shipped))
    assert weighted.constants == shipped
    weighted.constants["satisfies_weight"] = 9.0
    assert run(resolve_judge(weighted), encoder_threads).constants == JudgeSettings(
        candidates=7, satisfies_weight=0.4
    )


def test_a_verdict_answers_in_the_judges_place(judge, tmp_path):
    """The verdict was trained for searches, and its weights were measured with it."""
    shipped = {"satisfies_weight": 0.4}
    folder = write_pair_bundle(
        tmp_path, constants={"satisfies_weight": 0.1}, verdict={"constants": shipped}
    )
    verdict = OnnxPairJudge(folder)
    assert verdict.constants == shipped
    given = [("a b c", "d"), ("q r", "s t")]
    assert all(np.abs(np.array(verdict(given)) - judge(given)).max(axis=1) > 1e-3)
    assert pickle.loads(pickle.dumps(verdict))(given) == verdict(given)


def test_it_has_no_judgement_of_a_query_in_another_language(judge):
    """The judge was trained in English: a verdict on other languages is random."""
    pairs = [("a b", "ein Kuchen ohne Nüsse"), ("a b", "c"), ("a b", "蛋糕"), ("ohne Nüsse", "d")]
    german, english, chinese, passage = judge(pairs)
    assert german is chinese is None
    assert [english] == judge(pairs[1:2])
    assert [passage] == judge(pairs[3:])
    assert judge(pairs[:1]) == [None]
    # "-word" behind a query must not make it English
    restated = Question("Suppe -celery and more of it", "Suppe ohne Sellerie")
    assert judge([("a b", restated)]) == [None]


def test_it_travels_to_another_process(folder):
    """Frameworks run steps in workers; the weights stay on disk."""
    judge = OnnxPairJudge(folder, threads=1)
    content = pickle.dumps(judge)
    assert len(content) < 1000
    copy = pickle.loads(content)
    given = [("a b c", "d"), ("q r", "s t")]
    assert copy(given) == judge(given)
    assert copy._settings == judge._settings
    assert copy.bundle == judge.bundle


def test_a_call_starts_no_threads(judge, monkeypatch):
    """Each of twenty parallel searches would start one thread per core."""
    made = [(letter, "b") for letter in LETTERS]
    expected, started = judge(made), []
    start = threading.Thread.start
    monkeypatch.setattr(
        threading.Thread, "start", lambda thread: (started.append(thread), start(thread))[1]
    )
    assert judge(made) == expected
    assert started == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on Windows")
def test_it_reads_on_after_a_fork(folder):
    """Threads stay in the parent: a child that waits for them waits for ever."""
    code = f"""
import os
from logic_retrievers.judging import OnnxPairJudge
judge = OnnxPairJudge({str(folder)!r}, threads=2)
given = [("a b c", "d"), ("q r", "s t")]
expected = judge(given)
child = os.fork()
if not child:
    os._exit(0 if judge(given) == expected else 1)
assert os.waitpid(child, 0)[1] == 0
assert judge(given) == expected
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=60)


def test_a_bundle_without_a_judge(tmp_path):
    """The message names the bundle and the possible remedies."""
    folder = write_pair_bundle(tmp_path, entry_name=None)
    for bundle in (folder, str(folder), load_bundle(folder)):
        with pytest.raises(BundleError, match=r"'pairs' has no pair judge"):
            OnnxPairJudge(bundle)


def test_a_graph_with_another_number_of_logits(tmp_path):
    """One logit would count as three equal probabilities of 1."""
    with pytest.raises(BundleError, match=r"'judge.onnx' does not run: .*\(1,\)"):
        OnnxPairJudge(write_pair_bundle(tmp_path, classes=1))


@pytest.mark.parametrize(
    "changes",
    [
        {"output": "scores"},
        {"graphs": ["judge.onnx", "judge.onnx"]},
        {"graphs": ["trunk.onnx", "trunk.onnx"]},
    ],
)
def test_graphs_that_are_not_what_the_manifest_says(tmp_path, changes):
    """Wrong graphs fail on opening, not as a warning in every search."""
    with pytest.raises(BundleError, match="does not run"):
        OnnxPairJudge(write_pair_bundle(tmp_path, **changes))


def test_weights_that_are_not_finite(tmp_path):
    """Otherwise each verdict is NaN, and each search warns."""
    folder = write_pair_bundle(tmp_path)
    graph = onnx.load(folder / "judge.onnx")
    matrix = next(tensor for tensor in graph.graph.initializer if tensor.name == "matrix")
    matrix.CopyFrom(numpy_helper.from_array(np.full((4, 3), np.nan, np.float32), "matrix"))
    (folder / "judge.onnx").write_bytes(graph.SerializeToString())
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"] |= checksums(folder, ["judge.onnx"])
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(BundleError, match="not finite"):
        OnnxPairJudge(folder)


@pytest.mark.parametrize(
    "changes",
    [
        *({"temperature": value} for value in (0.0, 1e-300, float("inf"), float("nan"))),
        *({"constants": {"w": float("nan")}}, {"max_tokens": 4}, {"max_tokens": 10**9}),
        *({"graph": "other.onnx"}, {"colour": "red"}),
    ],
)
def test_a_manifest_entry_that_cannot_work(tmp_path, changes):
    with pytest.raises(BundleError):
        OnnxPairJudge(write_pair_bundle(tmp_path, **changes))


# --- the default bundle


def test_the_default_judge_is_opened_once():
    assert default_judge() is default_judge()
    assert default_judge().bundle.manifest == load_bundle().manifest


@pytest.fixture
def shipped_judge():
    return default_judge()


def test_the_shipped_judge_tells_without_from_with(shipped_judge):
    """A cosine cannot tell the two apart."""
    query = "a cake without nuts"
    without, with_nuts = shipped_judge(
        [("Cake without any nuts.", query), ("Cake with walnuts and almonds.", query)]
    )
    assert without[0] - without[2] > with_nuts[0] - with_nuts[2]
    assert with_nuts[2] > with_nuts[0]
