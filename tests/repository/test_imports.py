"""The layering: allowed imports, no import cycles, and the cost of an import."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import logic_retrievers

ROOT = Path(logic_retrievers.__file__).parent

# package or module -> its allowed imports; the lowest layer first
MAY_IMPORT = {
    "errors": set(),
    "lazy_imports": set(),
    "python_process": set(),
    "text": set(),
    "language": {"text"},
    "dates": set(),
    "types": {"text"},
    "validity": {"dates", "errors", "types"},
    "effects": set(),
    "http": {"errors"},
    "tracing": {"types", "errors"},
    "progress": {"errors"},
    "checks": {"errors"},
    "overrides": {"errors", "checks"},
    "files": {"errors", "text"},
    "answer_cache": {"errors", "files"},
    "chat": {"errors", "files", "http"},
    "scoring": {"errors"},
    "encoders": {
        *("errors", "lazy_imports", "files", "checks", "http", "text"),
    },
    "fields": {"errors", "checks", "text", "dates"},
    "judging": {
        *("errors", "lazy_imports", "effects", "encoders", "types", "checks", "overrides"),
        *("scoring", "text", "language", "files", "http", "chat"),
        *("answer_cache", "tracing"),
    },
    "queries": {"errors", "checks", "text", "language", "judging"},
    "validation": {"types", "errors", "encoders"},
    "documents": {
        *("types", "errors", "encoders", "validation", "checks", "files", "text", "language"),
        "python_process",
    },
    "policies": {
        *("types", "errors", "checks", "overrides", "scoring", "queries", "text", "language"),
        *("judging", "fields", "tracing"),
    },
    "index": {
        *("types", "errors", "effects", "progress", "encoders", "validation"),
        *("http", "files", "checks", "text", "python_process"),
    },
    "ranking": {
        *("types", "errors", "effects", "scoring", "encoders", "policies", "judging", "index"),
        *("queries", "text", "fields"),
    },
}
SEARCHING = {*MAY_IMPORT} - {"answer_cache", "chat", "documents", "files"}
MAY_IMPORT |= {
    "search_options": SEARCHING,
    "search": SEARCHING | {"search_options"},
    "rerank": SEARCHING,
    "evaluation": {
        *("types", "errors", "effects", "progress", "files", "scoring", "queries"),
        *("judging", "index", "search"),
    },
    "conflicts": SEARCHING | {"files", "evaluation"},
    "probe": SEARCHING | {"answer_cache", "files", "chat", "evaluation", "search", "conflicts"},
    "adapters": SEARCHING | {"search", "search_options", "rerank", "conflicts"},
    "serving": SEARCHING | {"search", "conflicts"},
}
UNRESTRICTED = {"cli", "__init__"}
NEVER = {
    *("torch", "transformers", "sentence_transformers"),
    *("langchain_core", "llama_index", "haystack"),
}
# import their package on use
ADAPTERS = {Path("encoders/sentence_transformers.py"), Path("judging/cross_encoder.py")}
NEVER_ANYWHERE = {
    *("logic_export", "benchmarks", "langchain_logic_retrievers", "llama_index_logic_retrievers"),
    "haystack_logic_retrievers",
    *("pickle", "pytest", "hypothesis", "suites"),
}
QUERIES = "logic_retrievers.queries"
CIRCLES = {
    # Expression.parse and .from_dict are methods of the class that they make; inside functions
    (f"{QUERIES}.expressions", f"{QUERIES}.expression_syntax"),
}


def modules() -> list[Path]:
    return sorted(p.relative_to(ROOT) for p in ROOT.rglob("*.py"))


def import_statements(path: Path, *, type_checking: bool) -> Iterator[ast.AST]:
    """Every import of a file, including those inside functions.

    Args:
        path: path of the file, relative to the package.
        type_checking: whether imports under ``if TYPE_CHECKING`` count.
    """
    remaining: list[ast.AST] = [ast.parse((ROOT / path).read_text(encoding="utf-8"))]
    while remaining:
        node = remaining.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            remaining += node.body if type_checking else []
            remaining += node.orelse
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        else:
            remaining += ast.iter_child_nodes(node)


def imported(path: Path, *, type_checking: bool = True) -> set[str]:
    """The full names of all modules that a file imports, and of the names imported from them."""
    names = set()
    for node in import_statements(path, type_checking=type_checking):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        else:
            assert node.level == 0, f"{path}: relative import"
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def module_name(path: Path) -> str:
    return ".".join([ROOT.name, *path.with_suffix("").parts]).removesuffix(".__init__")


@pytest.mark.parametrize("path", modules(), ids=str)
def test_imports_run_downward(path):
    """With one upward import a layer cannot be understood without those above it."""
    layer = path.parts[0].removesuffix(".py")
    names = imported(path)
    roots = {name.split(".")[0] for name in names}
    assert not roots & NEVER_ANYWHERE
    if path not in ADAPTERS:
        assert not roots & NEVER
    if layer in UNRESTRICTED:
        return
    used = {name.split(".")[1] for name in names if name.startswith("logic_retrievers.")} - {layer}
    assert used <= MAY_IMPORT[layer], f"{path} imports {sorted(used - MAY_IMPORT[layer])}"


def test_layers_only_import_lower_layers():
    """A table with a cycle would let the rule above pass."""
    layers = list(MAY_IMPORT)
    for position, layer in enumerate(layers):
        assert MAY_IMPORT[layer] <= set(layers[:position]), layer
    top_level = {path.parts[0].removesuffix(".py") for path in modules()}
    assert top_level == MAY_IMPORT.keys() | UNRESTRICTED


def test_no_imports_form_a_circle():
    """Modules in a cycle can only be read, tested and imported together.

    Imports inside functions count, since they often hide a cycle. Those for type checkers do not.
    """
    names = {module_name(path): path for path in modules()}
    graph = {}
    for name, path in names.items():
        targets = set()
        for node in import_statements(path, type_checking=False):
            for alias in node.names:
                full = alias.name if isinstance(node, ast.Import) else f"{node.module}.{alias.name}"
                module = full if full in names else getattr(node, "module", full)
                if (name, module) not in CIRCLES:
                    targets.add(module)
        graph[name] = targets & names.keys() - {name}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_policies_and_scoring_do_no_io():
    """A policy that does I/O is no longer the pure rule that the tests compare."""
    for layer in ("policies", "scoring", "queries"):
        for path in modules():
            if path.parts[0] == layer:
                assert not {n.split(".")[0] for n in imported(path)} & {
                    "os", "pathlib", "socket", "qdrant_client", "onnxruntime", "time", "random",
                }  # fmt: skip


FRAMEWORKS = {
    "langchain": "langchain_core",
    "llama_index": "llama_index",
    "haystack": "haystack",
}


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_an_adapter_translates_and_delegates(framework):
    """Mathematics, or a second framework, in an adapter would be logic that others lack."""
    folder = ROOT.parent / "integrations" / f"{framework}_logic_retrievers"
    allowed = {
        *("logic_retrievers", folder.name, FRAMEWORKS[framework]),
        *("pydantic", "pydantic_core", "qdrant_client"),
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
    """Users drop a dependency that takes a second to import."""
    heavy = {"numpy", "onnxruntime", "qdrant_client", "tokenizers", "pydantic", "typer", "torch"}
    assert not loaded_after("import logic_retrievers") & heavy


def test_run_time_code_loads_no_training_or_framework_package():
    loaded = loaded_after(
        "from logic_retrievers import *\nencoder = OnnxEncoder()\nencoder.encode_queries(['a'])"
    )
    assert not loaded & (NEVER | NEVER_ANYWHERE - {"pickle"} | {"pytest", "_pytest"})


def test_policies_load_without_qdrant_or_onnx():
    loaded = loaded_after("import logic_retrievers.policies")
    assert not loaded & {"onnxruntime", "qdrant_client", "tokenizers"}
    assert "pydantic" not in loaded_after("import logic_retrievers.queries")
