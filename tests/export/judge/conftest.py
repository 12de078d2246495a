"""One trained judge for all tests of a session."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from small_judges import SmallJudge


@pytest.fixture(scope="session")
def small_judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallJudge]:
    """A finished run, and a bundle over the same encoder; each judge is traced once."""
    for needed in ("onnx", "onnxscript", "sentence_transformers", "datasets", "accelerate"):
        pytest.importorskip(needed, reason="the extra train")
    import onnx
    from logic_export.bundles.export import BundleLabel, export_bundle
    from logic_export.bundles.graphs import export_module
    from logic_export.bundles.heads import HeadSource
    from logic_export.judge import export as exporting
    from logic_export.judge.recipe import read_judge_recipe
    from logic_export.judge.run import train_judge
    from small_judges import SmallJudge, judge_recipe
    from small_models import retrained, write_small_model

    folder = tmp_path_factory.mktemp("judge")
    base = write_small_model(folder / "made")
    recipe = judge_recipe(base, folder / "recipe")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        train_judge(read_judge_recipe(recipe), folder / "run", quiet=True)
        heads = [
            HeadSource("topical", str(base)),
            HeadSource("compatibility", retrained(base, folder / "other", "layer.1.")),
        ]
        label = BundleLabel("small", "Apache-2.0", "made here", {"NOTICE": "for a test\n"})
        export_bundle(folder / "bundle", label, heads)
    graphs: dict[str, bytes] = {}

    def traced(module, *settings) -> onnx.ModelProto:
        weights = b"".join(w.detach().numpy().tobytes() for w in module.state_dict().values())
        key = hashlib.sha256(weights).hexdigest()
        if key not in graphs:
            graphs[key] = export_module(module, *settings).SerializeToString()
        return onnx.load_from_string(graphs[key])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exporting, "export_module", traced)
        yield SmallJudge(base, recipe, folder / "run", folder / "bundle")
