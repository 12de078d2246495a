"""Groups of two sides, and files of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from logic_export.data.contradictions.groups import (
    ContradictionGroup,
    read_groups,
    unique_groups,
    write_groups,
)

from logic_retrievers.errors import ReadError

texts = st.text(min_size=1).filter(lambda text: bool(text.strip()) and text.isprintable())
groups = st.lists(texts, min_size=2, max_size=6, unique=True).flatmap(
    lambda said: st.builds(
        lambda cut, source: ContradictionGroup(tuple(said[:cut]), tuple(said[cut:]), source),
        st.integers(1, len(said) - 1),
        st.text(max_size=5),
    )
)


@given(st.lists(groups, max_size=6), st.booleans())
def test_a_file_gives_back_the_groups_that_went_in(tmp_path_factory, made, packed):
    """Lines that end at U+2028, or a run whose data have another hash at every start."""
    path = tmp_path_factory.mktemp("sides") / "new" / ("own.jsonl.gz" if packed else "own.jsonl")
    write_groups(path, made)
    first = path.read_bytes()
    assert (first[:2] == b"\x1f\x8b") is packed
    assert read_groups(path) == made
    write_groups(path, made)
    assert path.read_bytes() == first
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_file_that_could_not_be_written_is_not_there(tmp_path: Path):
    """Half a file reads as a smaller training set."""
    with pytest.raises(UnicodeEncodeError):
        write_groups(
            tmp_path / "own.jsonl",
            [ContradictionGroup(("a",), ("b",)), ContradictionGroup(("\ud800",), ("b",))],
        )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('{"left": "ab", "right": ["c"]}', "left"),
        ('{"left": ["a"], "right": []}', "need texts"),
        ('{"left": ["a"], "right": ["b", "a"]}', "both sides"),
        ('{"left": ["a", "a"], "right": ["b"]}', "twice"),
    ],
)
def test_a_malformed_group_is_named_with_its_line(tmp_path: Path, line: str, fault: str):
    path = tmp_path / "own.jsonl"
    path.write_text('{"left": ["a"], "right": ["b"]}\n\n' + line + "\n")  # no source
    with pytest.raises(ReadError, match=fault) as caught:
        read_groups(path)
    assert (caught.value.file, caught.value.line) == (str(path), 3)


def test_mirrored_and_reordered_groups_are_repeats():
    """What comes twice counts twice, and meets itself as its own negative."""
    first = ContradictionGroup(("a", "b"), ("c",), "one")
    again = [ContradictionGroup(("b", "a"), ("c",), "two"), ContradictionGroup(("c",), ("a", "b"))]
    other = ContradictionGroup(("a",), ("c",))
    turned = ContradictionGroup(("a",), ("b", "c"))  # the same texts, but b contradicts a here
    assert unique_groups([first, *again, other, turned, other]) == [first, other, turned]
