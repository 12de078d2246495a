"""Commands and code of pages, as tests run them."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def call(*command: str | Path, cwd: Path = ROOT) -> str:
    """Standard output of a command that must succeed."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Exception ignored" not in done.stderr, done.stderr  # at the interpreter's exit
    return done.stdout


SHOWN = {
    "server": "http://localhost:6333",
    "topical": "BAAI/bge-large-en-v1.5",
    "compatibility": "path/to/your-compatibility-model",
    "rerank_service": "https://api.cohere.com/v2",
    "chat": "http://127.0.0.1:8000/v1",
}


def run_blocks(page: str, names: dict[str, object], **replaced: str) -> None:
    """Run a page's Python in ``names``; ``replaced`` stands for what tests cannot reach."""
    for block in re.findall(r"```python\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL):
        for old, new in replaced.items():
            block = block.replace(SHOWN[old], new)
        code = compile(block, page, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        result = eval(code, names)
        if inspect.isawaitable(result):
            asyncio.run(result)  # type: ignore[arg-type]


def run_line(line: str, folder: Path) -> str:
    """Return the output of a page's command line, with wrapped lines joined."""
    program = shlex.quote(str(Path(sys.executable).with_name("logic-retrievers")))
    typed = re.sub(r"^logic-retrievers", lambda _: program, line)
    done = subprocess.run(
        typed, shell=True, cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    return " ".join(done.stdout.split())


def environment(folder: Path, resolution: str, *requirements: str) -> Path:
    """The Python of a new environment with these requirements, by uv: pip takes minutes."""
    uv = Path(sys.executable).with_name("uv")
    call(uv, "venv", "--quiet", "--python", sys.executable, folder)
    python = folder / "bin" / "python"
    call(
        *(uv, "pip", "install", "--quiet", "--python", python, "--resolution", resolution),
        *("--link-mode", "symlink"),  # copying takes three times as long
        *requirements,
    )
    return python


def requirements(*extras: str) -> list[str]:
    """The project's requirements with these extras, one by one.

    uv takes the lowest version of direct requirements, but not of a wheel's own.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    asked = [project["optional-dependencies"][extra] for extra in extras]
    return [*project["dependencies"], *(one for some in asked for one in some)]
