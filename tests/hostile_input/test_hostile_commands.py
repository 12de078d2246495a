"""Odd command lines: a documented exit code, never a traceback."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hostile import few_examples, inns, texts
from hypothesis import given
from hypothesis import strategies as st
from tiny_bundles import head, write_tiny_bundle
from typer.testing import CliRunner

from logic_retrievers.cli.app import app

pytestmark = pytest.mark.slow
CODES = {0, 1, 2, 3, 4, 5, 6, 130}
# command -> its required arguments and its options: a flag, or one with a value
COMMANDS = {
    "index": ("docs", "--overlap= --language= --no-lexical --collection= --tenant="),
    "search": (
        "quiet inn without noise",
        "--expression= -k= --policy= --filter= --min-score= --exclude= --hard --no-judge --explain"
        " --json --all-tenants --query-encoder= --collection= --judge= --reranker=",
    ),
    "contradictions": (
        "inns are quiet",
        "-k= --filter= --min-probability= --json --no-explain --judge=",
    ),
    "clean": (
        "",
        "--trusted= --resolution= --dry-run --fail-on= --again --threshold= --date-key= --judge=",
    ),
    "parse": ("inns without noise", "--json"),
    "evaluate": (
        "set",
        "--split= --depth= --policy= --base= --no-judge --query-encoder= --judge= --reranker="
        " --fit=",
    ),
    "doctor": ("", "--json --all-tenants --collection="),
    "quarantine list": ("", "--json --ledger="),
    "quarantine show": ("inn-0", "--json --ledger="),
    "quarantine restore": ("inn-0", "--all --ledger="),
    "probe run": ("set", "--policy= --threshold= --reader= --max-tokens= --seed="),
}
odd_values = st.sampled_from(
    (
        *("1", "0", "-1", "2.5", "nan", "inf", "1e999", "9" * 30, "x", "", "٣", "auto", "boolean"),
        *("city=Oslo", "city=", "=x", "a=b=c", "a[=1", "annotate", "any", "NOT a", "(" * 500, "é"),
        *("docs", "missing", "tiny", "/dev/null", "x" * 300, "\udc80", "a\nb", "--help", "-"),
        *("\x1b[2J", "http://[", ":memory:", "dead", "binary.jsonl", "empty"),
    )
)


@pytest.fixture
def program(workplace: Path) -> Path:
    constants = {
        **{"alpha": 1.0, "null_mean": 0.0, "null_deviation": 0.3, "intercept": 0.0},
        **{"cosine_weight": 1.0, "sparsity_weight": 1.0, "threshold": 0.5},
    }
    heads = {name: head() for name in ("topical", "compatibility")}
    contradiction = head("second", contradiction={"constants": constants, "origin": "a test"})
    write_tiny_bundle(Path("tiny"), heads={**heads, "contradiction": contradiction})
    rows = [{"id": inn.id, "text": inn.text, **inn.metadata} for inn in inns(6)]
    for folder in ("docs", "empty", "set"):
        Path(folder).mkdir()
    Path("docs/rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    Path("binary.jsonl").write_bytes(bytes(range(256)) * 10)
    Path("dead").symlink_to("nothing")
    corpus = [json.dumps({"_id": row["id"], "text": row["text"]}) for row in rows]
    Path("set/corpus.jsonl").write_text("\n".join(corpus))
    query = {"_id": "q", "text": "quiet inns", "kind": "plain", "satisfying": ["inn-0"]}
    answers = {"gold": ["quiet"], "wrong": ["noisy"]}
    for name in ("queries", "questions"):
        Path(f"set/{name}.jsonl").write_text(json.dumps({**query, **answers}))
    arguments = ["index", "docs", "--contradictions", "--location", "index", "--bundle", "tiny"]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    return workplace


@pytest.mark.parametrize("command", COMMANDS)
@given(data=st.data())
@few_examples
def test_a_command_line_ends_with_a_known_exit_code(program: Path, command: str, data: Any):
    needed, options = COMMANDS[command]
    line = command.split()
    if positional := data.draw(st.sampled_from((needed, needed, needed, None)) | odd_values):
        line.append(positional)
    for option in data.draw(st.lists(st.sampled_from(options.split()), max_size=2, unique=True)):
        name, takes_value, _ = option.partition("=")
        line += [name, data.draw(odd_values | texts)] if takes_value else [name]
    if command != "parse":
        line += ["--bundle", "tiny"] if not command.startswith("quarantine") else []
        if not command.startswith(("evaluate", "probe")):
            shutil.rmtree("scratch", ignore_errors=True)
            shutil.copytree("index", "scratch")
            line += ["--location", "scratch"]
    line = [argument.replace("\0", "") for argument in line]
    result = CliRunner().invoke(app, line, input="n\n")
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.exit_code in CODES
    assert "Traceback (most" not in result.output
    assert "\x1b" not in result.output
    if line[0] in ("search", "contradictions") and "--json" in line and result.exit_code == 0:
        json.loads(result.stdout if "--help" not in line else "[]")
