"""Values for arguments by their kind: right ones, and wrong ones that are nearly right."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import logic_retrievers as lr

from .values import POLICIES
from .workplace import VECTORS, inns

SECRET = "s3cret-k3y"


def no_progress(_: object) -> None:
    """A callback that works."""


PLAUSIBLE: Mapping[str, tuple[Any, ...]] = {
    "count": (1, 2, 5, 100, 10**6, 2**31, 2**63 - 1, 2**63, 0, -1, True, 2.0, 2.5, "3", None),
    "number": (
        0,
        0.5,
        1,
        0.9,
        -1,
        2,
        1e308,
        -1e308,
        math.nan,
        math.inf,
        "0.5",
        True,
        None,
        10**400,
    ),
    "text": ("date", "city.x", "source", "", " ", "a\0b", "\ud800", 5, None, b"date", ["date"]),
    "texts": (
        (),
        ["a"],
        ("a", "b"),
        ["a", 1],
        "ab",
        {"a"},
        None,
        [""],
        ["\ud800"],
        [["a"]],
        [None],
    ),
    "flag": (True, False, None, 0, 1, "yes", "", [], 2.5),
    "mode": ("topical", "hybrid", "hoyer", "annotate", "drop", "", None, 1, [], ()),
    "resolution": (
        *("annotate", "prefer_newest", "prefer_source", "prefer_majority", "quarantine_all", ""),
        *(
            ["annotate", "prefer_newest"],
            [],
            None,
            lambda a, b: a,
            lambda a: a,
            lambda a, b: "x",
            5,
        ),
        *("drop_both", ["nothing"], [[]], int),
    ),
    "judge": (None, "auto", "x", 5, lambda pairs: [(0.1, 0.2, 0.7)] * len(pairs), lambda pairs: []),
    "passages": (
        (),
        None,
        inns(2),
        inns(1) * 2,
        ["x"],
        "x",
        5,
        [None],
        {"a": 1},
        lr.Passage("", ""),
    ),
    "filter": (None, {}, {"city": "Oslo"}, lambda p: True, lambda p: None, 5, {"": 1}, "x"),
    "settings": (None, lr.ContradictionSettings(threshold=0.5), lr.ExclusionSettings(), {}, 5, "x"),
    "vectors": (None, VECTORS, ["topical"], [], "topical", ["x"], [1], ("topical", "topical"), 5),
    "lexical": (None, True, False, "german", "english", "klingon", "", 5, [], "\ud800", 1, 0),
    "names": (
        None,
        {},
        {"topical": "topical"},
        {"topical": "x"},
        {"x": "topical"},
        [],
        "x",
        {1: 2},
    ),
    "keys": (SECRET, f"{SECRET}\n", f"{SECRET}é", f"{SECRET}\0", " ", "", "\n", 5, None, b"key"),
    "place": (
        *(None, ":memory:", "folder", "a/b/c", "../..", "", " ", ".", "x" * 300, "x/" * 2000, "\0"),
        *(
            "\ud800",
            "é",
            "\x1b[2J",
            "localhost:6333",
            "http://127.0.0.1:1",
            "https://127.0.0.1:1/x",
        ),
        *("http://", "http://[", "http://127.0.0.1:99999", "http://a b:1", "HTTP://127.0.0.1:1", 5),
        *("http://user:s3cret-k3y@127.0.0.1:1", "file:///x", "/dev/null", "/dev/null/x", b"folder"),
        *("http://127.0.0.1:1/\n", "http://\ud800:1", "http://127.0.0.1:-1", Path("folder"), ["x"]),
    ),
    "threads": (None, 1, 2, 0, -1, True, 1.0, "2", 10**400, math.nan, math.inf, []),
    "any": (),
}
"""Kind of a setting -> values."""

IDS = (
    ["inn-0"],
    ("inn-1", "inn-1"),
    [],
    "inn-0",
    ["x"],
    [""],
    [None],
    None,
    [5],
    {"inn-0"},
    ["\0"],
)
QUERIES = (
    *(
        "quiet inns without a pool",
        "",
        " ",
        None,
        5,
        b"inn",
        ["inn"],
        lr.Atom("inn"),
        ~lr.Atom("a"),
    ),
    *(
        lr.ParsedQuery("inn"),
        lr.ParsedQuery("inn", "exclusion"),
        lr.Atom("a") & ~lr.Atom("b"),
        "\ud800",
    ),
)
EXCLUDE = (
    (),
    ["pool"],
    "pool",
    [""],
    [None],
    ["a"] * 40,
    ["\ud800"],
    None,
    {"pool"},
    [["pool"]],
    5,
)
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "ids": IDS,
    "query": QUERIES,
    "queries": (["a", "b c"], "ab", [], [None], None, [""], {"a"}, 5, [lr.Atom("a"), "b"]),
    "statement": ("the inn is quiet", "", None, 5, ["x"], b"x", "\ud800"),
    "passage_id": ("inn-0", "", "x", None, 5, ["inn-0"], "\0", "\ud800"),
    "policy": (*POLICIES, "judge", "x", "", None, lr.AutoPolicy(), lr.TopicalPolicy, object()),
    "exclude": EXCLUDE,
    "min_score": (None, 0.5, -1, True, "0.5", 10**400),
    "k": PLAUSIBLE["count"],
    "flag": PLAUSIBLE["flag"],
    "count": PLAUSIBLE["count"],
    "filter": PLAUSIBLE["filter"],
    "passages": (inns(3), [], None, "x", 5, inns(2) * 2, [None], inns(1)[0], {"a": inns(1)[0]}),
    "names": (None, [], ["compatibility"], ["x"], "topical", 5, [None], ["lexical"]),
    "text": (None, "guide-0", "", "x", 5, ["guide-0"], "\ud800", "\0"),
    "name": ("copy", "", None, 5, "\0", "a/b", "../x", "\ud800", "x" * 300),
    "pairs": (
        [("a", "b")],
        [("a",)],
        [("a", "")],
        "ab",
        ["ab"],
        None,
        [(1, 2)],
        [("a", "b", "c")],
        [],
        5,
    ),
    "progress": (None, no_progress, 5, "x"),
    "source": (None, Path("missing.query.onnx"), "", "\0", 5, b"x", "."),
    "head": (None, "topical", "x", 5, ""),
    "containers": ((), ["guide-0"], "guide-0", None, 5),
    "any": (),
}
"""Kind of a method's argument -> values."""
