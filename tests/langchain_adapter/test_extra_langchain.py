"""What the package needs, what it does without, and what it says where something is missing."""

from __future__ import annotations

import subprocess
import sys

import langchain_logic_retrievers
import pytest

BLOCK = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocker())
import langchain_logic_retrievers
"""


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )


def test_a_missing_framework_is_one_paste_away():
    """`No module named langchain_core` sends people to the wrong package."""
    failed = run(BLOCK.format(name="langchain_core"))
    assert "MissingExtraError" in failed.stderr
    last = failed.stderr.strip().splitlines()[-1]
    assert last.endswith("Run: pip install 'logic-retrievers[langchain]'")
    caught = run(
        "try:\n"
        + "".join(f"    {line}\n" for line in BLOCK.format(name="langchain_core").splitlines())
        + "except ImportError as error:\n    print(error)"
    )
    assert caught.returncode == 0, caught.stderr
    assert "'langchain-core' is not installed" in caught.stdout


@pytest.mark.parametrize("other", ["tenacity", "qdrant_client", "langchain_core._import_utils"])
def test_another_missing_package_is_named(other):
    """Telling people to install what they have hides what they lack."""
    failed = run(BLOCK.format(name=other))
    assert f"No module named '{other}'" in failed.stderr
    assert "MissingExtraError" not in failed.stderr


def test_what_an_import_loads():
    """langchain-qdrant and langchain-classic are the user's choice; PyTorch is nobody's."""
    done = run(f"{BLOCK.format(name='langchain_qdrant')}\nprint(*sys.modules)")
    assert done.returncode == 0, done.stderr
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"langchain_qdrant", "langchain_classic", "llama_index", "torch"}
    assert "onnxruntime" not in loaded


def test_public_names_are_sorted_and_there():
    """A name in the docs that cannot be imported."""
    names = langchain_logic_retrievers.__all__
    assert names == sorted(names)
    assert all(hasattr(langchain_logic_retrievers, name) for name in names)
