"""Printed texts, names and queries must not control the terminal."""

from __future__ import annotations

import json
import re
import sys
import traceback

import pytest
from logic_export.cli.app import app as export_app
from program import run_commands
from rich.table import Table
from rich.text import Text
from typer.testing import CliRunner

from logic_retrievers.cli import console, main
from logic_retrievers.cli.app import app
from logic_retrievers.text import HIDDEN

ATTACK = (
    "\x1b]0;title\x07 \x1b[2J \x1b]52;c;aGk0\x07 \x1b[31m \x9b1m \u202eright to left\u2066"
    " car\rriage \x08 \u200b\U000e0041"
)
PAID, UNPAID = "Parental leave is paid in full for twelve weeks.", "Parental leave is not paid."
ROWS = [
    {"id": f"2024{ATTACK}", "text": f"{PAID} {ATTACK}", "date": "2024-06-01", "city": ATTACK},
    {"id": f"2021{ATTACK}", "text": f"{UNPAID} {ATTACK}", "date": "2021-03-01", ATTACK: [ATTACK]},
    {"id": "[/x] \\\\", "text": "The [bold]canteen[/x] :key: opens at noon. \\\\"},
]
SGR = re.compile(rb"\x1b\[[\d;]*m")
BAR = re.compile(rb"\x1b\[(\?25[lh]|2K|\d+A)|\r")
"""What a progress bar sends to move and to hide the cursor."""


def one_line(text):
    return text.replace("\r", " ")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Documents and data sets with an attack in each text, id, key, value and file name."""
    folder = tmp_path_factory.mktemp("attack")
    lines = [json.dumps(row) for row in ROWS]
    (folder / "docs").mkdir()
    (folder / "docs" / f"rows{ATTACK}.jsonl").write_text("\n".join([*lines, "{broken"]), "utf-8")
    (folder / "docs" / f"rows.x{ATTACK}").write_text("no reader", "utf-8")
    data = folder / f"set{ATTACK}"
    data.mkdir()
    corpus = [json.dumps({"_id": one_line(row["id"]), "text": row["text"]}) for row in ROWS]
    (data / "corpus.jsonl").write_text("\n".join(corpus), "utf-8")
    query = {
        **{"_id": one_line(ATTACK), "text": f"is leave paid {ATTACK}", "kind": f"[/x]{ATTACK}"},
        **{"satisfying": [one_line(ROWS[0]["id"])], "gold": ["twelve weeks"], "wrong": ["not"]},
    }
    for name in ("queries", "questions"):
        (data / f"{name}.jsonl").write_text(json.dumps(query), "utf-8")
    return folder


@pytest.fixture(scope="module")
def call(folder):
    """Run a command in the folder; its collection has a passage in quarantine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("LOGIC_RETRIEVERS_LOCATION", "index")

        def run(*arguments):
            return CliRunner().invoke(app, arguments, input="n\n", catch_exceptions=False)

        assert run("index", "docs", "--contradictions").exit_code == 3
        assert run("clean", "-c", "passages", "-r", "prefer_newest", "--no-judge").exit_code == 0
        yield run


COMMANDS = [
    (["index", "docs", "-c", f"new {ATTACK}"], 3),
    (["search", f"paid leave {ATTACK}", "--explain"], 0),
    (["search", f"paid leave {ATTACK}", "--json"], 0),
    (["search", "paid leave", "-f", f"city={ATTACK}", "--exclude", ATTACK, "--hard"], 0),
    (["search", "-e", f'"paid leave {ATTACK}" AND NOT "b {ATTACK}"', "--explain"], 0),
    (["search", "-e", f"a {ATTACK} AND ("], 2),
    (["search", "x", f"--{ATTACK}"], 2),
    (["contradictions", UNPAID + ATTACK], 0),
    (["clean", "docs", "-r", "prefer_newest"], 3),
    (["clean", "docs", "-r", "prefer_newest", "--json", "--report", f"{ATTACK}.html"], 3),
    (["quarantine", "list"], 0),
    (["quarantine", "show", ROWS[1]["id"]], 0),
    (["quarantine", "restore", ATTACK], 3),
    (["quarantine", "purge", "--all"], 1),
    (["parse", f"hotels without a pool {ATTACK}"], 0),
    (["parse", f"orchids of Laos or {ATTACK}", "--json"], 0),
    (["evaluate", f"set{ATTACK}"], 0),
    (["probe", "run", f"set{ATTACK}"], 0),
    (["probe", "template", f"template {ATTACK}"], 0),
    (["doctor", "-l", f"nowhere {ATTACK}", "--bundle", ATTACK], 1),
    ([ATTACK], 2),
]


@pytest.mark.parametrize(
    ("arguments", "code"), COMMANDS, ids=[" ".join(a).replace(ATTACK, "A") for a, _ in COMMANDS]
)
def test_no_control_character_is_printed(call, arguments, code):
    """A stored text must not set the clipboard, the title or the reading order."""
    result = call(*arguments)
    assert result.exit_code == code, result.output
    for printed in (result.stdout_bytes, result.stderr_bytes):
        text = printed.decode()
        assert not HIDDEN.search(text)
        assert "\r" not in text
    if "--json" in arguments:
        json.loads(result.stdout)


@pytest.mark.parametrize("arguments", [[ATTACK], [f"--{ATTACK}"], ["train", ATTACK, "--out", "x"]])
def test_the_other_program_prints_no_control_character(arguments):
    """The training and export program reads foreign files too."""
    result = CliRunner().invoke(export_app, arguments, catch_exceptions=False)
    assert result.exit_code in (1, 2)
    assert "error: " in result.stderr
    assert not HIDDEN.search(result.stderr)


def test_json_has_the_same_values(call):
    """An escaped id finds nothing when passed back."""
    hits = json.loads(call("search", "paid leave", "--json", "-k", "3").stdout)
    shown = {hit["id"]: hit for hit in hits}
    for row in (ROWS[0], ROWS[2]):
        assert shown[row["id"]]["text"] == row["text"]
    assert shown[ROWS[0]["id"]]["metadata"]["city"] == ATTACK
    (hidden,) = json.loads(call("quarantine", "list", "--json").stdout)
    assert hidden["id"] == ROWS[1]["id"]


def test_texts_are_printed_as_they_are(call):
    """Interpreted markup would style a text, drop a part or end the command."""
    printed = call("search", "canteen", "-k", "1").stdout
    assert f" {ROWS[2]['id']}\n   {ROWS[2]['text']}\n" in printed


def test_only_the_consoles_own_sequences_reach_a_terminal(call, folder):
    """Rich's colours and bars must pass; the same sequences in a text must not."""
    commands = [[*command, "-l", str(folder / "index")] for command in (
        ["index", str(folder / "docs"), "-c", "again"],
        ["search", f"paid leave {ATTACK}", "--explain"],
        ["clean", str(folder / "docs"), "-r", "prefer_newest"],
        ["quarantine", "show", ROWS[1]["id"]],
        ["search", "x", "-c", ATTACK],
        ["search", f"--{ATTACK}"],
    )]  # fmt: skip
    commands += [["parse", f"hotels except {ATTACK}"], ["evaluate", str(folder / f"set{ATTACK}")]]
    done = run_commands(*commands, ["--help"], FORCE_COLOR="1", TERM="xterm-256color")
    assert done.codes == [3, 0, 3, 0, 1, 2, 0, 0, 0]
    for printed in (done.stdout, done.stderr):
        assert SGR.search(printed)
        text = SGR.sub(b"", BAR.sub(b"", printed)).decode()
        assert not HIDDEN.search(text)
        assert "⟦U+001B⟧[31m" in text
    assert BAR.search(done.stderr)
    assert "⟦U+001B⟧[2K".encode() not in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_what_cannot_be_encoded_is_escaped(encoding):
    """One letter must not replace a result by a traceback; JSON stays JSON."""
    query = f"hôtels ⟦日本⟧ \U0001f600 except \udc9b\ud800 {ATTACK}"
    commands = (["parse", query], ["parse", query, "--json"], ["parse", f"--{query}"], ["--help"])
    done = run_commands(*commands, PYTHONIOENCODING=f"{encoding}:strict")
    assert done.codes == [0, 0, 2, 0]
    for printed in (done.stdout, done.stderr):
        text = printed.decode(encoding)
        assert not HIDDEN.search(text)
        assert "Traceback" not in text
    printed = done.stdout.decode(encoding)
    told, _ = json.JSONDecoder().raw_decode(printed, printed.index("{\n"))
    assert told["text"] == query


def test_what_prints_without_a_console_is_shown_too(monkeypatch, capsys):
    """Tracebacks and other packages' messages may hold stored texts."""

    def program():
        sys.stdout.write(ATTACK)
        traceback.print_exception(OSError(ATTACK))

    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, getattr(sys, name))  # parts that main() replaces
    monkeypatch.setattr("logic_retrievers.cli.app.app", program)
    main()
    for printed in capsys.readouterr():
        assert "⟦U+001B⟧" in printed
        assert not HIDDEN.search(printed)


@pytest.mark.slow
@pytest.mark.parametrize("width", ["1", "10"])
def test_narrow_terminals(folder, width):
    """A table or a bar without room must not end the command."""
    place = ["-l", str(folder / "index")]
    commands = (
        ["search", "paid leave", "--explain", *place],
        ["clean", str(folder / "docs"), "-r", "prefer_newest", *place],
        ["evaluate", str(folder / f"set{ATTACK}")],
        ["search", "--help"],
        ["search", "--nope"],
    )
    done = run_commands(*commands, COLUMNS=width, FORCE_COLOR="1")
    assert done.codes == [0, 3, 0, 0, 2]


def test_a_pipe_has_no_columns(folder):
    """Programs cannot search or read a text broken at 80 columns."""
    wanted, long = "a quiet inn by the harbour " * 8, "x" * 200
    (folder / "long.txt").write_text(f"{wanted}{long}", "utf-8")
    place = ["-l", str(folder / "wide")]
    done = run_commands(
        ["index", str(folder / "long.txt"), *place],
        ["search", wanted, "--explain", *place],
        ["parse", f"ein Haus {long} ohne {long}"],
        ["evaluate", str(folder / f"set{ATTACK}"), "-p", "topical", "-p", "union"],
        ["search", "x", "-c", long, *place],
        COLUMNS="80",
    )
    assert done.codes == [0, 0, 0, 0, 1]
    lines = [line for printed in (done.stdout, done.stderr) for line in printed.splitlines()]
    assert {f"   {console.shorten(wanted + long, 300)}".encode()} <= {*lines}
    assert sum(long.encode() in line for line in lines) >= 4
    assert any({b"topical", b"union"} <= {*line.split()} for line in lines)


def test_a_console_shows_what_any_renderable_holds(capsys):
    """A directly printed Text or table passes no string through our code."""
    table = Table(ATTACK, title=ATTACK, caption=ATTACK)
    table.add_row(ATTACK)
    table.add_row(Text(ATTACK))
    for renderable in (ATTACK, Text(ATTACK), table):
        console.out.print(renderable)
    printed = capsys.readouterr().out
    assert not HIDDEN.search(printed)
    assert printed.count("⟦U+009B⟧") >= 3
    console.out.print_line("id\x07 \x08", ("a\rb", "bold"))  # some of which Rich leaves out
    assert capsys.readouterr().out == "id⟦U+0007⟧ ⟦U+0008⟧a\nb\n"
