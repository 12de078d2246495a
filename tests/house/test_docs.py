"""What the README shows is run as it stands."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_readmes_first_example_runs(tmp_path, monkeypatch, capsys):
    """A first example that fails is the last thing that a reader tries."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    exec(blocks[0], names)
    names["index"].close()
    assert capsys.readouterr().out.startswith("1 inn topical cosine 0.")


def test_links_between_the_docs_lead_somewhere():
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8")):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name}: {target}"
