"""The command line as users see it: output, files, exit codes."""

from __future__ import annotations

import json

import pytest

from logic_retrievers import Atom, ConstraintParser, Expression, ParsedQuery

ROWS = [
    {"_id": "inn", "title": "Quiet Inn", "text": "A calm inn by the harbour.", "city": "Bergen"},
    {"_id": "bar", "text": "A loud bar with live music by the harbour.", "city": "Oslo"},
    {"_id": "copper", "text": "Prices of copper rose again this week.", "city": "Oslo"},
]


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "docs.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)) + "\n", encoding="utf-8")
    return path


def test_index_then_search(call, corpus):
    assert "3 added, 0 updated, 0 unchanged, 0 removed" in call("index", corpus).stdout
    assert "0 added, 0 updated, 3 unchanged" in call("index", corpus).stdout
    hits = json.loads(call("search", "somewhere calm to sleep", "-k", 2, "--json").stdout)
    assert hits[0]["id"] == "inn"
    assert hits[0]["evidence"]["scores"]["topical"] == hits[0]["score"]
    assert hits[0]["metadata"]["city"] == "Bergen"
    oslo = json.loads(call("search", "harbour", "-f", "city=Oslo", "--json").stdout)
    assert {hit["id"] for hit in oslo} == {"bar", "copper"}
    quoted = call("search", "harbour at night", "-k", 1).stdout
    assert call("search", "harbour", "at", "night", "-k", 1).stdout == quoted
    explained = call("search", "harbour", "--explain").stdout
    assert "topical cosine" in explained
    assert "(rank 1)" in explained
    assert "words of the query: harbour" in explained
    query = ("search", "calm harbours with music", "--explain", "-p", "hybrid", "-f", "city=Oslo")
    explained = call(*query).stdout
    assert "words of the query: harbours, music\n" in explained
    assert "words of the query: none\n" in explained
    assert "words of the query" in call("search", "-e", "harbour", "--explain").stdout
    call("index", corpus, "-l", "wordless", "--no-lexical")
    wordless = ("-l", "wordless", "--exclude", "lexical analysis")
    assert "words of the query" not in call("search", "harbour", "--explain", *wordless).stdout


def test_bad_rows_are_named_and_the_good_ones_kept(call, corpus):
    """Rows lost to an error must not count as stale either."""
    call("index", corpus)
    lines = [json.dumps(ROWS[0]), "{broken", json.dumps(ROWS[2])]
    corpus.write_text("\n".join(lines) + "\n", encoding="utf-8")
    result = call("index", corpus, code=3)
    assert "2 unchanged, 0 removed" in result.stdout
    assert "docs.jsonl:2" in result.stderr
    assert len(json.loads(call("search", "harbour", "--json").stdout)) == 3


def test_long_texts_are_split_with_their_offsets(call, tmp_path):
    text = " ".join(f"Sentence number {n} speaks of boats." for n in range(200))
    path = tmp_path / "long.txt"
    path.write_text(text, encoding="utf-8")
    call("index", path)
    hits = json.loads(call("search", "boats", "-k", 50, "--json").stdout)
    assert len(hits) > 3
    assert {hit["source"] for hit in hits} == {"long.txt"}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("search", "x"), 1, "no collection 'passages'"),
        (("search", "  "), 2, "query is empty"),
        (("search", "x", "--policy", "onion"), 2, "unknown policy 'onion'"),
        (("search", "x", "-k", "0"), 2, "at least 1"),
        (("search", "x", "-l", "http://127.0.0.1:9"), 4, "No answer from Qdrant"),
        (("search", "x", "--bundle", "nowhere"), 5, "nowhere"),
        (("index", "nowhere"), 1, "nowhere"),
        (("parse",), 2, "query"),
    ],
)
def test_what_cannot_work_says_why_and_sets_the_exit_code(
    call, corpus, arguments, code, message, request
):
    """Scripts that call us must be able to tell the cases apart."""
    if arguments[0] == "search" and message != "no collection 'passages'":
        call("index", corpus)
    result = call(*arguments, code=code)
    assert message in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr


def test_parse(call):
    shown = call("parse", "hotels near the sea, except hostels").stdout
    assert [line.split(maxsplit=1) for line in shown.splitlines()[1:]] == [
        ["wanted", "hotels near the sea"], ["excluded", "hostels"], ["constraint", "1.00"],
    ]  # fmt: skip
    assert "Sellerie (ohne)" in call("parse", "eine Suppe ohne Sellerie").stdout
    assert "nothing is excluded" in call("parse", "quiet hotels").stdout
    assert "the wanted fact is negative" in call("parse", "which metals do not rust").stdout
    first, second = (
        json.loads(call("parse", query, "--json").stdout)
        for query in ("hotels except hostels", "metals that do not rust")
    )
    assert (first["text"], first["kind"], first["wanted"], first["excluded"], first["rule"]) == (
        "hotels except hostels", "exclusion", "hotels", ["hostels"], "model",
    )  # fmt: skip
    assert (second["kind"], second["excluded"]) == ("negated_fact", [])
    assert min(first["constraint"], second["constraint"]) > 0.5


def test_parse_of_a_query_that_may_have_a_constraint(call, monkeypatch):
    """Its list differs from plain search's, which "nothing is excluded" does not explain."""
    unsure = ParsedQuery("quiet hotels", constraint=0.32)
    monkeypatch.setattr(ConstraintParser, "parse", lambda *_: unsure)
    shown = call("parse", "quiet hotels").stdout
    assert "nothing is excluded" not in shown
    assert "constraint 0.32" in shown


def test_parse_of_an_expression(call):
    shown = call("parse", "orchids of Laos or orchids of Burma").stdout
    assert '"orchids of Laos" OR "orchids of Burma" (or)' in shown
    assert "confidence 0.95" in shown
    told = json.loads(call("parse", "orchids of Laos or orchids of Burma", "--json").stdout)
    assert (told["kind"], told["confidence"]) == ("expression", 0.95)
    wanted = Atom("orchids of Laos") | Atom("orchids of Burma")
    assert Expression.from_dict(told["expression"]) == wanted


def test_the_base_of_auto(call, corpus):
    """A plain `index` stores words, and both ways of asking find them."""
    call("index", corpus)
    hybrid = json.loads(call("search", "harbour", "-p", "hybrid", "--json").stdout)
    assert json.loads(call("search", "harbour", "--base", "hybrid", "--json").stdout) == hybrid
    assert {hit["evidence"]["policy"] for hit in hybrid} == {"hybrid"}
    assert "--policy auto" in call("search", "x", "-p", "union", "--base", "hybrid", code=2).stderr


def test_doctor(call, corpus):
    asked = ("doctor", "--json", "-l", ".logic-retrievers")
    checks = json.loads(call(*asked, code=1).stdout)  # no index exists yet
    assert {f["name"] for f in checks if not f["ok"]} == {"index"}
    call("index", corpus)
    checks = json.loads(call(*asked).stdout)
    by_name = {f["name"]: f["detail"] for f in checks}
    assert "parity vectors agree" in by_name["encoder bundle"]
    assert "3 passages" in by_name["index"]


def test_evaluate_prints_figures_and_writes_those_of_each_query(call, tmp_path):
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    query = {
        "_id": "q", "text": "somewhere calm to sleep", "satisfying": ["inn"], "violating": ["bar"],
    }  # fmt: skip
    (folder / "queries.jsonl").write_text(json.dumps(query), encoding="utf-8")
    per_query, cache = tmp_path / "figures.csv", tmp_path / "cache"
    shown = call("evaluate", folder, "--policy", "auto", "--json", "--cache", cache)
    figures = json.loads(shown.stdout)
    assert figures["policy"] == "auto"
    assert (figures["queries"], figures["documents"]) == (1, 3)
    assert figures["metrics"]["R@1"] == 1.0
    assert figures["metrics"]["V@1"] == 0.0
    assert figures["metrics"]["FVR"] == 2.0
    shown = call("evaluate", folder, "--base", "hybrid", "--json", "--cache", cache)
    assert json.loads(shown.stdout)["policy"] == "auto, base hybrid"
    shown = call("evaluate", folder, "--per-query", per_query, "--cache", cache).stdout
    header, row = per_query.read_text(encoding="utf-8").splitlines()
    values = dict(zip(header.split(","), row.split(","), strict=True))
    assert (values["query"], values["R@1"], values["FVR"]) == ("q", "1.0", "2.0")
    rows = [line.replace("│", " ").split() for line in shown.splitlines()]
    (line,) = [row for row in rows if row[:1] == ["R@1"]]
    assert line[1:3] == ["1", "1.0000"]
    assert "FVR: rank of the first violating passage" in shown
    two = ("-p", "topical", "-p", "auto")
    both = json.loads(call("evaluate", folder, *two, "--json", "--cache", cache).stdout)
    assert both["results"]["auto"] == figures
    assert both["differences"].keys() == {"auto less topical"}
    table = call("evaluate", folder, *two, "--cache", cache).stdout
    assert "topical, auto: 1 queries" in table
    assert "one run" in call("evaluate", folder, *two, "--per-query", per_query, code=2).stderr
