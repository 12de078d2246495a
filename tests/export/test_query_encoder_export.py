"""A trained query side as one file: it fits the bundle's documents, or it is not written."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

for needed in ("onnx", "onnxscript", "sentence_transformers"):
    pytest.importorskip(needed, reason="the extra train")

import onnx  # noqa: E402
from logic_export.bundles import export as bundles  # noqa: E402
from logic_export.bundles import query_encoder as exporting  # noqa: E402
from logic_export.bundles.export import BundleLabel, export_bundle  # noqa: E402
from logic_export.bundles.graphs import export_graph, load_model  # noqa: E402
from logic_export.bundles.heads import HeadSource  # noqa: E402
from logic_export.bundles.parity import ParityError, encode_original  # noqa: E402
from logic_export.bundles.query_encoder import export_query_encoder  # noqa: E402
from logic_export.cli.app import app  # noqa: E402
from small_models import retrained  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

from logic_retrievers.encoders import OnnxEncoder, read_query_encoder  # noqa: E402
from logic_retrievers.errors import ConfigurationError, StorageError  # noqa: E402

LABEL = BundleLabel("small", "Apache-2.0", "made here", {"NOTICE": "for a test\n"})
TEXTS = ["a quiet room", "find a hotel without noise", "q", "not loud : no noise , a quiet hotel"]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings(
        "ignore::DeprecationWarning",
        "ignore::FutureWarning",
        "ignore::UserWarning:torch",
    ),
]


@pytest.fixture(scope="module", autouse=True)
def _each_model_is_exported_once() -> Iterator[None]:
    """The export takes most of the time, and the same weights make the same graph."""
    graphs: dict[bytes, bytes] = {}

    def exported(model) -> onnx.ModelProto:
        weights = b"".join(w.detach().numpy().tobytes() for w in model.state_dict().values())
        if weights not in graphs:
            graphs[weights] = export_graph(model).SerializeToString()
        return onnx.load_from_string(graphs[weights])

    with pytest.MonkeyPatch.context() as patch:
        for module in (exporting, bundles):
            patch.setattr(module, "export_graph", exported)
        yield


@pytest.fixture(scope="module")
def models(small_model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("models")
    changed = {"other": "layer.1.", "queries": "layer.", "moved": "embeddings"}
    return {
        "base": str(small_model_folder),
        **{n: retrained(small_model_folder, folder / n, part) for n, part in changed.items()},
    }


@pytest.fixture(scope="module")
def bundle(models: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("bundle") / "two"
    heads = [HeadSource("topical", models["base"]), HeadSource("other", models["other"])]
    export_bundle(out, LABEL, heads, query_prefix="find : ")
    return out


def finished_run(folder: Path, models: dict[str, str], **model: object) -> str:
    """What a training with frozen documents leaves behind."""
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
    """The whole point: another query encoder beside the same documents."""
    file = tmp_path / "a.query.onnx"
    made = export_query_encoder(models["queries"], file, bundle=bundle, base=models["base"])
    assert made.figures.lowest_cosine > 0.9999
    encoder = OnnxEncoder(bundle)
    swapped = encoder.with_query_encoder(file)
    wanted = encode_original(load_model(models["queries"]), TEXTS, "find : ")
    found = swapped.encode_queries(TEXTS, ["topical"])["topical"]
    assert np.einsum("ij,ij->i", found, wanted).min() > 0.9999
    assert np.einsum("ij,ij->i", encoder.encode_queries(TEXTS)["topical"], wanted).min() < 0.99
    before, after = encoder.encode_documents(TEXTS), swapped.encode_documents(TEXTS)
    assert all(np.array_equal(before[name], after[name]) for name in before)
    assert list(tmp_path.iterdir()) == [file]


def test_what_the_bundle_has_is_not_stored_again(bundle, models, tmp_path):
    """Tables that were not trained lie in the bundle; those that were come along."""
    sizes = {}
    for name in ("queries", "moved"):
        file = tmp_path / f"{name}.query.onnx"
        made = export_query_encoder(models[name], file, bundle=bundle, base=models["base"])
        sizes[name] = file.stat().st_size
        assert (made.card.trunk is None) == (name == "moved")
        swapped = OnnxEncoder(bundle).with_query_encoder(file)
        wanted = encode_original(load_model(models[name]), TEXTS, "find : ")
        found = swapped.encode_queries(TEXTS, ["topical"])["topical"]
        assert np.einsum("ij,ij->i", found, wanted).min() > 0.9999
    assert sizes["queries"] < sizes["moved"]


def test_a_run_brings_its_base_its_data_and_their_licences(bundle, models, tmp_path):
    run = finished_run(tmp_path / "run", models)
    file = tmp_path / "new" / "ours.query.onnx"
    called = ["export-query-encoder", run, str(file), "--bundle", str(bundle)]
    result = CliRunner().invoke(app, called, catch_exceptions=False)
    assert result.exit_code == 0, result.output + result.stderr
    assert "above the bundle's trunk" in result.stdout
    assert "let no model be handed on" in result.stdout
    card = read_query_encoder(file).card
    assert [(one.name, one.licence, one.rows) for one in card.training] == [
        ("our clicks", "CC0-1.0", 7)
    ]
    assert not card.ships
    assert card.origin.startswith("ours from ")


def test_queries_have_the_prefix_of_the_run(bundle, models, tmp_path):
    """The bundle's own would be put before queries that were trained without it."""
    run = finished_run(tmp_path / "run", models, query_prefix="q : ")
    export_query_encoder(run, tmp_path / "a.query.onnx", bundle=bundle)
    swapped = OnnxEncoder(bundle).with_query_encoder(tmp_path / "a.query.onnx")
    wanted = encode_original(load_model(models["queries"]), TEXTS, "q : ")
    found = swapped.encode_queries(TEXTS, ["topical"])["topical"]
    assert np.einsum("ij,ij->i", found, wanted).min() > 0.9999


def test_a_model_with_another_tokenizer_is_refused(bundle, models, tmp_path):
    """The bundle's would make other tokens than it was trained on."""
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
    """It would fit the dimension, and rank at random."""
    run, file = finished_run(tmp_path / "run", models), tmp_path / "a.query.onnx"
    with pytest.raises(ConfigurationError, match="is not the model"):
        export_query_encoder(run, file, bundle=bundle, head="other")
    with pytest.raises(ConfigurationError, match=r"is no run's folder.*pass --base"):
        export_query_encoder(models["queries"], file, bundle=bundle)
    with pytest.raises(ConfigurationError, match="'no-such-run' is no run's folder"):
        export_query_encoder("no-such-run", file, bundle=bundle)
    moved = finished_run(tmp_path / "free", models, frozen_documents=False)
    with pytest.raises(ConfigurationError, match="trained the documents' side too"):
        export_query_encoder(moved, file, bundle=bundle)
    prefixed = finished_run(tmp_path / "prefixed", models, document_prefix="text : ")
    with pytest.raises(ConfigurationError, match="before documents"):
        export_query_encoder(prefixed, file, bundle=bundle)
    (tmp_path / "prefixed" / "recipe.json").write_text("{")
    with pytest.raises(ConfigurationError, match=r"recipe\.json is no recipe that this version"):
        export_query_encoder(prefixed, file, bundle=bundle)
    cut = finished_run(tmp_path / "cut", models, document_tokens=9)
    with pytest.raises(ConfigurationError, match=r"cut documents at 9 tokens.*document_tokens = "):
        export_query_encoder(cut, file, bundle=bundle)
    assert not file.exists()


def test_names_that_cannot_be_are_refused(bundle, models, tmp_path):
    taken = tmp_path / "taken.query.onnx"
    taken.write_text("mine")
    for file in (taken, tmp_path / "model.onnx"):
        with pytest.raises(ConfigurationError, match="Name another file"):
            export_query_encoder(models["queries"], file, bundle=bundle, base=models["base"])
    with pytest.raises(ConfigurationError, match="has no head 'mine', only topical, other"):
        export_query_encoder(
            models["queries"], tmp_path / "a.query.onnx", bundle=bundle, head="mine"
        )
    assert taken.read_text() == "mine"


def test_a_place_where_nothing_can_be_written_is_named(bundle, models, tmp_path):
    (tmp_path / "file").touch()
    file = tmp_path / "file" / "a.query.onnx"
    with pytest.raises(StorageError, match="cannot write"):
        export_query_encoder(models["queries"], file, bundle=bundle, base=models["base"])


def test_a_run_that_is_not_there_is_named(bundle, models, tmp_path):
    """The hub's own error speaks of connections, and ends in a traceback."""
    missing, file = str(tmp_path / "runs" / "none"), tmp_path / "a.query.onnx"
    with pytest.raises(ConfigurationError, match=r"no model can be loaded from '.*none'"):
        export_query_encoder(missing, file, bundle=bundle, base=models["base"])
    assert not file.exists()


def test_a_file_that_strays_is_not_written(bundle, models, tmp_path, monkeypatch):
    """A broken export would only be seen in the answers."""
    stray = exporting.export_graph(load_model(models["other"]))
    monkeypatch.setattr(exporting, "export_graph", lambda _: stray)
    file = tmp_path / "a.query.onnx"
    with pytest.raises(ParityError, match="cosine to the original below"):
        export_query_encoder(models["queries"], file, bundle=bundle, base=models["base"])
    assert not list(tmp_path.iterdir())
