"""Pages whose code runs as it stands, as notebooks beside the site: a hook of MkDocs."""

from __future__ import annotations

import re
from pathlib import Path

import jupytext
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

EXTRAS = {
    "langchain": "[langchain]",
    "llama-index": "[llama-index]",
    "haystack": "[haystack]",
    "expressions": "[langchain,llama-index]",
    "contradictions": "",
    "cleaning": "",
}
"""The pages, and the extras that their code needs."""

_FOLDER = Path(__file__).parent
_LINK = re.compile(r"\]\((?!http)([^)#]*\.(?:md|png)[^)]*)\)")
_TITLE = re.compile(r"\A(# .*\n)")


def notebook(page: str) -> str:
    """A page as the text of an .ipynb file; its first code cell installs what the others need."""
    text = (_FOLDER / f"{page}.md").read_text("utf-8")
    source = "https://github.com/logic-retrievers/logic-retrievers/blob/main/docs/"
    text = _LINK.sub(lambda link: f"]({source}{link[1]})", text)
    install = f"%pip install --quiet 'logic-retrievers{EXTRAS[page]}'"
    text = _TITLE.sub(lambda title: f"{title[1]}\n```python\n{install}\n```\n", text)
    cells = jupytext.reads(text, fmt="md")
    cells.metadata["kernelspec"] = {
        "display_name": "Python 3",
        "language": "python",
        "name": "python3",
    }
    return jupytext.writes(cells, fmt="ipynb")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the notebooks to the site."""
    for page in EXTRAS:
        name = f"notebooks/{page}.ipynb"
        files.append(File.generated(config, name, content=notebook(page)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Links a page to its notebook, below the title."""
    name = page.file.src_uri.removesuffix(".md")
    if name not in EXTRAS:
        return markdown
    link = f"[This page as a notebook](notebooks/{name}.ipynb)"
    return _TITLE.sub(lambda title: f"{title[1]}\n{link}\n", markdown)
