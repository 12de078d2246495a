"""How pages look, a hook of MkDocs: colours of code by Pygments, names in docstrings as code."""

from __future__ import annotations

import re

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from pygments.formatters import HtmlFormatter

_SHEET = "css/code.css"
_ROLE = re.compile(r":(?:attr|class|data|func|meth|mod):<code>~?")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Adds the style sheet to every page; the theme's own colours are a script from elsewhere."""
    config.extra_css.append(_SHEET)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the style sheet to the site."""
    colours = HtmlFormatter(style="default").get_style_defs(".highlight")
    files.append(File.generated(config, _SHEET, content=colours))
    return files


def on_page_content(html: str, **_: object) -> str:
    """Takes away the roles of docstrings (``:class:`Engine```), which only Sphinx reads."""
    return _ROLE.sub("<code>", html)
