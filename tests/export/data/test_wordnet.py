"""WordNet's files: words, synonyms, and which word opposes which."""

from __future__ import annotations

from pathlib import Path

import pytest
from logic_export.data.wordnet import USUAL_FOLDER, WordNet, load_wordnet

from logic_retrievers.errors import ConfigurationError, ReadError

ADJECTIVES = """\
  1 This software and database is being provided to you, the LICENSEE, by  
  2 Princeton University under the following license.  
00000100 00 a 02 hot(p) 0 very_warm 1 002 = 00000900 n 0000 ! 00000200 a 0101 | of heat; "a | b"  
00000200 00 a 02 cold 0 chilly(a) 0 003 ! 00000100 a 0101 & 00000300 a 0000 + 00000900 n 0101 | -  
00000300 00 s 01 Arctic(ip) 0 001 & 00000200 a 0000 | like the "! 00000100 a 0101" pole  
00000400 00 a 01 hot 1 000 | stolen  
00000500 00 a 0b b1 0 b2 0 b3 0 b4 0 b5 0 b6 0 b7 0 b8 0 b9 0 ba 0 bb 0 001 ! 00000600 a 0b01 | -  
00000600 00 a 01 c1 0 002 ! 00000500 a 010b ! 00000100 a 0000 | a pointer of a synset  
"""  # noqa: W291  (as in the real files)
VERBS = """\
00000100 30 v 02 rise 1 go_up 0 001 ! 00000200 v 0201 02 + 02 00 + 08 00 | move upward
00000200 30 v 02 go_down 0 fall 0 001 ! 00000100 v 0102 01 + 02 00 | move downward
"""
NOUNS = "00000900 03 n 01 coldness 0 001 + 00000200 a 0101 | lack of heat\n"
ADVERBS = "00000100 02 r 01 hot 0 000 | hotly\n"


def antonym_pointers(wordnet: WordNet) -> list[tuple[str, str]]:
    """Lemma and opposed lemma of every pointer; a pair stands once for each direction."""
    return [
        (lemma, antonym)
        for (lemma, _), senses in wordnet.senses.items()
        for sense in senses
        for antonym in sense.antonyms
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {"adj": ADJECTIVES, "verb": VERBS, "noun": NOUNS, "adv": ADVERBS}.items():
        (tmp_path / f"data.{name}").write_text(text, encoding="utf-8")
    return tmp_path


def test_words_synonyms_and_antonyms(folder: Path) -> None:
    """A marker left on a word, or an antonym given to the whole synset, is false training data."""
    wordnet = load_wordnet(folder)
    assert wordnet.synonyms("hot", "adjective") == ("very warm",)
    assert wordnet.antonyms("hot", "adjective") == ("cold",)
    assert wordnet.antonyms("very warm", "adjective") == ()
    assert wordnet.synonyms("cold", "adjective") == ("chilly",)
    assert wordnet.antonyms("chilly", "adjective") == ()
    assert wordnet.parts("hot") == ("adjective", "adverb")
    assert wordnet.antonyms("hot", "adverb") == ()
    assert wordnet.parts("Arctic") == ("adjective",)
    assert wordnet.antonyms("Arctic", "adjective") == ()
    assert wordnet.parts("cool") == wordnet.synonyms("cool", "noun") == ()
    assert [sense.antonyms for sense in wordnet.senses["hot", "adjective"]] == [
        ("cold",),
        (),
    ]


def test_word_numbers_are_hexadecimal_and_point_from_word_to_word(folder: Path) -> None:
    """Word 0b read as a decimal, or source and target changed over, opposes the wrong words."""
    wordnet = load_wordnet(folder)
    assert wordnet.antonyms("go up", "verb") == ("go down",)
    assert wordnet.antonyms("go down", "verb") == ("go up",)
    assert wordnet.antonyms("rise", "verb") == wordnet.antonyms("fall", "verb") == ()
    assert wordnet.antonyms("bb", "adjective") == ("c1",)
    assert wordnet.antonyms("c1", "adjective") == ("bb",)
    assert wordnet.antonyms("b1", "adjective") == ()
    assert sorted(antonym_pointers(wordnet)) == [
        ("bb", "c1"), ("c1", "bb"), ("cold", "hot"),
        ("go down", "go up"), ("go up", "go down"), ("hot", "cold"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("00000700 00 a 02 short 0", "data.adj:9"),
        ("00000700 00 x 01 part 0 000 | -", "data.adj:9"),
        ("00000700 00 a 01 word 0 001 ! 00000100 a 0501 | -", "version"),
        ("00000700 00 a 01 word 0 001 ! 00000777 a 0101 | -", "version"),
    ],
)
def test_a_line_that_is_not_in_the_format_is_named(folder: Path, line: str, said: str) -> None:
    """A damaged file read in part gives fewer antonyms, and no one knows."""
    (folder / "data.adj").write_text(f"{ADJECTIVES}{line}\n", encoding="utf-8")
    with pytest.raises(ReadError, match=said):
        load_wordnet(folder)


def test_variables_decide_where_to_look(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A variable with a typing error must not end in another version of WordNet."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "dict").symlink_to(folder)
    monkeypatch.delenv("WNSEARCHDIR", raising=False)
    monkeypatch.setenv("WNHOME", str(home))
    assert load_wordnet().parts("very warm")
    monkeypatch.setenv("WNSEARCHDIR", str(tmp_path / "nowhere"))
    with pytest.raises(ConfigurationError, match="WNSEARCHDIR"):
        load_wordnet()
    monkeypatch.setenv("WNSEARCHDIR", str(folder))
    monkeypatch.setenv("WNHOME", str(tmp_path / "nowhere"))
    assert load_wordnet().parts("very warm")


@pytest.mark.slow
@pytest.mark.skipif(
    not (USUAL_FOLDER / "data.noun").is_file(), reason="the Debian package wordnet-base"
)
def test_all_of_wordnet_3_0() -> None:
    """A rule that drops one kind of line shows only in the totals."""
    pointers = antonym_pointers(load_wordnet(USUAL_FOLDER))
    assert len(pointers) == 7979
    assert len({frozenset(pair) for pair in pointers}) == 3556
