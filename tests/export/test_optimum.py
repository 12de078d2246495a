"""Export with optimum: the same vectors, or an error with the pip command."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

for needed in ("onnx", "sentence_transformers"):
    pytest.importorskip(needed, reason="the extra train, or optimum")

from logic_export.bundles.export import BundleLabel, export_bundle  # noqa: E402
from logic_export.bundles.heads import HeadSource  # noqa: E402

from logic_retrievers.encoders import verify_bundle  # noqa: E402
from logic_retrievers.errors import ConfigurationError, MissingExtraError  # noqa: E402

LABEL = BundleLabel("small", "Apache-2.0", "made here", {"NOTICE": "for a test"})
HAS_OPTIMUM = find_spec("optimum") is not None


@pytest.mark.skipif(HAS_OPTIMUM, reason="optimum is installed")
def test_without_optimum_the_error_names_its_extra(small_model_folder: Path, tmp_path: Path):
    with pytest.raises(MissingExtraError, match=r"pip install 'logic-retrievers\[optimum\]'"):
        export_bundle(
            tmp_path / "bundle",
            LABEL,
            [HeadSource("topical", str(small_model_folder))],
            exporter="optimum",
        )
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not HAS_OPTIMUM, reason="the extra optimum, in an environment of its own")
@pytest.mark.filterwarnings("ignore")
def test_optimums_graph_passes_the_gate_and_cannot_be_cut(small_model_folder: Path, tmp_path: Path):
    """Optimum's graph reads the shape of the token ids again above the trunk."""
    head = HeadSource("topical", str(small_model_folder))
    figures = export_bundle(tmp_path / "bundle", LABEL, [head], exporter="optimum")
    assert figures.lowest_cosine >= 0.9999
    assert figures.batch_cosine >= 0.99999
    verify_bundle(tmp_path / "bundle")
    copy = tmp_path / "copy"
    copy.symlink_to(small_model_folder, target_is_directory=True)
    heads = [head, HeadSource("compatibility", str(copy))]
    with pytest.raises(ConfigurationError, match="cannot be cut"):
        export_bundle(tmp_path / "both", LABEL, heads, exporter="optimum")
    assert not (tmp_path / "both").exists()
