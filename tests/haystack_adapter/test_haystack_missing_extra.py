"""Without Haystack the import says what to install."""

from __future__ import annotations

import subprocess
import sys

import pytest

BLOCKED = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocker())
try:
    import haystack_logic_retrievers
except ImportError as error:
    print(type(error).__name__, error)
"""


def _said(blocked: str) -> str:
    code = BLOCKED.format(blocked=blocked)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout.strip()


def test_the_exact_command_is_named():
    """A bare ModuleNotFoundError names a package that nobody should install by itself."""
    assert _said("haystack") == (
        "MissingExtraError 'haystack-ai' is not installed. "
        "Run: pip install 'logic-retrievers[haystack]'"
    )


@pytest.mark.slow
def test_another_missing_module_is_not_blamed_on_haystack():
    """Installing an extra that is there already helps nobody."""
    assert _said("tenacity") == "ModuleNotFoundError No module named 'tenacity'"
