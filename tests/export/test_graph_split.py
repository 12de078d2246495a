"""Several heads on one trunk: shared weights, separate files, unchanged vectors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

for needed in ("onnx", "onnxscript", "sentence_transformers"):
    pytest.importorskip(needed, reason="the extra train")

from logic_export.bundles.export import BundleLabel, export_bundle  # noqa: E402
from logic_export.bundles.graphs import (  # noqa: E402
    export_graph,
    load_model,
    split_graph,
)
from logic_export.bundles.heads import HeadSource  # noqa: E402
from small_models import retrained  # noqa: E402

from logic_retrievers.encoders import OnnxEncoder, load_bundle, verify_bundle  # noqa: E402
from logic_retrievers.errors import BundleError, ConfigurationError  # noqa: E402

LABEL = BundleLabel("small", "Apache-2.0", "made here", {"NOTICE": "for a test"})
TEXTS = ["a quiet room", "find a hotel without noise", "q", "not loud : no noise , a quiet hotel"]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings(
        "ignore::DeprecationWarning",
        "ignore::FutureWarning",
        "ignore::UserWarning:torch",
        "ignore::logic_retrievers.errors.LongTextWarning",
    ),
]


@pytest.fixture(scope="module")
def other(small_model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    return retrained(small_model_folder, tmp_path_factory.mktemp("other") / "m", "layer.1.")


@pytest.mark.parametrize("shared_layers", [0, 1])
def test_heads_on_a_trunk_give_what_their_models_give(
    small_model_folder: Path, other: str, tmp_path: Path, shared_layers: int
):
    """A head on another's layers, or a topical vector that moved because there is a second head."""
    base = str(small_model_folder)
    export_bundle(tmp_path / "alone", LABEL, [HeadSource("topical", base)])
    heads = [HeadSource("topical", base), HeadSource("compatibility", other)]
    export_bundle(tmp_path / "both", LABEL, heads, shared_layers=shared_layers)
    verify_bundle(tmp_path / "both")
    both = OnnxEncoder(tmp_path / "both")
    alone = OnnxEncoder(tmp_path / "alone").encode_documents(TEXTS)["topical"]
    found = both.encode_documents(TEXTS)
    np.testing.assert_array_equal(found["topical"], alone)
    expected = load_model(other).encode(TEXTS, normalize_embeddings=True)
    assert np.einsum("ij,ij->i", found["compatibility"], expected).min() > 0.9999
    assert np.abs(found["compatibility"] - found["topical"]).max() > 0.01
    one = both.encode_documents(TEXTS, ["compatibility"])["compatibility"]
    np.testing.assert_array_equal(one, found["compatibility"])
    sizes = {p.name: p.stat().st_size for p in (tmp_path / "both").glob("*.onnx")}
    assert set(sizes) == {"trunk.onnx", "topical.onnx", "compatibility.onnx"}


def test_a_head_trained_anew_leaves_the_other_fingerprint(
    small_model_folder: Path, other: str, tmp_path: Path
):
    """A better compatibility head must not orphan stored topical vectors."""
    base = str(small_model_folder)
    newer = retrained(small_model_folder, tmp_path / "newer", "layer.1.output")
    found = []
    for name, model in (("a", other), ("b", newer)):
        heads = [HeadSource("topical", base), HeadSource("compatibility", model)]
        export_bundle(tmp_path / name, LABEL, heads)
        found.append(load_bundle(tmp_path / name).manifest)
    assert found[0].fingerprint("topical", "document") == found[1].fingerprint(
        "topical", "document"
    )
    assert found[0].fingerprint("compatibility", "query") != found[1].fingerprint(
        "compatibility", "query"
    )


def test_models_with_different_lowest_layers_share_no_trunk(
    small_model_folder: Path, other: str, tmp_path: Path
):
    """The second head would run on the first one's tables, and be silently wrong."""
    moved = retrained(small_model_folder, tmp_path / "moved", "word_embeddings")
    for model, shared in ((moved, 0), (retrained(Path(other), tmp_path / "l", "layer.0."), 1)):
        heads = [HeadSource("topical", str(small_model_folder)), HeadSource("compatibility", model)]
        with pytest.raises(ConfigurationError, match="frozen"):
            export_bundle(tmp_path / "no", LABEL, heads, shared_layers=shared)
    assert not (tmp_path / "no").exists()


def test_a_layer_that_is_not_there_cannot_be_shared(small_model_folder: Path):
    graph = export_graph(load_model(str(small_model_folder)))
    with pytest.raises(ConfigurationError, match="no trunk of 2 layers"):
        split_graph(graph, 2)


def test_a_manifest_that_names_no_trunk_where_one_is_needed_is_refused(
    small_model_folder: Path, other: str, tmp_path: Path
):
    """ONNX Runtime would complain at the first search, in words of its own."""
    heads = [
        HeadSource("topical", str(small_model_folder)),
        HeadSource("compatibility", other),
    ]
    export_bundle(tmp_path / "both", LABEL, heads)
    path = tmp_path / "both" / "manifest.json"
    original = json.loads(path.read_text())
    for change, fault in (
        ({"trunk": None}, "hidden"),
        ({"trunk": "compatibility.onnx"}, "hidden"),
    ):
        manifest = json.loads(json.dumps(original))
        manifest["heads"]["topical"]["query"].update(change)
        path.write_text(json.dumps(manifest))
        with pytest.raises(BundleError, match=fault):
            OnnxEncoder(tmp_path / "both")
