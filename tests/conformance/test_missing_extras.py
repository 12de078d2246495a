"""Adapters name the install command if their framework is missing, and import little else."""

from __future__ import annotations

import subprocess
import sys

import pytest

BLOCKED = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name == {blocked!r} or name.startswith({blocked!r} + "."):
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocker())
try:
    import {package}
except ImportError as error:
    print(type(error).__name__, error)
else:
    print(*sys.modules)
"""
FRAMEWORKS = {
    "langchain_core": ("langchain_logic_retrievers", "langchain-core", "langchain"),
    "llama_index": ("llama_index_logic_retrievers", "llama-index-core", "llama-index"),
    "llama_index.core": ("llama_index_logic_retrievers", "llama-index-core", "llama-index"),
    "haystack": ("haystack_logic_retrievers", "haystack-ai", "haystack"),
}


def printed_without(blocked: str, package: str) -> str:
    code = BLOCKED.format(blocked=blocked, package=package)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout.strip()


@pytest.mark.parametrize("blocked", FRAMEWORKS)
def test_the_exact_command_is_named(blocked):
    """A bare ModuleNotFoundError names a package that users should not install directly."""
    package, distribution, extra = FRAMEWORKS[blocked]
    assert printed_without(blocked, package) == (
        f"MissingExtraError {distribution!r} is not installed."
        f" Run: pip install 'logic-retrievers[{extra}]'"
    )


@pytest.mark.parametrize("package", sorted({package for package, *_ in FRAMEWORKS.values()}))
def test_another_missing_module_is_not_blamed_on_the_framework(package):
    """Reinstalling an installed extra does not help."""
    printed = printed_without("tenacity", package)
    assert printed == "ModuleNotFoundError No module named 'tenacity'"


def test_what_an_import_loads():
    """Users choose langchain-qdrant and langchain-classic; we do not import PyTorch."""
    modules = printed_without("langchain_qdrant", "langchain_logic_retrievers").split()
    loaded = {name.split(".")[0] for name in modules}
    assert "langchain_logic_retrievers" in loaded
    assert not loaded & {"langchain_qdrant", "langchain_classic", "llama_index", "torch"}
    assert "onnxruntime" not in loaded
