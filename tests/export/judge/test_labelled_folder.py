"""A judge of a user's own: from a labelled folder, onto any base, for sentence-transformers."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import torch
from logic_export.cli.app import app
from logic_export.judge.base_model import load_judge
from logic_export.judge.builders import labelled_folder
from logic_export.judge.finished_run import read_finished_run
from logic_export.judge.labelled_folder import folder_recipe
from logic_export.judge.run import train_judge
from sentence_transformers import CrossEncoder
from small_recipes import WORDS, json_lines, weights
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    BertTokenizerFast,
)
from typer.testing import CliRunner

from logic_retrievers.errors import ConfigurationError, ReadError
from logic_retrievers.judging import VERDICTS
from logic_retrievers.judging.judge import MAX_WORDS

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::UserWarning")]

SHORT = ("--epochs", "1", "--batch-size", "4", "--learning-rate", "1e-2", "--quiet")
QUERIES = {
    "train": ("find a room", "a hotel without noise", "find a hotel not loud"),
    "dev": ("a quiet hotel", "a room without noise"),
}
PAIRS = [("a quiet room no noise", "find a hotel"), ("a loud hotel", "a hotel without noise")]


def call(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert done.exit_code == code, done.output
    return " ".join(done.output.split())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder of two parts over one corpus; every query labels three of 30 passages."""
    root, random = tmp_path_factory.mktemp("own") / "rooms", Random(0)
    texts = [" ".join([*random.choices(WORDS, k=6), str(number)]) for number in range(29)]
    texts.append("A room. " + "The hotel is loud at night. " * 30 + "Find a room here.")
    json_lines(root / "corpus.jsonl", ({"_id": str(n), "text": t} for n, t in enumerate(texts)))
    for part, queries in QUERIES.items():
        json_lines(
            root / part / "queries.jsonl",
            (
                {
                    "_id": f"{part}{number}",
                    "text": text,
                    "satisfying": ["29"],
                    "violating": [str(number)],
                    "neutral": [str(number + 5)],
                }
                for number, text in enumerate(queries)
            ),
        )
    return root


def base_model(out: Path, kind: str, labels: tuple[str, ...] = (), **settings: Any) -> Path:
    """Write a small untrained model of a kind, as a cross-encoder if it has labels."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    out.mkdir(parents=True)
    (out / "vocab.txt").write_text("\n".join([*special, *WORDS]), encoding="utf-8")
    tokenizer = BertTokenizerFast(str(out / "vocab.txt"), model_max_length=64)
    if kind != "bert":
        tokenizer.model_input_names = ["input_ids", "attention_mask"]
    tokenizer.save_pretrained(out)
    sizes = {
        "vocab_size": 40,  # some tokenizers add tokens of their own
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "max_position_embeddings": 72,
        "pad_token_id": 0,
        "initializer_range": 0.5,
    }
    if labels:
        sizes |= {"num_labels": len(labels), "id2label": dict(enumerate(labels))}
    torch.manual_seed(0)
    maker = AutoModelForSequenceClassification if labels else AutoModel
    config = AutoConfig.for_model(kind, **{**sizes, **settings})
    maker.from_config(config).save_pretrained(out)
    return out


def logits(folder: Path, pairs: list[tuple[str, str]], **inputs: Any) -> np.ndarray:
    """Compute the logits with transformers alone."""
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    rows = []
    for first, second in pairs:
        with torch.no_grad():
            encoded = tokenizer(first, second, return_tensors="pt", **inputs)
            rows.append(model(**encoded).logits[0].numpy())
    return np.array(rows)


def test_rows_are_the_labels_and_the_nearest_passages_without_one(folder: Path):
    """A labelled passage drawn as a neutral one would teach the opposite of its label."""
    rows = labelled_folder(str(folder), "train", unlabelled=4)
    corpus = [json.loads(line)["text"] for line in (folder / "corpus.jsonl").open()]
    for number, query in enumerate(QUERIES["train"]):
        own = [row for row in rows if row.hypothesis == query]
        labels = {row.premise: row.label for row in own}
        assert len(labels) == len(own) == 7
        assert labels[corpus[number]] == "contradiction"
        assert labels[corpus[number + 5]] == "neutral"
        (satisfying,) = (text for text, label in labels.items() if label == "entailment")
        assert len(satisfying.split()) <= MAX_WORDS < len(corpus[29].split())
        assert ("Find a room here." in satisfying) == (query == "find a room")
    assert len(labelled_folder(str(folder), "train", unlabelled=0)) == 9
    assert {row.premise for row in rows} != {
        row.premise for row in labelled_folder(str(folder), "train", unlabelled=4, seed=1)
    }


def test_a_verdict_is_trained_from_the_command_line(folder: Path, tmp_path: Path):
    """Without token types in use, the scores would not be those of the trained model."""
    base = base_model(tmp_path / "base", "bert")
    out = tmp_path / "run"
    said = call("train-judge", folder, "--base", base, "--out", out, *SHORT)
    assert f"model, card and metrics are in {out}" in said
    card = json.loads((out / "card.json").read_text())
    assert card["ships"] is False
    assert card["recipe"]["training"]["epochs"] == 1
    model = CrossEncoder(str(out / "model"), device="cpu")
    assert [*model.config.id2label.values()] == [*VERDICTS]
    assert model.max_seq_length == 64
    expected = logits(out / "model", PAIRS)
    np.testing.assert_allclose(model.predict(PAIRS), expected, atol=1e-5)
    without = logits(out / "model", PAIRS, return_token_type_ids=False)
    assert np.abs(without - expected).max() > 0.01
    name = "embeddings.token_type_embeddings.weight"
    before, after = weights(base)[name], weights(out / "model")[f"bert.{name}"]
    assert np.abs(after - before)[1].max() > 2e-3  # weight decay alone moves it less
    with pytest.raises(ConfigurationError, match="fits no bundle"):
        read_finished_run(out)


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("mpnet", {}),
        ("xlm-roberta", {}),
        ("deberta-v2", {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]}),
        ("modernbert", {"global_attn_every_n_layers": 2, "cls_token_id": 2, "sep_token_id": 3}),
    ],
)
def test_relevance_is_trained_on_any_base(
    folder: Path, tmp_path: Path, kind: str, settings: dict[str, Any]
):
    base = base_model(tmp_path / "base", kind, **settings)
    recipe = folder_recipe(folder, str(base), "relevance", epochs=1, batch_size=4)
    (figure,) = train_judge(recipe, tmp_path / "run", quiet=True).values()
    assert 0 <= figure <= 1
    model = CrossEncoder(str(tmp_path / "run" / "model"), device="cpu")
    assert model.num_labels == 1
    read = logits(tmp_path / "run" / "model", PAIRS)[:, 0]
    np.testing.assert_allclose(model.predict(PAIRS), 1 / (1 + np.exp(-read)), atol=1e-5)


def test_relevance_learns_the_query_first(folder: Path, tmp_path: Path):
    """Trained the other way round, a reranker would rank by what it never saw."""
    base = base_model(tmp_path / "base", "bert")
    training = {"epochs": 12, "batch_size": 4, "learning_rate": 5e-3}
    recipe = folder_recipe(folder, str(base), "relevance", **training)
    train_judge(recipe, tmp_path / "run", quiet=True)
    rows = labelled_folder(str(folder), "train")
    model = CrossEncoder(str(tmp_path / "run" / "model"), device="cpu")
    scores = model.predict([(row.hypothesis, row.premise) for row in rows])
    is_right = np.array([row.label == "entailment" for row in rows])
    assert scores[is_right].min() > scores[~is_right].max()


def test_a_cross_encoder_keeps_its_classifier_under_the_labels_of_a_verdict(
    folder: Path, tmp_path: Path
):
    """NLI models order their labels in their own way; a wrong order starts from the opposite."""
    labels = ("contradiction", "entailment", "neutral")
    base = base_model(tmp_path / "base", "bert", labels)
    model, tokenizer = load_judge(folder_recipe(folder, str(base)))
    encoded = tokenizer(*PAIRS[0], return_tensors="pt")
    with torch.no_grad():
        read = model.eval()(**encoded).logits[0].numpy()
    np.testing.assert_allclose(read, logits(base, PAIRS[:1])[0][[1, 2, 0]], atol=1e-5)
    one = base_model(tmp_path / "one", "bert", ("score",))
    config = json.loads((one / "config.json").read_text())
    config["sentence_transformers"] = {"activation_fn": "torch.nn.modules.linear.Identity"}
    (one / "config.json").write_text(json.dumps(config))
    model, _ = load_judge(folder_recipe(folder, str(one), "relevance"))
    np.testing.assert_array_equal(
        model.classifier.weight.detach(), weights(one)["classifier.weight"]
    )
    model.save_pretrained(tmp_path / "kept")
    tokenizer.save_pretrained(tmp_path / "kept")
    scores = CrossEncoder(str(tmp_path / "kept"), device="cpu").predict(PAIRS)
    np.testing.assert_allclose(scores, 1 / (1 + np.exp(-logits(one, PAIRS)[:, 0])), atol=1e-5)


def test_what_a_judge_cannot_be_trained_from_is_said(folder: Path, tmp_path: Path):
    base = base_model(tmp_path / "base", "bert")
    arguments = ("--base", base, "--out", tmp_path / "out")
    only_dev = tmp_path / "only-dev"
    json_lines(only_dev / "corpus.jsonl", [{"_id": "1", "text": "a room"}])
    row = {"_id": "q", "text": "find a room", "satisfying": ["1"]}
    json_lines(only_dev / "dev" / "queries.jsonl", [row])
    one_part = tmp_path / "one-part"
    json_lines(one_part / "corpus.jsonl", [{"_id": "1", "text": "a room"}])
    json_lines(one_part / "queries.jsonl", [row])
    for source, error, word in (
        (only_dev, ReadError, "train"),
        (one_part, ConfigurationError, "one set of queries"),
        (tmp_path / "nowhere", ReadError, "no such folder"),
    ):
        with pytest.raises(error, match=word):
            folder_recipe(source, str(base))
    json_lines(only_dev / "train" / "queries.jsonl", [{"_id": "q", "text": "find a room"}])
    with pytest.raises(ReadError, match="no labelled query"):
        folder_recipe(only_dev, str(base))
    json_lines(only_dev / "train" / "queries.jsonl", [row])
    with pytest.raises(ConfigurationError, match="violating"):
        folder_recipe(only_dev, str(base))
    assert folder_recipe(only_dev, str(base), "relevance").model.labels == "relevance"
    with pytest.raises(ConfigurationError, match="batch_size"):
        folder_recipe(folder, str(base), batch_size=1)
    assert "no model can be loaded" in call(
        "train-judge", folder, "--base", tmp_path / "none", "--out", tmp_path / "out", code=2
    )
    (base / "model.safetensors").write_bytes(b"half")
    assert "no model can be loaded" in call(
        "train-judge", folder, *arguments[:2], "--out", tmp_path / "half", code=2
    )
    assert "--base" in call("train-judge", folder, "--out", tmp_path / "out", code=2)
    assert "--epochs goes with --base" in call(
        "train-judge", tmp_path / "r.toml", "--out", tmp_path / "out", "--epochs", 1, code=2
    )


def test_layers_that_a_base_lacks_cannot_be_frozen(folder: Path, tmp_path: Path):
    base = base_model(tmp_path / "base", "modernbert", cls_token_id=2, sep_token_id=3)
    recipe = folder_recipe(folder, str(base))
    frozen = recipe.model.model_copy(update={"frozen_layers": 1})
    with pytest.raises(ConfigurationError, match="frozen_layers"):
        load_judge(recipe.model_copy(update={"model": frozen}))
