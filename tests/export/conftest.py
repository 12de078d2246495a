"""Small models and their bundles, each made once a session."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sentence_transformers import SentenceTransformer

HERE = Path(__file__).parent
NEEDED = (
    *("accelerate", "datasets", "onnx", "onnxscript", "peft", "sentence_transformers", "sklearn"),
    "typer",
)
if not all(map(find_spec, NEEDED)):  # the extras train and cli
    collect_ignore = [str(path) for path in HERE.rglob("test_*.py") if "optimum" not in path.name]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Ignore warnings that PyTorch, its exporter and transformers cause themselves."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(
                pytest.mark.filterwarnings(
                    "ignore::DeprecationWarning",
                    "ignore::FutureWarning",
                    "ignore::UserWarning:torch",
                    "ignore::logic_retrievers.errors.LongTextWarning",
                )
            )


@pytest.fixture(scope="session")
def each_model_is_traced_once() -> Iterator[None]:
    """Cache traces, which take most of an export; equal weights give equal graphs."""
    import onnx
    from logic_export.bundles import graphs

    export_module = graphs.export_module
    traced: dict[str, bytes] = {}

    def export_once(module, max_tokens: int, output: str) -> onnx.ModelProto:
        weights = b"".join(w.detach().numpy().tobytes() for w in module.state_dict().values())
        key = hashlib.sha256(weights + f"{max_tokens} {output}".encode()).hexdigest()
        if key not in traced:
            traced[key] = export_module(module, max_tokens, output).SerializeToString()
        return onnx.load_from_string(traced[key])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graphs, "export_module", export_once)
        yield


@pytest.fixture(scope="session")
def small_model_folder(
    tmp_path_factory: pytest.TempPathFactory, each_model_is_traced_once: None
) -> Path:
    from small_models import write_small_model

    return write_small_model(tmp_path_factory.mktemp("small") / "made")


@pytest.fixture
def small_model(small_model_folder: Path) -> SentenceTransformer:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(small_model_folder), device="cpu")


@pytest.fixture(scope="session")
def models(small_model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Make the base, three models with its embeddings, and one with changed embeddings."""
    from small_models import retrained

    folder = tmp_path_factory.mktemp("models")
    changed = {
        "other": "layer.1.",
        "newer": "layer.1.output",
        "queries": "layer.",
        "moved": "embeddings",
    }
    return {
        "base": str(small_model_folder),
        **{
            name: retrained(small_model_folder, folder / name, part)
            for name, part in changed.items()
        },
    }


@pytest.fixture(scope="session")
def bundle(models: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Export two heads of one model, which share a graph, and a head of a second model."""
    from logic_export.bundles.export import BundleLabel, export_bundle
    from logic_export.bundles.heads import HeadSource

    from logic_retrievers.encoders.manifest import Calibration

    out = tmp_path_factory.mktemp("bundle") / "three"
    constants = Calibration(constants={"alpha": 2.0}, origin="once")
    heads = [
        HeadSource("topical", models["base"]),
        HeadSource("compatibility", models["base"], trained=False),
        HeadSource("contradiction", models["other"], contradiction=constants),
    ]
    label = BundleLabel("small", "Apache-2.0", "made here", {"NOTICE": "for a test\n"})
    export_bundle(out, label, heads, query_prefix="find : ")
    return out
