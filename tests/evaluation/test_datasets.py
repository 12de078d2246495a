"""Reading a data set from a folder: labels, merged copies, and errors."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from jsonl_files import write_rows

from logic_retrievers.errors import LogicRetrieversError, ReadError
from logic_retrievers.evaluation import data_folder, load_dataset
from logic_retrievers.evaluation.datasets import read_corpus

DOCUMENTS = [
    {"_id": "a", "title": "Cats", "text": "sleep"},
    {"_id": "b", "title": "", "text": "Cats sleep"},
    {"_id": "c", "title": None, "text": "dogs"},
    {"_id": 4, "text": "birds"},
    {"_id": "void", "title": " ", "text": "\n"},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A constraint set in one part, with a compressed corpus."""
    root = tmp_path / "pets"
    write_rows(root / "corpus.jsonl.gz", DOCUMENTS)
    write_rows(
        root / "queries.jsonl",
        [
            {"_id": "q1", "text": "no dogs", "satisfying": ["b"], "violating": ["c"], "pair_id": 7},
            {"_id": "q2", "text": "cats", "satisfying": ["a", "b"], "neutral": [4, "void"]},
            {"_id": "q3", "text": "no labels", "satisfying": [], "violating": []},
        ],
    )
    return root


def test_labels_follow_merged_copies(folder: Path) -> None:
    """A label on a merged copy would make its query unanswerable."""
    dataset = load_dataset(folder)
    assert dataset.name == "pets"
    assert dict(dataset.documents) == {"a": "Cats sleep", "c": "dogs", "4": "birds"}
    ids = read_corpus(folder / "corpus.jsonl.gz").ids
    assert ids == {"a": "a", "b": "a", "c": "c", "4": "4", "void": None}
    one, two = dataset.queries
    assert (one.id, one.text, one.pair) == ("q1", "no dogs", "7")
    assert one.satisfying == {"a"}
    assert one.violating == {"c"}
    assert dict(one.extra) == {"pair_id": 7}
    assert dict(two.grades) == {"a": 1}
    assert two.neutral == {"4"}


@pytest.mark.parametrize("header", ["query-id\tcorpus-id\tscore\n", ""])
@pytest.mark.parametrize("place", ["qrels.tsv", "qrels/test.tsv"])
def test_qrels_with_and_without_header(tmp_path: Path, header: str, place: str) -> None:
    """Taking a header for a judgement, or the reverse, loses a query."""
    write_rows(
        tmp_path / "corpus.jsonl", [{"_id": "Ann Lee", "text": "x"}, {"_id": "y", "text": "y"}]
    )
    write_rows(
        tmp_path / "queries.jsonl", [{"_id": str(i), "text": f"question {i}"} for i in range(3)]
    )
    (tmp_path / "qrels").mkdir()
    (tmp_path / place).write_text(f"{header}0\tAnn Lee\t2\n0\ty\t0\n1\ty\t1\r\n2\ty\t0\n")
    queries = load_dataset(tmp_path).queries
    assert [(q.id, dict(q.grades)) for q in queries] == [("0", {"Ann Lee": 2}), ("1", {"y": 1})]


def test_parts_and_default_folder(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Silently reading a different split would mix training with test metrics."""
    write_rows(tmp_path / "set/dev/corpus.jsonl", [{"_id": "1", "text": "x"}])
    write_rows(tmp_path / "set/dev/queries.jsonl", [{"_id": "q", "text": "x", "violating": ["1"]}])
    monkeypatch.setenv("LOGIC_RETRIEVERS_DATA", str(tmp_path))
    assert data_folder() == tmp_path
    assert load_dataset("set", split="dev").name == "set/dev"
    assert load_dataset("set/dev").name == "set/dev"
    assert load_dataset("pets").name == "pets"
    with pytest.raises(ReadError, match=r"no part 'test'.*its parts are dev"):
        load_dataset("set")
    monkeypatch.setenv("LOGIC_RETRIEVERS_DATA", str(tmp_path / "gone"))
    with pytest.raises(ReadError, match=r"looked in .*gone.*LOGIC_RETRIEVERS_DATA"):
        data_folder()


def test_a_folder_that_is_none_is_named_with_the_files_that_it_needs(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong path was reported as missing benchmark data, which users do not know."""
    monkeypatch.delenv("LOGIC_RETRIEVERS_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ReadError, match=r"no such folder; looked in .*nothing.*corpus\.jsonl"):
        load_dataset("nothing")
    (tmp_path / "empty").mkdir()
    missing = r"empty: no corpus\.jsonl\[\.gz\] and no queries\.jsonl\[\.gz\] in this folder"
    with pytest.raises(ReadError, match=missing):
        load_dataset("empty")
    for name in ("corpus.jsonl.gz", "queries.jsonl"):
        (folder / name).rename(folder / "away")
        with pytest.raises(ReadError, match=rf"pets: no {name.split('.')[0]}\.jsonl\[\.gz\] in"):
            load_dataset(folder)
        (folder / "away").rename(folder / name)
    for name in ("x" * 300, "x/" * 3000, "a\0b"):  # invalid folder names
        with pytest.raises(LogicRetrieversError):
            load_dataset(name)


def test_missing_split_of_qrels_names_those_there(folder: Path) -> None:
    """Falling back to a different split would report dev metrics as test metrics."""
    (folder / "qrels").mkdir()
    (folder / "qrels" / "dev.tsv").write_text("q1\tb\t1\n")
    with pytest.raises(ReadError, match="split 'test'; there are: dev"):
        load_dataset(folder)
    assert load_dataset(folder, "dev").name == "pets/dev"


def test_a_query_that_is_a_document_is_excluded_from_its_own_results(tmp_path: Path) -> None:
    """A counter-argument query finds itself first; equal numbers alone exclude nothing."""
    write_rows(
        tmp_path / "corpus.jsonl",
        [
            {"_id": "1", "title": "", "text": "hunting is cruel "},
            {"_id": "2", "title": "On hunting", "text": "hunting is fair"},
            {"_id": "3", "text": "another text"},
            {"_id": "4", "text": "its own answer"},
        ],
    )
    texts = ["hunting is cruel", "hunting is fair", "a question", "its own answer"]
    write_rows(
        tmp_path / "queries.jsonl",
        [{"_id": str(i), "text": t, "satisfying": ["4"]} for i, t in enumerate(texts, start=1)],
    )
    exclude = [query.exclude for query in load_dataset(tmp_path).queries]
    assert exclude == [{"1"}, {"2"}, set(), set()]


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("corpus.jsonl", '{"_id": "a", "text": "x"}\n{oops\n', r"corpus\.jsonl:2: not valid JSON"),
        ("corpus.jsonl", "\n[1]\n", r"corpus\.jsonl:2: "),
        ("corpus.jsonl", '{"_id": "a", "text": 3}', r":1: 'text' must be a string"),
        ("corpus.jsonl", '{"_id": "a", "text": "\\ud800"}', "half of a surrogate"),
        ("corpus.jsonl", '{"text": "x"}', "'_id' needs ids"),
        ("corpus.jsonl", '{"_id": "a", "text": ""}', "no document with text"),
        ("corpus.jsonl", '{"_id":"a","text":"x"}\n{"_id":"a","text":"y"}', r":2: .*used before"),
        ("queries.jsonl", '{"_id": "q", "text": " "}', "text is empty"),
        ("queries.jsonl", '{"_id": "q", "text": "t"}', "no labelled query"),
        ("queries.jsonl", '{"_id":"q","text":"t","violating":["z"]}', "no document 'z'"),
        (
            "queries.jsonl",
            '{"_id":"q","text":"t","kind":"A","satisfying":["a"],"violates":["a2"]}',
            r"queries\.jsonl:1: 'violates' looks like a misspelt 'violating'",
        ),
        (
            "queries.jsonl",
            '{"_id":"q","text":"t","satisfying":["a"],"violating":["a2"]}',
            r"queries\.jsonl:1: .*two different labels",
        ),
        ("qrels.tsv", "q\ta\t1\nq\ta\n", r"qrels\.tsv:2: .*found 2 column"),
        ("qrels.tsv", "q\ta\t1\nq\ta\tmuch\n", r"qrels\.tsv:2: .*'much' is not an integer"),
        ("qrels.tsv", "q\tz\t1\n", r"qrels\.tsv:1: .*no document 'z'"),
        ("qrels.tsv", "other\ta\t1\n", "judges the query 'other'"),
    ],
)
def test_bad_content_names_file_and_line(
    tmp_path: Path, file: str, text: str, message: str
) -> None:
    """Silently dropping a label or row changes the metrics."""
    files = {
        "corpus.jsonl": '{"_id": "a", "text": "x"}\n{"_id": "a2", "text": "x"}\n',
        "queries.jsonl": '{"_id": "q", "text": "t", "satisfying": ["a"]}\n',
    }
    for name, content in {**files, file: text}.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(ReadError, match=message):
        load_dataset(tmp_path)


@pytest.mark.parametrize(
    "damage", [b"\x1f\x8b broken", gzip.compress(b"x" * 99, mtime=0)[:-9], b"caf\xe9"]
)
def test_damaged_files_are_read_errors(folder: Path, damage: bytes) -> None:
    """A truncated archive must not count as a small corpus."""
    (folder / "corpus.jsonl.gz").write_bytes(
        damage if damage[:1] == b"\x1f" else gzip.compress(damage)
    )
    with pytest.raises(ReadError, match=r"corpus\.jsonl\.gz"):
        load_dataset(folder)


def test_line_separators_inside_a_text_end_no_line(tmp_path: Path) -> None:
    """U+2028 ends a line for str.splitlines, not for JSON Lines."""
    (tmp_path / "corpus.jsonl").write_text('\ufeff{"_id": "a", "text": "x\u2028y"}\n', "utf-8")
    write_rows(tmp_path / "queries.jsonl", [{"_id": "q", "text": "t", "satisfying": ["a"]}])
    assert load_dataset(tmp_path).documents == {"a": "x\u2028y"}
