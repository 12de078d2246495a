"""The rules of the house: who may import whom, and what an import drags in."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import logic_retrievers

ROOT = Path(logic_retrievers.__file__).parent

BELOW_ANSWERING = {
    *("types", "errors", "procedures", "scoring", "encoders", "index", "policies", "queries"),
}
# room -> rooms of the package that it may import; imports run downward only
MAY_IMPORT = {
    "errors": set(),
    "lazy": set(),
    "types": set(),
    "procedures": set(),
    "scoring": {"errors"},
    "documents": {"types", "errors", "encoders"},
    "encoders": {"errors", "lazy"},
    "index": {"types", "errors", "procedures", "scoring", "encoders"},
    "queries": {"errors"},
    "policies": {"types", "errors", "scoring", "queries"},
    "answering": BELOW_ANSWERING,
    "asking": {"errors", "policies", "queries"},
    "engine": BELOW_ANSWERING | {"answering"},
    "reranking": BELOW_ANSWERING | {"answering"},
    "contradiction": BELOW_ANSWERING | {"answering", "lazy"},
    "pages": {"errors"},
    "cleaning": BELOW_ANSWERING | {"answering", "lazy", "contradiction", "evaluation", "pages"},
    "evaluation": {"types", "errors", "scoring", "queries"},
    "chat": {"errors"},
    "probe": BELOW_ANSWERING | {"answering", "engine", "contradiction", "evaluation", "chat"},
    "models": set(),
}
MAY_IMPORT["report"] = set(MAY_IMPORT)  # it measures every part, and only commands are above it
MAY_IMPORT["testing"] = set(MAY_IMPORT) - {
    "evaluation",
    "probe",
    "report",
}  # a suite may look at every part
EVERYTHING = {"cli", "__init__"}
NEVER = {"torch", "transformers", "sentence_transformers", "langchain_core", "llama_index"}
ADAPTERS = {Path("encoders/sentence_transformers.py")}  # loads its package when it is used
NEVER_ANYWHERE = {"logic_export", "pickle", "langchain_logic_retrievers"}


def modules() -> list[Path]:
    return sorted(p.relative_to(ROOT) for p in ROOT.rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Every module that a file imports anywhere, in full."""
    names = set()
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@pytest.mark.parametrize("path", modules(), ids=str)
def test_imports_run_downward(path):
    """One import upward, and the rooms can no longer be understood one at a time."""
    room = path.parts[0].removesuffix(".py")
    names = imported(path)
    roots = {name.split(".")[0] for name in names}
    assert not roots & NEVER_ANYWHERE
    assert room == "testing" or not roots & {"pytest", "hypothesis"}
    if path not in ADAPTERS:
        assert not roots & NEVER
    assert room == "testing" or not {n for n in names if "logic_retrievers.testing" in n}
    if room in EVERYTHING:
        return
    used = {name.split(".")[1] for name in names if name.startswith("logic_retrievers.")} - {room}
    assert used <= MAY_IMPORT[room], f"{path} imports {sorted(used - MAY_IMPORT[room])}"


def test_policies_and_scoring_do_no_io():
    """A policy that looks something up is no longer the pure rule that the tests compare."""
    for room in ("policies", "scoring", "queries"):
        for path in modules():
            if path.parts[0] == room:
                assert not {n.split(".")[0] for n in imported(path)} & {
                    "os", "pathlib", "socket", "qdrant_client", "onnxruntime", "time", "random",
                }  # fmt: skip


@pytest.mark.parametrize("framework", ["langchain", "llama_index"])
def test_an_adapter_translates_and_delegates(framework):
    """Mathematics in an adapter, or the other framework, is logic that only one of them has."""
    folder = ROOT.parent / "integrations" / f"{framework}_logic_retrievers"
    theirs = {"langchain": "langchain_core", "llama_index": "llama_index"}[framework]
    allowed = {
        "logic_retrievers",
        folder.name,
        theirs,
        "pydantic",
        "pydantic_core",
        "qdrant_client",
    }
    for path in folder.glob("*.py"):
        roots = {name.split(".")[0] for name in imported(path)}
        assert roots - allowed <= sys.stdlib_module_names, path.name


def loaded_after(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return {name.split(".")[0] for name in done.stdout.split()}


def test_importing_the_package_is_cheap():
    """A second of imports at start-up is what makes people drop a dependency."""
    heavy = {"numpy", "onnxruntime", "qdrant_client", "tokenizers", "pydantic", "typer", "torch"}
    assert not loaded_after("import logic_retrievers") & heavy


def test_run_time_code_loads_no_training_or_framework_package():
    loaded = loaded_after(
        "from logic_retrievers import *\nencoder = OnnxEncoder()\nencoder.encode_queries(['a'])"
    )
    assert not loaded & (NEVER | NEVER_ANYWHERE - {"pickle"} | {"pytest", "_pytest"})


def test_policies_load_without_qdrant_or_onnx():
    loaded = loaded_after("import logic_retrievers.policies")
    assert not loaded & {"onnxruntime", "qdrant_client", "tokenizers", "pydantic"}
