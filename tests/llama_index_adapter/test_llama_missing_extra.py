"""Without LlamaIndex the import says what to install."""

from __future__ import annotations

import subprocess
import sys

import pytest

BLOCKED = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[: len({blocked!r}.split("."))] == {blocked!r}.split("."):
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocker())
try:
    import llama_index_logic_retrievers
except ImportError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize("blocked", ["llama_index", "llama_index.core"])
def test_the_exact_command_is_named(blocked):
    """A bare ModuleNotFoundError names a package that nobody should install by itself."""
    assert _said(blocked) == (
        "MissingExtraError 'llama-index-core' is not installed. "
        "Run: pip install 'logic-retrievers[llama-index]'"
    )


def test_another_missing_module_is_not_blamed_on_llama_index():
    """Installing an extra that is there already helps nobody."""
    assert _said("tenacity") == "ModuleNotFoundError No module named 'tenacity'"


def _said(blocked: str) -> str:
    code = BLOCKED.format(blocked=blocked)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout.strip()
