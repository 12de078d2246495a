"""Export of a query encoder as one file, only if it fits the bundle's document vectors."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from logic_export.bundles import query_encoder as exporting
from logic_export.bundles.export import BundleLabel, export_bundle
from logic_export.bundles.graphs import export_graph, load_model
from logic_export.bundles.heads import HeadSource
from logic_export.bundles.parity import ParityError, encode_original
from logic_export.bundles.query_encoder import export_query_encoder
from logic_export.cli.app import app
from typer.testing import CliRunner

from logic_retrievers.encoders import OnnxEncoder, load_bundle, read_query_encoder
from logic_retrievers.errors import ConfigurationError, StorageError

TEXTS = ["a quiet room", "find a hotel without noise", "q", "not loud : no noise , a quiet hotel"]
pytestmark = pytest.mark.slow


def assert_asks_as(bundle: Path, file: Path, model: str, prefix: str = "find : ") -> OnnxEncoder:
    """Assert that the bundle with the file gives the model's query vectors."""
    swapped = OnnxEncoder(bundle).with_query_encoder(file)
    wanted = encode_original(load_model(model), TEXTS, prefix)
    found = swapped.encode_queries(TEXTS, ["topical"])["topical"]
    assert np.einsum("ij,ij->i", found, wanted).min() > 0.9999
    return swapped


def finished_run(folder: Path, models: dict[str, str], **model: object) -> str:
    """Write the folder that a training with frozen documents leaves."""
    shutil.copytree(models["queries"], folder / "model")
    recipe = {
        "name": "ours",
        "model": {"base": models["base"], "query_prefix": "find : ", **model},
        "data": [{"builder": "tiers", "licence": "CC0-1.0", "ships": False}],
        "loss": {"name": "tiered"},
        "evaluation": {"sets": ["ours"]},
    }
    sets = [{"name": "our clicks", "licence": "CC0-1.0", "rows": 7}]
    card = {"name": "ours", "recipe": recipe, "sets": sets, "ships": False}
    (folder / "recipe.json").write_text(json.dumps(recipe), "utf-8")
    (folder / "card.json").write_text(json.dumps(card), "utf-8")
    return str(folder)


def test_queries_are_the_models_and_documents_the_bundles(bundle, models, tmp_path):
    """The file must hold the trained tables; untrained tables stay in the bundle."""
    sizes = {}
    for name in ("queries", "moved"):
        file = tmp_path / f"{name}.query.onnx"
        made = export_query_encoder(models[name], file, bundle=bundle, base=models["base"])
        assert made.figures.lowest_cosine > 0.9999
        assert (made.card.trunk is None) == (name == "moved")
        sizes[name] = file.stat().st_size
        swapped = assert_asks_as(bundle, file, models[name])
        before, after = OnnxEncoder(bundle), swapped.encode_documents(TEXTS)
        assert all(np.array_equal(v, after[n]) for n, v in before.encode_documents(TEXTS).items())
        own = before.encode_queries(TEXTS)["topical"]
        asked = swapped.encode_queries(TEXTS, ["topical"])["topical"]
        assert np.einsum("ij,ij->i", own, asked).min() < 0.99
    assert sizes["queries"] < sizes["moved"]
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(
    ("model", "shared_layers", "trunk"),
    [("other", 1, "layers.onnx"), ("queries", 0, "trunk.onnx"), ("queries", 1, None)],
)
def test_a_bundle_with_shared_layers(models, tmp_path, model, shared_layers, trunk):
    """The file names the graph of the trunk that it stands on; it computes nothing over others."""
    folder, file = tmp_path / "shared", tmp_path / "a.query.onnx"
    heads = [HeadSource("topical", models["base"]), HeadSource("compatibility", models["newer"])]
    label = BundleLabel("small", "Apache-2.0", "made here", {"NOTICE": "for a test\n"})
    export_bundle(folder, label, heads, shared_layers=1, query_prefix="find : ")
    made = export_query_encoder(
        models[model], file, bundle=folder, base=models["base"], shared_layers=shared_layers
    )
    files = load_bundle(folder).manifest.files
    assert made.card.trunk == (trunk and files[trunk])
    assert_asks_as(folder, file, models[model])


def test_a_run_brings_its_base_its_data_and_their_licences(bundle, models, tmp_path):
    run = finished_run(tmp_path / "run", models)
    file = tmp_path / "new" / "ours.query.onnx"
    called = ["export-query-encoder", run, str(file), "--bundle", str(bundle)]
    result = CliRunner().invoke(app, called, catch_exceptions=False)
    assert result.exit_code == 0, result.output + result.stderr
    assert "above the bundle's trunk" in result.stdout
    assert "lets no model be handed on" in result.stdout
    card = read_query_encoder(file).card
    assert [(one.name, one.licence, one.rows) for one in card.training] == [
        ("our clicks", "CC0-1.0", 7)
    ]
    assert not card.ships
    assert card.origin.startswith("ours from ")


def test_queries_have_the_prefix_of_the_run(bundle, models, tmp_path):
    """Queries must get the training's prefix, not the bundle's."""
    run = finished_run(tmp_path / "run", models, query_prefix="q : ")
    export_query_encoder(run, tmp_path / "a.query.onnx", bundle=bundle)
    assert_asks_as(bundle, tmp_path / "a.query.onnx", models["queries"], "q : ")


def test_a_model_with_another_tokenizer_is_refused(bundle, models, tmp_path):
    """The bundle's tokenizer would make different tokens than the model was trained on."""
    other = shutil.copytree(models["queries"], tmp_path / "other")
    tokenizer = json.loads((other / "tokenizer.json").read_text("utf-8"))
    vocabulary = tokenizer["model"]["vocab"]
    vocabulary["quiet"], vocabulary["hotel"] = vocabulary["hotel"], vocabulary["quiet"]
    (other / "tokenizer.json").write_text(json.dumps(tokenizer), "utf-8")
    with pytest.raises(ConfigurationError, match="the model's tokenizer is not that of"):
        export_query_encoder(
            str(other), tmp_path / "a.query.onnx", bundle=bundle, base=models["base"]
        )


def test_documents_of_another_model_are_refused(bundle, models, tmp_path):
    """Queries for a different model's documents fit the dimension but rank at random."""
    file = tmp_path / "a.query.onnx"
    run = finished_run(tmp_path / "run", models)
    unread = finished_run(tmp_path / "unread", models)
    (tmp_path / "unread" / "recipe.json").write_text("{")
    for source, options, fault in (
        (run, {"head": "contradiction"}, "is not the model"),
        (models["queries"], {}, r"is no run's folder.*pass --base"),
        ("no-such-run", {}, "'no-such-run' is no run's folder"),
        ("no-such-run", {"base": models["base"]}, "no model can be loaded from 'no-such-run'"),
        ({"frozen_documents": False}, {}, "trained the documents' side too"),
        ({"document_prefix": "text : "}, {}, "before documents"),
        ({"document_tokens": 9}, {}, r"cut documents at 9 tokens.*document_tokens = "),
        (unread, {}, r"recipe\.json is no recipe that this version"),
        (run, {"head": "mine"}, "has no head 'mine', only topical, compatibility"),
    ):
        if isinstance(source, dict):
            source = finished_run(tmp_path / next(iter(source)), models, **source)
        with pytest.raises(ConfigurationError, match=fault):
            export_query_encoder(source, file, bundle=bundle, **options)
    assert not file.exists()


def test_places_where_nothing_can_be_written_are_named(bundle, models, tmp_path):
    taken = tmp_path / "taken.query.onnx"
    taken.write_text("mine")
    for file, error, fault in (
        (taken, ConfigurationError, "Name another file"),
        (tmp_path / "model.onnx", ConfigurationError, "Name another file"),
        (taken / "a.query.onnx", StorageError, "cannot write"),
    ):
        with pytest.raises(error, match=fault):
            export_query_encoder(models["queries"], file, bundle=bundle, base=models["base"])
    assert taken.read_text() == "mine"


def test_a_file_that_strays_is_not_written(bundle, models, tmp_path, monkeypatch):
    """Without the gate a broken export would show only in search results."""
    stray = export_graph(load_model(models["other"]))
    monkeypatch.setattr(exporting, "export_graph", lambda _: stray)
    file = tmp_path / "a.query.onnx"
    with pytest.raises(ParityError, match="cosine to the original below"):
        export_query_encoder(models["queries"], file, bundle=bundle, base=models["base"])
    assert not list(tmp_path.iterdir())
