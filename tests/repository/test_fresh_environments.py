"""A new user's steps: an environment with one extra, and the code of its docs page."""

from __future__ import annotations

import pytest
from commands import ROOT, call, environment, requirements

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

RUN_PAGE = """
import ast, asyncio, inspect, re, socket, sys
from pathlib import Path

def refused(self, address):
    raise OSError(f"no network in this test: {address}")

socket.socket.connect = refused
names = {}
page = Path(sys.argv[1])
for block in re.findall(r"```python\\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
    result = eval(compile(block, page.name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
    if inspect.isawaitable(result):
        asyncio.run(result)
"""


@pytest.mark.parametrize("resolution", ["highest", "lowest-direct"])
@pytest.mark.parametrize(
    ("extra", "page", "other"),
    [
        ("langchain", "langchain.md", "llama_index.core"),
        ("llama-index", "llama-index.md", "langchain_core"),
        ("haystack", "haystack.md", "llama_index.core"),
        ("rest", "serving.md", "langchain_core"),
    ],
)
def test_the_page_of_an_extra_runs_with_that_extra_alone(
    wheel, tmp_path, extra, page, other, resolution
):
    """A page must not need a package that it does not tell users to install."""
    asked = requirements(extra) if resolution == "lowest-direct" else []
    python = environment(tmp_path / "venv", resolution, f"{wheel}[{extra}]", *asked)
    (tmp_path / "run.py").write_text(RUN_PAGE, encoding="utf-8")
    call(python, "run.py", ROOT / "docs" / page, cwd=tmp_path)
    absent = f"from importlib.util import find_spec; print(find_spec({other.split('.')[0]!r}))"
    assert call(python, "-c", absent).strip() == "None"


def test_the_adapters_pass_with_the_lowest_versions(wheel, tmp_path):
    """An untested range in pyproject.toml is a guess."""
    tools = ("pytest>=8.3", "pytest-asyncio>=0.25", "pytest-socket>=0.7", "pytest-timeout>=2.3")
    more = ("hypothesis>=6.100", "langchain-tests>=1", "langchain-classic>=1", "httpx>=0.27")
    extras = ("langchain", "llama-index", "haystack")
    asked = [f"{wheel}[{','.join(extras)}]", *requirements(*extras), *tools, *more]
    python = environment(tmp_path / "venv", "lowest-direct", *asked)
    assert (
        call(python, "-c", "import langchain_core; print(langchain_core.__version__)") == "1.0.0\n"
    )
    output = call(
        *(python.with_name("pytest"), "-m", "not slow", "-p", "no:cacheprovider"),
        # old versions warn of other packages; and the double is a server of the newest client's
        *("-W", "ignore::DeprecationWarning"),
        *("-W", "ignore::pytest.PytestUnraisableExceptionWarning", "-k", "not OverTheWire"),
        *("tests/langchain_adapter", "tests/llama_index_adapter"),
        *(f"tests/conformance/test_{n}.py" for n in ("langchain_conformance", "adapter_parity")),
        "tests/conformance/test_llama_index_conformance.py",
        "tests/conformance/test_haystack_conformance.py",
    )
    assert " passed" in output.splitlines()[-1]
