"""A pipeline's file holds every judge, as judge and as reranker, and no key."""

from __future__ import annotations

import json
import runpy
import warnings
from pathlib import Path

import pytest
from haystack import Pipeline
from haystack.components.generators.chat import MockChatGenerator
from haystack_logic_retrievers import (
    CompatibilityRanker,
    ConstraintRetriever,
    ContradictionFilter,
    LogicDocumentStore,
    as_judge,
)
from small_models import write_small_cross_encoder

from logic_retrievers import (
    ChatJudge,
    CrossEncoderJudge,
    JudgeSettings,
    OnnxJudge,
    RerankEndpoint,
)
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.judging import OnnxPairJudge

EXPORT = Path(__file__).parents[2] / "examples" / "export_cross_encoder.py"
KEY = "very-secret-key"


def chat(**settings):
    return ChatJudge("http://127.0.0.1:9/v1", "small", concurrency=2, **settings)


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> dict[str, str]:
    """A cross-encoder as sentence-transformers saves it, and exported."""
    root = tmp_path_factory.mktemp("cross-encoder")
    saved = write_small_cross_encoder(root / "saved", "LABEL_0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's, about itself
        runpy.run_path(str(EXPORT))["main"](str(saved), str(root / "exported"))
    return {"saved": str(saved), "exported": str(root / "exported")}


@pytest.fixture(params=[ChatJudge, CrossEncoderJudge, OnnxJudge, OnnxPairJudge, RerankEndpoint])
def judge(request, monkeypatch):
    monkeypatch.setenv("MODEL_KEY", KEY)
    kind = request.param
    if kind is ChatJudge:
        return chat(api_key_variable="MODEL_KEY")
    if kind is RerankEndpoint:
        named = {"api_key_variable": "MODEL_KEY", "instruction": "Find rooms: {query}"}
        return RerankEndpoint("http://127.0.0.1:9", form="tei", timeout=3, **named)
    if kind is OnnxPairJudge:
        return OnnxPairJudge(threads=1)
    pytest.importorskip("sentence_transformers", reason="the extra sentence-transformers")
    pytest.importorskip("onnxscript", reason="the extra train")
    folders = request.getfixturevalue("folders")
    if kind is OnnxJudge:
        return OnnxJudge(folders["exported"], threads=1)
    return CrossEncoderJudge(folders["saved"], device="cpu", batch_size=2)


def reloaded(component):
    """Return a component after its pipeline was written to YAML and read again."""
    pipeline = Pipeline()
    pipeline.add_component("ours", component)
    text = pipeline.dumps()
    assert KEY not in text
    again = Pipeline.loads(text)
    assert again.dumps() == text
    return again.get_component("ours")


@pytest.mark.parametrize("setting", ["judge", "reranker"])
def test_every_judge_comes_back_from_a_file(judge, setting):
    """A pipeline that lost its judge ranks in silence as it did before."""
    for given in (judge, JudgeSettings(judge, candidates=7, ask="parts")):
        for component in (
            ConstraintRetriever(LogicDocumentStore(), **{setting: given}),
            CompatibilityRanker(**{setting: given}),
        ):
            again = getattr(reloaded(component), setting)
            assert type(again) is type(given)
            assert again.describe() == given.describe()
            inner = again.judge if isinstance(again, JudgeSettings) else again
            assert type(inner) is type(judge)
            assert inner.describe() == judge.describe()
    json.dumps(component.to_dict())  # a description has JSON types


def test_a_filters_judge_comes_back_from_a_file(monkeypatch):
    """A filter that lost its judge trusts its vectors again."""
    monkeypatch.setenv("MODEL_KEY", KEY)
    judge = chat(api_key_variable="MODEL_KEY")
    made = reloaded(ContradictionFilter(judge=judge, judge_above=0.2))
    assert made.options["judge"].describe() == judge.describe()
    assert made.options["judge_above"] == 0.2
    assert reloaded(ContradictionFilter(judge=None)).options == {"judge": None}


def test_what_a_file_cannot_hold_is_said_without_the_key():
    """A key in a pipeline's file ends in a repository."""
    secret = chat(api_key=KEY)
    function = as_judge(MockChatGenerator("Yes"))
    for judge, word in ((secret, "api_key_variable"), (function, "cannot be saved")):
        for given in (judge, JudgeSettings(judge)):
            for component in (
                ConstraintRetriever(LogicDocumentStore(), judge=given),
                CompatibilityRanker(reranker=given),
                ContradictionFilter(judge=judge),
            ):
                with pytest.raises(ConfigurationError, match=word) as error:
                    component.to_dict()
                assert KEY not in str(error.value)
    with pytest.raises(ConfigurationError, match="reranker="):
        CompatibilityRanker(reranker=lambda pairs: []).to_dict()


def test_a_file_with_an_unknown_judge_is_refused():
    """A pipeline saved by a newer version must not lose its judge in silence."""
    saved = CompatibilityRanker().to_dict()
    saved["init_parameters"]["reranker"] = {"class": "FutureJudge"}
    with pytest.raises(ConfigurationError, match="FutureJudge"):
        CompatibilityRanker.from_dict(saved)
