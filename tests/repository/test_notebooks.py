"""The pages' notebook versions run from first cell to last."""

from __future__ import annotations

import importlib.util
import re

import nbformat
import pytest
from commands import ROOT
from nbclient import NotebookClient

specification = importlib.util.spec_from_file_location("notebooks", ROOT / "docs" / "notebooks.py")
assert specification is not None
assert specification.loader is not None
notebooks = importlib.util.module_from_spec(specification)
specification.loader.exec_module(notebooks)


@pytest.mark.slow
@pytest.mark.parametrize("page", notebooks.EXTRAS)
def test_a_notebook_runs(page, tmp_path):
    cells = nbformat.reads(notebooks.notebook(page), as_version=4)
    first, *others = [cell for cell in cells.cells if cell.cell_type == "code"]
    assert first.source == f"%pip install --quiet 'logic-retrievers{notebooks.EXTRAS[page]}'"
    assert len(others) == (ROOT / "docs" / f"{page}.md").read_text("utf-8").count("```python")
    cells.cells.remove(first)
    NotebookClient(cells, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert any(cell.outputs for cell in others)


@pytest.mark.parametrize("page", notebooks.EXTRAS)
def test_links_of_a_notebook_lead_out_of_it(page):
    """A notebook is opened alone: a relative link leads nowhere."""
    cells = nbformat.reads(notebooks.notebook(page), as_version=4)
    text = "\n".join(cell.source for cell in cells.cells if cell.cell_type == "markdown")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links
    assert all(link.startswith(("http", "#")) for link in links)
