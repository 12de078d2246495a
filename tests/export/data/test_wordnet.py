"""WordNet's files, antonyms in sentences, and CoDeR's triplets of words and phrases."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from logic_export.data.antonyms import find_antonyms, swap_antonyms
from logic_export.data.sentences import sentence_window, split_sentences, to_claim
from logic_export.data.triplets import Triplet
from logic_export.data.wordnet import (
    USUAL_FOLDER,
    PartOfSpeech,
    Sense,
    WordNet,
    load_wordnet,
)
from logic_export.data.wordnet_triplets import EXCLUSION_OPENINGS, phrase_triplets, word_triplets

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
    """List lemma and antonym of every pointer; each pair occurs once per direction."""
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
    """A marker left on a word, or an antonym for a whole synset, would falsify training data."""
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
    """Reading word 0b as decimal, or swapping source and target, would oppose wrong words."""
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
    """A damaged file must not be read in part, which would silently lose antonyms."""
    (folder / "data.adj").write_text(f"{ADJECTIVES}{line}\n", encoding="utf-8")
    with pytest.raises(ReadError, match=said):
        load_wordnet(folder)


def test_variables_decide_where_to_look(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A typo in a variable must not load a different version of WordNet."""
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


# --- sentences and their antonyms


def wordnet_of(*pairs: tuple[str, str, PartOfSpeech]) -> WordNet:
    """Make a WordNet that holds only antonyms."""
    senses: dict[tuple[str, PartOfSpeech], tuple[Sense, ...]] = {}
    for one, other, part in pairs:
        for word, antonym in ((one, other), (other, one)):
            senses[word, part] = (*senses.get((word, part), ()), Sense((), (antonym,)))
    return WordNet(senses)


def test_sentences() -> None:
    """An abbreviation must not end a sentence, or only half would be negated."""
    text = "Dr. Grey met E. Blue. He saw (see Fig. 3) it! Was it so?  Yes, e.g. Here. And 1.5 more."
    assert split_sentences(text) == [
        "Dr. Grey met E. Blue.", "He saw (see Fig. 3) it!", "Was it so?",
        "Yes, e.g. Here.", "And 1.5 more.",
    ]  # fmt: skip
    assert split_sentences("  ") == []
    text = "One is first. Two follows. Three is here. Four ends."
    assert sentence_window(text, {0}) == "One is first. Two follows."
    assert sentence_window(f"{text} Five.", [4, 0]) == "One is first. Two follows. Four ends. Five."


def test_claims_stand_alone() -> None:
    """A query with a claim like "it ..." or "However ..." would ask for nothing."""
    assert to_claim("BRCA1 is safe in all mice.") == "BRCA1 is safe in all mice"
    assert to_claim("CONCLUSIONS: Pain was not felt there.") == "Pain was not felt there"
    assert to_claim("However, we found that the drug was not safe.") == "the drug was not safe"
    for text in ("It is safe in all mice.", "The drug works.", "word " * 31, "They were all safe."):
        assert to_claim(text) is None


def test_words_are_swapped_where_there_is_one_antonym() -> None:
    """Swapping a word with two antonyms, or only a noun, could pick the wrong meaning."""
    wordnet = wordnet_of(
        ("light", "dark", "adjective"), ("light", "heavy", "adjective"),
        ("analysis", "synthesis", "noun"), ("high", "low", "adjective"),
        ("increased", "decreased", "adjective"), ("improved", "unimproved", "adjective"),
        ("induced", "spontaneous", "adjective"), ("usual", "unusual", "adjective"),
        ("rare", "common", "adjective"), ("same", "other", "adjective"),
        ("well", "ill", "adverb"),
    )  # fmt: skip
    mixed = WordNet({**wordnet.senses, ("well", "noun"): (Sense(("shaft",), ()),)})
    text = (
        "light dark heavy analysis synthesis high low increased decreased improved unimproved "
        "induced spontaneous usual unusual same other well ill rare " + "common " * 51
    )
    assert find_antonyms([text], mixed) == {
        "dark": "light", "heavy": "light", "high": "low", "low": "high", "ill": "well",
        "increased": "decreased", "decreased": "increased", "usual": "unusual",
        "unusual": "usual", "rare": "common",
    }  # fmt: skip


def test_a_swap_leaves_nothing_that_says_the_contrary() -> None:
    """A document with both "high" and "low" would both satisfy and violate."""
    swaps = {"high": "low", "usual": "unusual", "unusual": "usual", "low": "high"}
    assert swap_antonyms("A usual dose is high.", "A usual dose is high.", swaps) == [
        "An unusual dose is high.",
        "A usual dose is low.",
    ]
    assert swap_antonyms("It is an unusual dose.", "It is an unusual dose.", swaps) == [
        "It is a usual dose."
    ]
    assert swap_antonyms("It is high.", "It is high. Low is rare.", swaps) == []
    assert swap_antonyms("It is high.", "It is high. High is rare.", swaps) == []
    assert swap_antonyms("A high-dose test, Low risk.", "A high-dose test, Low risk.", swaps) == []


# --- triplets

SMALL = WordNet(
    {
        ("hot", "adjective"): (Sense(("warm",), ("cold",)), Sense(("stolen",), ())),
        ("cold", "adjective"): (Sense(("chilly",), ("hot",)),),
        ("chilly", "adjective"): (Sense(("cold",), ()),),
        ("warm", "adjective"): (Sense(("hot",), ()),),
        ("table", "noun"): (Sense(("desk",), ()),),
    }
)


def big(synonyms: int, antonyms: int) -> WordNet:
    """Make one anchor with the given numbers of synonyms and antonyms."""
    alike = tuple(f"s{i}" for i in range(synonyms))
    opposed = tuple(f"a{i}" for i in range(antonyms))
    return WordNet({("word", "noun"): (Sense(alike, opposed),)})


def sides(rows: list[Triplet]) -> list[tuple[str, str, str | None]]:
    return [(row.query, row.satisfying, row.violating) for row in rows]


def test_words_go_with_synonyms_against_antonyms() -> None:
    """Swapped synonyms and antonyms would train the reverse."""
    rows = word_triplets(SMALL)
    assert sides(rows) == [
        ("cold", "chilly", "hot"),
        ("hot", "stolen", "cold"),
        ("hot", "warm", "cold"),
    ]
    assert {row.source for row in rows} == {"wordnet-words"}


def test_phrases_want_the_antonym_and_rule_the_word_out() -> None:
    """ "not hot" with "warm" as satisfying would teach an encoder to ignore "not"."""  # noqa: D210
    rows = phrase_triplets(SMALL, most=1000)
    assert {row.query for row in rows} == {
        f"{o} {x}" for o in EXCLUSION_OPENINGS for x in ("hot", "cold")
    }
    assert {row[1:] for row in sides(rows) if row[0] == "without hot"} == {
        (wanted, ruled_out)
        for wanted in ("cold", "chilly")
        for ruled_out in ("hot", "warm", "stolen")
    }


def test_a_word_on_both_sides_is_on_neither() -> None:
    """WordNet lists king and queen both as antonyms and as synonyms. A triplet with the same word
    on both sides must be skipped, since :class:`Triplet` refuses it and would stop the build.
    """
    royal = WordNet(
        {
            ("king", "noun"): (
                Sense(("monarch",), ("queen",)),
                Sense(("Queen", "ruler"), ()),
            ),
            ("queen", "noun"): (Sense(("Monarch", "lady"), ()),),
            ("kern", "verb"): (Sense((), ("kern",)),),
        }
    )
    assert word_triplets(royal) == []
    found = {row[1:] for row in sides(phrase_triplets(royal)) if row[0] == "no king"}
    assert found == {("lady", "king"), ("lady", "ruler")}


@pytest.mark.parametrize(("make", "usual"), [(word_triplets, 20), (phrase_triplets, 30)])
def test_most_is_kept_by_seed(make, usual: int) -> None:  # type: ignore[no-untyped-def]
    """Without a limit, a few anchors with a hundred synonyms would dominate the data."""
    wordnet = big(9, 7)
    assert len(make(wordnet)) == len(set(make(wordnet))) == usual
    assert len(make(wordnet, most=5)) == 5
    assert make(wordnet, seed=3) == make(wordnet, seed=3) != make(wordnet, seed=4)
    assert len(make(big(1, 1))) == len(make(big(1, 1), most=10**6))


@pytest.mark.slow
@pytest.mark.skipif(
    not (USUAL_FOLDER / "data.noun").is_file(), reason="the Debian package wordnet-base"
)
def test_all_of_wordnet_3_0() -> None:
    """Only totals reveal a rule that drops one kind of line, or a broken join."""
    wordnet = load_wordnet(USUAL_FOLDER)
    pointers = antonym_pointers(wordnet)
    assert len(pointers) == 7979
    assert len({frozenset(pair) for pair in pointers}) == 3556
    words, phrases = word_triplets(wordnet), phrase_triplets(wordnet)
    assert 15_000 < len(words) < 17_000
    assert 110_000 < len(phrases) < 120_000
    assert max(Counter(row.query for row in words).values()) == 20
    openings = Counter(row.query.split(" ")[0] for row in phrases)
    assert set(openings) == set(EXCLUSION_OPENINGS)
    assert min(openings.values()) > 0.24 * len(phrases)
    assert not {(r.query, r.violating, r.satisfying) for r in words} & set(sides(words))
