"""A head more in a bundle that is there: the others' files and vectors stay what they were."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

for needed in ("onnx", "onnxscript", "sentence_transformers"):
    pytest.importorskip(needed, reason="the extra train")

import onnx  # noqa: E402
from logic_export.bundles import export as bundles  # noqa: E402
from logic_export.bundles.export import BundleLabel, add_head, export_bundle  # noqa: E402
from logic_export.bundles.graphs import export_graph, load_model  # noqa: E402
from logic_export.bundles.heads import HeadSource  # noqa: E402
from logic_export.bundles.manifests import write_manifest  # noqa: E402
from logic_export.bundles.parity import ParityError  # noqa: E402
from small_models import retrained  # noqa: E402

from logic_retrievers.encoders import OnnxEncoder, load_bundle, verify_bundle  # noqa: E402
from logic_retrievers.encoders.manifest import Calibration, TrainingData  # noqa: E402
from logic_retrievers.errors import BundleError, ConfigurationError  # noqa: E402

LABEL = BundleLabel("small", "Apache-2.0", "made here", {"NOTICE": "for a test\n"})
TEXTS = ["a quiet room", "find a hotel without noise", "q", "not loud : no noise , a quiet hotel"]
TOLD = {"NOTICE", "parity.json", "manifest.json"}
"""What an addition may change."""
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings(
        "ignore::DeprecationWarning",
        "ignore::FutureWarning",
        "ignore::UserWarning:torch",
        "ignore::logic_retrievers.errors.LongTextWarning",
    ),
]


@pytest.fixture(scope="module", autouse=True)
def _each_model_is_exported_once() -> Iterator[None]:
    """The export takes most of the time, and the same weights make the same graph."""
    graphs: dict[str, bytes] = {}

    def exported(model) -> onnx.ModelProto:
        weights = b"".join(w.detach().numpy().tobytes() for w in model.state_dict().values())
        key = hashlib.sha256(weights).hexdigest()
        if key not in graphs:
            graphs[key] = export_graph(model).SerializeToString()
        return onnx.load_from_string(graphs[key])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bundles, "export_graph", exported)
        yield


@pytest.fixture(scope="module")
def models(small_model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Two that share the base's tables, and one whose tables moved."""
    folder = tmp_path_factory.mktemp("models")
    changed = {"other": "layer.1.", "newer": "layer.1.output", "moved": "word_embeddings"}
    return {
        "base": str(small_model_folder),
        **{
            name: retrained(small_model_folder, folder / name, part)
            for name, part in changed.items()
        },
    }


@pytest.fixture(scope="module")
def bundle(models: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two heads of one model, which share a graph, and one of another; queries have a prefix."""
    out = tmp_path_factory.mktemp("bundle") / "three"
    constants = Calibration(constants={"alpha": 2.0}, origin="once")
    heads = [
        HeadSource("topical", models["base"]),
        HeadSource("compatibility", models["base"], trained=False),
        HeadSource("contradiction", models["other"], contradiction=constants),
    ]
    export_bundle(out, LABEL, heads, query_prefix="find : ")
    return out


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
    """These heads give the same vectors, to the bit, under the same fingerprints."""
    old, new = load_bundle(before).manifest, load_bundle(after).manifest
    found = vectors(after, names)
    for name, expected in vectors(before, names).items():
        np.testing.assert_array_equal(found[name], expected)
    for name in names:
        assert new.heads[name] == old.heads[name]
        for role in ("query", "document"):
            assert new.fingerprint(name, role) == old.fingerprint(name, role)


def assert_gives(folder: Path, name: str, model: str) -> None:
    """The head gives what its model gives, with the bundle's prefixes."""
    found = vectors(folder, [name])
    original = load_model(model)
    for role, prefix in (("query", "find : "), ("document", "")):
        expected = original.encode(TEXTS, prompt=prefix, normalize_embeddings=True)
        assert np.einsum("ij,ij->i", found[f"{name} {role}"], expected).min() > 0.9999


def test_a_head_more_leaves_the_others_as_they_are(bundle: Path, models, tmp_path: Path):
    """A moved fingerprint orphans every collection made with the bundle; a lost query prefix makes
    the new head another one than was trained.
    """
    before = contents(bundle)
    sets = (TrainingData(name="own rows", licence="MIT", rows=7),)
    head = HeadSource("mine", models["newer"], training=sets, ships=False, origin="a run")
    out = tmp_path / "deep" / "four"

    figures = add_head(bundle, head, out)

    assert contents(bundle) == before
    after = contents(out)
    assert after.keys() - before.keys() == {"mine.onnx"}
    assert {name for name in before if after[name] != before[name]} == TOLD
    assert_untouched(bundle, out, ["topical", "compatibility", "contradiction"])
    assert_gives(out, "mine", models["newer"])
    assert figures.lowest_cosine > 0.9999
    manifest = verify_bundle(out).manifest
    assert manifest.heads["mine"].training == sets
    assert manifest.model_copy(
        update={"heads": load_bundle(bundle).manifest.heads, "files": {}}
    ) == load_bundle(bundle).manifest.model_copy(update={"files": {}})
    notice = after["NOTICE"].decode()
    assert notice.startswith("for a test\n\nAdded since:\n")
    assert "mine: a run, trained on" in notice
    assert "own rows: 7 rows, MIT" in notice
    assert "Not to be handed on" in notice
    assert [path.name for path in out.parent.iterdir()] == ["four"]


def test_a_head_can_take_anothers_place(bundle: Path, models, tmp_path: Path):
    """Constants of the old vector would judge the new one; its references would refute it."""
    out = tmp_path / "new"
    add_head(bundle, HeadSource("contradiction", models["newer"]), out)
    before, after = contents(bundle), contents(out)
    assert before.keys() == after.keys()
    changed = {name for name in before if after[name] != before[name]}
    assert changed == {*TOLD, "contradiction.onnx"}
    assert_untouched(bundle, out, ["topical", "compatibility"])
    assert_gives(out, "contradiction", models["newer"])
    manifest = verify_bundle(out).manifest
    assert manifest.heads["contradiction"].contradiction is None
    rows = [row for row in load_bundle(out).references() if "contradiction" in row.heads]
    assert len(rows) == 2  # queries and documents


def test_a_graph_that_another_head_reads_too_is_kept(bundle: Path, models, tmp_path: Path):
    """The compatibility head reads topical.onnx: written over, it would be another head."""
    out, again = tmp_path / "new", tmp_path / "again"
    add_head(bundle, HeadSource("topical", models["newer"]), out)
    assert_untouched(bundle, out, ["compatibility", "contradiction"])
    assert_gives(out, "topical", models["newer"])
    before, after = contents(bundle), contents(out)
    assert after.keys() - before.keys() == {"topical-2.onnx"}
    assert after["topical.onnx"] == before["topical.onnx"]
    add_head(out, HeadSource("compatibility", models["other"]), again)
    assert_untouched(out, again, ["topical", "contradiction"])
    assert_gives(again, "compatibility", models["other"])
    assert "topical.onnx" not in contents(again)  # nobody reads it any more
    assert set(load_bundle(again).manifest.files) == contents(again).keys() - {"manifest.json"}
    verify_bundle(again)


def test_a_head_named_as_the_trunk_leaves_it(bundle: Path, models, tmp_path: Path):
    add_head(bundle, HeadSource("trunk", models["newer"]), tmp_path / "new")
    assert_untouched(bundle, tmp_path / "new", ["topical", "contradiction"])
    assert contents(tmp_path / "new")["trunk.onnx"] == contents(bundle)["trunk.onnx"]


def test_what_does_not_fit_is_refused_and_leaves_nothing(bundle: Path, models, tmp_path: Path):
    """On another trunk the head computes something, and nobody would know what."""
    head = HeadSource("mine", models["newer"])
    out = tmp_path / "parent" / "out"
    for source, options, fault in (
        (HeadSource("mine", models["moved"]), {}, "is not that of"),
        (head, {"shared_layers": 1}, "is not that of"),
        (head, {"shared_layers": 2}, "no trunk of 2 layers"),
    ):
        with pytest.raises(ConfigurationError, match=fault):
            add_head(bundle, source, out, **options)
    assert not list(tmp_path.iterdir())
    with pytest.raises(ConfigurationError, match="exists"):
        add_head(bundle, head, tmp_path)
    alone = tmp_path / "alone"
    export_bundle(alone, LABEL, [HeadSource("topical", models["base"])])
    with pytest.raises(ConfigurationError, match="share no trunk"):
        add_head(alone, head, out)
    with pytest.raises(BundleError):
        add_head(tmp_path / "none", head, out)


def test_a_head_that_strays_from_its_original_is_not_written(bundle: Path, models, tmp_path: Path):
    """A folder that exists gets shipped."""
    strict = tmp_path / "strict"
    strict.mkdir()
    for name, content in contents(bundle).items():
        (strict / name).write_bytes(content)
    manifest = load_bundle(strict).manifest
    exact = manifest.parity.model_copy(update={"min_cosine": 1.0})
    write_manifest(strict, manifest.model_copy(update={"parity": exact}))
    before = contents(strict)
    with pytest.raises(ParityError, match="Nothing was written"):
        add_head(strict, HeadSource("mine", models["newer"]), tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["strict"]
    assert contents(strict) == before
    assert json.loads(before["manifest.json"])["parity"]["min_cosine"] == 1.0
