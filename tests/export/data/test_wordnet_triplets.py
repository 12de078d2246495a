"""CoDeR's word and phrase triplets out of a WordNet."""

from __future__ import annotations

from collections import Counter

import pytest
from logic_export.data.triplets import Triplet
from logic_export.data.wordnet import USUAL_FOLDER, Sense, WordNet, load_wordnet
from logic_export.data.wordnet_triplets import EXCLUSION_OPENINGS, phrase_triplets, word_triplets

COLD = "cold"
SMALL = WordNet(
    {
        ("hot", "adjective"): (Sense(("warm",), (COLD,)), Sense(("stolen",), ())),
        ("cold", "adjective"): (Sense(("chilly",), ("hot",)),),
        ("chilly", "adjective"): (Sense(("cold",), ()),),
        ("warm", "adjective"): (Sense(("hot",), ()),),
        ("table", "noun"): (Sense(("desk",), ()),),
    }
)


def big(synonyms: int, antonyms: int) -> WordNet:
    """One anchor with as many synonyms and antonyms."""
    alike = tuple(f"s{i}" for i in range(synonyms))
    opposed = tuple(f"a{i}" for i in range(antonyms))
    return WordNet({("word", "noun"): (Sense(alike, opposed),)})


def sides(rows: list[Triplet]) -> list[tuple[str, str, str | None]]:
    return [(row.query, row.satisfying, row.violating) for row in rows]


def test_words_go_with_synonyms_against_antonyms() -> None:
    """Synonym and antonym changed over, or an anchor without antonyms, trains the reverse."""
    rows = word_triplets(SMALL)
    assert sides(rows) == [
        ("cold", "chilly", "hot"),
        ("hot", "stolen", "cold"),
        ("hot", "warm", "cold"),
    ]
    assert {row.source for row in rows} == {"wordnet-words"}


def test_phrases_want_the_antonym_and_rule_the_word_out() -> None:
    """ "not hot" with "warm" as satisfying teaches an encoder to overlook the "not"."""  # noqa: D210
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
    """WordNet opposes king to queen and also lists them together; one triplet would be its own
    contradiction, which :class:`Triplet` refuses, and the build would stop.
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
    """Without a limit, a few anchors with a hundred synonyms are most of the data."""
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
    """A broken side of the join leaves a tenth of the data, and training still runs."""
    wordnet = load_wordnet(USUAL_FOLDER)
    words, phrases = word_triplets(wordnet), phrase_triplets(wordnet)
    assert 15_000 < len(words) < 17_000
    assert 110_000 < len(phrases) < 120_000
    assert max(Counter(row.query for row in words).values()) == 20
    openings = Counter(row.query.split(" ")[0] for row in phrases)
    assert set(openings) == set(EXCLUSION_OPENINGS)
    assert min(openings.values()) > 0.24 * len(phrases)
    assert not {(r.query, r.violating, r.satisfying) for r in words} & set(sides(words))
