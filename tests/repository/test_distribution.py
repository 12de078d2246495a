"""The installed files: the wheel, an editable install, and a core-only install."""

from __future__ import annotations

import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from commands import ROOT, call

OURS = [
    *("logic_retrievers", "logic_export"),
    *("langchain_logic_retrievers", "llama_index_logic_retrievers", "haystack_logic_retrievers"),
]
FOREIGN = {"integrations", "export", "tests", "examples", "benchmarks", "docs"}

pytestmark = pytest.mark.slow


def environment(folder: Path) -> Path:
    venv.create(folder, with_pip=True)
    return folder / "bin" / "python"


def test_wheel_holds_the_packages_the_bundle_and_nothing_else(wheel):
    """A top-level module `tests` or `export` would pollute users' environments."""
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert not tops & FOREIGN
    assert set(OURS) <= tops
    assert {f"{package}/py.typed" for package in OURS} <= set(names)
    assert any(n.startswith("logic_retrievers/models/") and n.endswith(".onnx") for n in names)
    assert any(n.startswith("logic_retrievers/models/") and n.endswith("NOTICE") for n in names)


def test_the_readme_renders_on_the_package_index(wheel):
    """A relative link or picture in the README is broken on PyPI."""
    assert "PASSED" in call(sys.executable, "-m", "twine", "check", "--strict", wheel)
    links = re.findall(r"\]\(([^)]+)\)", (ROOT / "README.md").read_text("utf-8"))
    assert links
    assert not [link for link in links if not link.startswith("https://")]


def test_core_only_install_searches_and_names_missing_extras(wheel, tmp_path):
    """The product must work without extras and name the one that a feature needs."""
    python = environment(tmp_path / "core")
    call(python, "-m", "pip", "install", "--quiet", wheel)
    script = """
from logic_retrievers import Engine, OnnxEncoder, Passage, PassageIndex
index = PassageIndex.open(encoder=OnnxEncoder())
index.add([Passage("a", "A quiet inn by the sea."), Passage("b", "Prices of copper rose.")])
print(Engine(index).search("somewhere calm to sleep", k=1)[0].passage.id)
import sys
frameworks = {"langchain_core", "llama_index", "haystack"}
assert not {"torch", "typer", "rich", *frameworks} & set(sys.modules)
"""
    assert call(python, "-c", script, cwd=tmp_path).split() == ["a"]
    for name, arguments in (("logic-retrievers", ["doctor"]), ("logic-export", ["train"])):
        command = subprocess.run(
            [tmp_path / "core" / "bin" / name, *arguments], capture_output=True, text=True
        )
        assert command.returncode != 0
        assert "pip install 'logic-retrievers[cli]'" in command.stderr


def test_editable_install_installs_no_foreign_module(tmp_path):
    python = environment(tmp_path / "editable")
    call(python, "-m", "pip", "install", "--quiet", "--no-deps", "-e", ROOT)
    found = call(
        python,
        "-c",
        "from importlib.util import find_spec\n"
        f"print(*[n for n in {sorted(FOREIGN)!r} if find_spec(n)])\n"
        f"print(*[find_spec(n).origin.rsplit('/', 2)[1] for n in {OURS!r}])",
        cwd=tmp_path,
    )
    assert found.split() == OURS
