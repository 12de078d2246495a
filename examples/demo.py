"""Five scenes and a loss: plain search beside this package, in the terminal and as a page.

Run it with `make demo`, or `python examples/demo.py`.
"""

from __future__ import annotations

import time
from pathlib import Path
from textwrap import wrap

from demo_scenes import SATISFIES, VIOLATES, Row, Scene, build_scenes
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from logic_retrievers import OnnxEncoder
from logic_retrievers.cli.console import escape_unencodable, out, shorten
from logic_retrievers.text import show_hidden

HERE = Path(__file__).parent
OUTPUT = HERE.parent / ".demo"
WIDTH = 78
STYLES = {SATISFIES: "green", VIOLATES: "red"}
LEGEND = "✓ satisfies, ✗ violates, · neither: labels by hand that no search reads"


def main() -> None:
    """Compute the scenes, print them, and write the page."""
    escape_unencodable()
    begun = time.perf_counter()
    scenes = build_scenes(HERE, OnnxEncoder(), OUTPUT / "index")
    seconds = time.perf_counter() - begun
    for number, scene in enumerate(scenes, 1):
        print_scene(number, scene)
    out.print_line("\n", (LEGEND, "dim"))
    page = OUTPUT / "demo.html"
    page.write_text(render_page(scenes), encoding="utf-8")
    out.print_line(
        f"{seconds:.0f} s, indexing included. As a page: {page.relative_to(HERE.parent)}"
    )


def print_scene(number: int, scene: Scene) -> None:
    """One scene in lines of at most 80 columns."""
    out.print_line("\n", (f"{number}. {scene.title}", "bold"))
    print_short(f"   {scene.query}")
    for listing in scene.listings:
        print_short(f"   {listing.title}", "dim")
        for row in listing.rows:
            print_row(row)
    for line in wrap(f"why: {scene.reason}", WIDTH - 3):
        print_short(f"   {line}", "cyan")


def print_row(row: Row) -> None:
    """The mark, and as much of the text as fits."""
    text = ": ".join(row.text.split("\n", 1))  # a title stands in a line of its own
    out.print_line("     ", (row.mark, STYLES.get(row.mark, "dim")), f" {shorten(text, 70)}")


def print_short(text: str, style: str = "") -> None:
    """A line that keeps its indent and is cut where it is too long."""
    indent = len(text) - len(text.lstrip())
    out.print_line((" " * indent + shorten(text, WIDTH - indent), style))


def render_page(scenes: list[Scene]) -> str:
    """The scenes as one HTML file that needs no network and no script."""
    templates = Environment(
        loader=FileSystemLoader(HERE / "scenes"), autoescape=True, undefined=StrictUndefined
    )
    templates.filters["shown"] = show_hidden
    return templates.get_template("page.html").render(scenes=scenes, legend=LEGEND)


if __name__ == "__main__":
    main()
