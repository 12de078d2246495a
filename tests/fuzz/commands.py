"""Command lines with odd arguments: a known exit code, and never a traceback."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from random import Random

from typer.testing import CliRunner

from logic_retrievers.cli.app import app

from .harness import Target, accepted, expect
from .values import TEXTS, text
from .workplace import head, inns, write_tiny_bundle

CODES = {0, 1, 2, 3, 4, 5, 6, 130}
INDEX = "--location:location --collection:name --tenant:name --api-key:text --bundle:bundle"
COMMANDS = {
    "index": f"path --overlap:count --language:name --no-lexical --contradictions {INDEX}",
    "search": (
        "text --expression:expression -k:count --policy:policy --base:policy --filter:filter"
        " --min-score:number --exclude:text --hard --no-judge --explain --json --all-tenants"
        f" --query-encoder:path {INDEX}"
    ),
    "contradictions": (
        "text --like:text -k:count --filter:filter --min-probability:number"
        f" --no-explain --json --all-tenants {INDEX}"
    ),
    "clean": (
        "path --trusted:filter --resolution:resolution --dry-run --report:output"
        " --fail-on:resolution --again --threshold:number --date-key:text"
        f" --source-key:text --source-order:text --ledger:output --json {INDEX}"
    ),
    "parse": "text --json",
    "evaluate": (
        "data --split:name --depth:count --policy:policy --base:policy --no-judge"
        " --cache:output --per-query:output --json:output --query-encoder:path --bundle:bundle"
    ),
    "doctor": f"--json --all-tenants {INDEX}",
    "quarantine list": f"--json --ledger:output {INDEX}",
    "quarantine show": f"text --json --ledger:output {INDEX}",
    "quarantine restore": f"text --all --ledger:output {INDEX}",
    "quarantine purge": f"text --all --yes --ledger:output {INDEX}",
    "quarantine verify": f"--json --ledger:output {INDEX}",
    "probe template": "output",
    "probe run": (
        "data --policy:policy --threshold:number --reader:reader"
        " --max-tokens:count --seed:count --answers:output --json:output"
        " --bundle:bundle"
    ),
}
"""Command -> its arguments: ``kind`` of one that is given by its place, ``--name:kind``, a flag."""
CONSTANTS = {
    **{"alpha": 1.0, "null_mean": 0.0, "null_deviation": 0.3, "intercept": 0.0},
    **{"cosine_weight": 1.0, "sparsity_weight": 1.0, "threshold": 0.5},
}
"""Of the contradiction vector of a bundle that means nothing."""
BUNDLE = ("--bundle", "tiny")
WRITING = ("index", "clean", "quarantine")
PATHS = (
    *(
        "docs",
        "docs",
        "docs",
        "docs/rows.jsonl",
        "docs/rows.jsonl",
        "set",
        "missing",
        "",
        ".",
        "index",
    ),
    *(
        "-",
        "empty",
        "tiny",
        "tiny/model.onnx",
        "/dev/null",
        "/dev/null/x",
        "x" * 300,
        "é",
        "\udc80",
    ),
    *("docs/*", "a\nb", "--help", "docs/rows.jsonl/x", "binary.jsonl", "dead"),
)
VALUES: dict[str, tuple[str, ...]] = {
    "path": PATHS,
    "data": (*("set",) * 12, *PATHS),
    "output": (
        "new.out",
        "new/deeper/file",
        "docs",
        "",
        "/dev/null",
        "x" * 300,
        "\udc80",
        "-",
        "é",
    ),
    "location": (
        "index",
        "index",
        "index",
        "scratch",
        "docs",
        "",
        "/dev/null",
        ":memory:",
        "http://[",
        "é",
    ),
    "bundle": ("tiny", "tiny", "tiny", "missing", "docs", "", "\udc80"),
    "name": (
        "passages",
        "passages",
        "passages",
        "x",
        "",
        "../x",
        "a/b",
        "german",
        "test",
        "\udc80",
        "x" * 300,
        "\x1b[2J",
    ),
    "count": (
        "1",
        "5",
        "2",
        "10",
        "3",
        "0",
        "-1",
        "2.5",
        "x",
        "",
        "9" * 30,
        "1e3",
        "1000000",
        "nan",
        "٣",
    ),
    "number": ("0", "0.5", "0.1", "1", "-1", "nan", "inf", "1e999", "x", "", "1_0"),
    "policy": (
        "auto",
        "topical",
        "hybrid",
        "lexical",
        "boolean",
        "union",
        "judge",
        "x",
        "",
        "AUTO",
    ),
    "filter": (
        "city=Oslo",
        "city=",
        "=x",
        "city",
        "=",
        "a=b=c",
        "a[=1",
        "year=2020",
        "\udc80=\udc80",
    ),
    "resolution": ("annotate", "prefer_newest", "drop_both", "any", "x", "", "prefer_source"),
    "expression": ('"inn" AND NOT "quiet"', "inn", "a AND (", "", "NOT a", "(" * 500, '"'),
    "reader": ("extractive", "", "x", "http://[", "docs"),
    "text": (),
}
"""Kind -> values; no file without an end, and nothing outside the folder that could be written."""


class Commands(Target):
    """Every command of the program, over a small index, with one to four arguments."""

    name = "commands"
    share = 6

    def __init__(self) -> None:
        constants = {"constants": CONSTANTS, "origin": "a test"}
        contradiction = head("second", contradiction=constants)
        heads = {name: head() for name in ("topical", "compatibility")}
        write_tiny_bundle(Path("tiny"), heads={**heads, "contradiction": contradiction})
        _write_documents()
        result = CliRunner().invoke(
            app, ["index", "docs", "--contradictions", "--location", "index", *BUNDLE]
        )
        expect(result.exit_code == 0, f"no index: {result.output}")

    def generate(self, random: Random) -> list[str]:
        """The arguments of a command, mostly with those that it needs."""
        command = random.choice(list(COMMANDS))
        kinds = COMMANDS[command].split()
        positional = [kind for kind in kinds if not kind.startswith("-")]
        options = [kind for kind in kinds if kind.startswith("-")]
        line = command.split()
        if positional and random.random() < 0.95:
            line.append(_value(random, positional[0]))
        for option in random.sample(options, min(len(options), random.choice((0, 1, 1, 2, 3)))):
            name, _, kind = option.partition(":")
            line += [name, _value(random, kind)] if kind else [name]
        defaults = {"--location": "scratch" if line[0] in WRITING else "index", "--bundle": "tiny"}
        for name, value in defaults.items():
            if f" {name}:" in COMMANDS[command] and name not in line:
                line += [name, value]
        if random.random() < 0.05:
            line.insert(
                random.randrange(len(line) + 1), random.choice(("--x", "-", "--", *TEXTS[:40]))
            )
        return [argument.replace("\0", "") for argument in line]

    def run(self, value: list[str]) -> None:
        """Runs it; what it prints holds no control sequence and, where it should be JSON, is."""
        if value[0] in WRITING and value[:1] != ["index"] and not Path("scratch").exists():
            shutil.copytree("index", "scratch")
        result = CliRunner().invoke(app, value, input="n\n")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        with accepted("ended"):
            expect(result.exit_code in CODES, f"exit code {result.exit_code}")
            expect("Traceback (most" not in result.output, "a traceback is printed")
            expect("\x1b" not in result.output, "a control sequence is printed")
            if _prints_json(value) and result.exit_code == 0:
                json.loads(result.stdout)
        if value[0] in WRITING:
            shutil.rmtree("scratch", ignore_errors=True)


def _prints_json(line: list[str]) -> bool:
    listing = line[0] in ("search", "contradictions") and "--json" in line
    return listing and not {"-h", "--help"} & set(line)


def _value(random: Random, kind: str) -> str:
    if kind == "text" or random.random() < 0.03:
        harmless = text(random).encode("utf-8", "replace").decode()
        return harmless if kind in ("text", "expression", "filter") else harmless.replace("/", "_")
    return random.choice(VALUES[kind])


def _write_documents() -> None:
    rows = [{"id": inn.id, "text": inn.text, **inn.metadata} for inn in inns(6)]
    for folder in ("docs", "empty", "set"):
        Path(folder).mkdir()
    Path("docs/rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    Path("binary.jsonl").write_bytes(bytes(range(256)) * 10)
    Path("dead").symlink_to("nothing")
    corpus = [json.dumps({"_id": row["id"], "text": row["text"]}) for row in rows]
    Path("set/corpus.jsonl").write_text("\n".join(corpus))
    query = {
        **{"_id": "q", "text": "quiet inns", "kind": "plain", "satisfying": [rows[0]["id"]]},
        **{"gold": ["quiet"], "wrong": ["noisy"]},
    }
    for name in ("queries", "questions"):
        Path(f"set/{name}.jsonl").write_text(json.dumps(query))
