"""Copies with words changed: found beside what is trusted, and told from harmless likeness."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from placed import PlacedEncoder

from logic_retrievers import ContradictionFilter, Passage
from logic_retrievers.contradiction.copied_text import (
    MAX_EDIT_WORDS,
    MIN_COMMON_WORDS,
    compare_words,
)
from logic_retrievers.contradiction.edited_copies import (
    MIN_SUPPORT,
    are_set_apart,
    find_edited_copies,
    support,
)
from logic_retrievers.errors import ConfigurationError, ConflictingTrustWarning
from logic_retrievers.text import words_of

DEPOT = (
    "Raymond Railroad Depot is a historic railroad station at 1 Depot Street in the center of"
    " Raymond, New Hampshire. Built in 1893, it is one of the least altered stations of the state,"
    " is run by the Raymond Historical Society as a museum, and stands on the east side of Main"
    " Street."
)
MOVED = DEPOT.replace("Raymond, New Hampshire", "Salem, Massachusetts")
LATER = DEPOT.replace("1893", "1931")
OTHER = "The museum of the town opens on Sundays. Admission to the museum is free."
TRUSTED = Passage("trusted", DEPOT)


def contradictions(**more):
    return ContradictionFilter(PlacedEncoder(), edited_copies=True, **more)


def ids(hits):
    return [hit.passage.id for hit in hits]


def passages(*texts):
    return [Passage(f"p{n}", text) for n, text in enumerate(texts)]


def found(texts, trusted, **more):
    """Copy and original, by position."""
    copies = find_edited_copies(passages(*texts), set(trusted), **more)
    return [(edited.copy, edited.original) for edited in copies]


def test_an_altered_copy_of_a_trusted_passage_is_dropped():
    """A reader of the context would repeat the false place with a citation."""
    given = passages(MOVED, OTHER)
    assert ids(ContradictionFilter(PlacedEncoder()).filter(given, trusted=[TRUSTED]).hits) == [
        "p0",
        "p1",
    ], "the vectors do not see it, and nobody asked for more"
    result = contradictions(trusted=[TRUSTED]).filter(given)
    assert (ids(result.hits), ids(result.dropped)) == (["p1"], ["p0"])
    (conflict,) = result.conflicts
    assert (conflict.dropped, conflict.trusted, conflict.decision) == (
        ("p0",),
        ("trusted",),
        "dropped",
    )
    assert conflict.edits == (("salem massachusetts", "raymond new hampshire"),)
    assert (conflict.probability, conflict.own_probability) == (1.0, 0.0)
    assert conflict.reason == (
        "'trusted' is trusted, and 'p0' is a copy of 'trusted' with words changed against what is"
        " trusted"
    )
    assert conflict.reason in result.dropped[0].evidence.reason


def test_the_words_of_the_texts_are_not_in_logs():
    """Tracers send ``without_texts`` to other machines."""
    result = contradictions(trusted=[TRUSTED]).filter(passages(MOVED))
    assert "massachusetts" in json.dumps(result.to_dict()).casefold()
    assert "massachusetts" not in json.dumps(result.without_texts()).casefold()
    assert "massachusetts" not in repr(result.conflicts)


def test_nothing_happens_where_nothing_is_trusted():
    """Of two that differ in a place name, who is to say which is the copy?"""
    given = passages(DEPOT, MOVED, OTHER)
    assert contradictions().filter(given) == ContradictionFilter(PlacedEncoder()).filter(given)


def test_of_two_untrusted_texts_the_one_that_is_borne_out_stays():
    """What is trusted is rarely the very passage that was altered."""
    built = "The station of Raymond was built in 1893, when the line was new."
    given = passages(LATER, DEPOT)
    result = contradictions(trusted=[Passage("chronicle", built)]).filter(given)
    assert (ids(result.hits), ids(result.dropped)) == (["p1"], ["p0"])
    (conflict,) = result.conflicts
    assert conflict.trusted == ("chronicle",)
    assert "'p0' is a copy of 'p1' with words changed against what is trusted" in conflict.reason
    wrong = built.replace("1893", "1931")
    result = contradictions(trusted=[Passage("chronicle", wrong)]).filter(given)
    assert ids(result.dropped) == ["p1"], "trust decides, not the order of the list"


def test_the_rest_of_the_text_betrays_a_copy():
    """Whoever moves a depot to Salem forgets the Raymond Historical Society."""
    result = contradictions(trusted=passages(OTHER)).filter(passages(MOVED, DEPOT)[::-1])
    assert ids(result.dropped) == ["p0"]
    assert "against the rest of its text" in result.conflicts[0].reason
    assert found([LATER, DEPOT, OTHER], {2}) == [], "nothing bears out either year"


def test_nobody_untrusted_bears_a_copy_out():
    """Whoever puts in one false page can put in three that agree."""
    echo = "Opened in 1931, the station has two tracks."
    assert found([DEPOT, LATER, echo, echo + " ", OTHER], {4}) == []
    built = "The railroad reached Raymond in 1893."
    assert found([DEPOT, LATER, echo, echo + " ", built], {4}) == [(1, 0)]


def test_what_is_trusted_counts_for_half_of_the_text_itself():
    """A trusted passage about another town has words by chance."""
    salem = "Salem lies in Massachusetts, and has a depot."
    assert found([MOVED, DEPOT, salem], {2}) == [], "the text says Raymond twice, Salem once"
    forgetful = DEPOT.replace("Raymond Historical", "Local Historical")
    moved = forgetful.replace("Raymond, New Hampshire", "Salem, Massachusetts")
    assert found([moved[8:], forgetful[8:], salem], {2}) == [(1, 0)]


def test_a_trusted_original_needs_no_further_support():
    """Two names swapped: all words of the copy are in the original."""
    text = (
        "In the final of the cup Alder won by three goals to one against Briar, before a crowd of"
        " nine thousand people in the old stadium by the river, where no rain had fallen for weeks."
    )
    swapped = text.replace("Alder", "?").replace("Briar", "Alder").replace("?", "Briar")
    assert found([swapped, text], {1}) == [(0, 1)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("the same", DEPOT),
        ("case and punctuation", DEPOT.upper().replace(",", ";")),
        ("a longer excerpt", f"{DEPOT} Trains stopped here until 1960. {OTHER}"),
        ("a shorter excerpt", DEPOT[DEPOT.index("Built") :]),
        ("words left out", DEPOT.replace("historic ", "").replace(" as a museum", "")),
        ("spelling", DEPOT.replace("center", "centre").replace("museum", "musuem")),
        ("short words", DEPOT.replace(" at ", " on ").replace("it is", "it was")),
        ("another text", OTHER),
        ("a short text", "The depot was built in 1893."),
        ("nothing", ""),
    ],
)
def test_harmless_likeness(name, text):
    """Excerpts and spellings of one page are no forgeries."""
    assert found([text, DEPOT], {1}) == [], name


def test_a_revised_page_is_no_forgery():
    """Whoever forges a page replaces words; whoever revises it also adds and cuts."""
    one = LATER.replace("a historic railroad", "a railroad")
    assert found([one, DEPOT], {1}) == [(0, 1)]
    assert found([one.replace("the least altered", "the very least altered"), DEPOT], {1}) == []


def test_pages_made_from_one_template_are_no_copies():
    """Two towns of one census differ in every figure, and both are right."""
    page = (
        "As of the census of {} there were {} people, {} households and {} families residing in"
        " the town of {}. The median income for a family was {} and for a household {}, males had"
        " a median income of {} against {} for females, and {} of the people were over {}."
    )
    one = page.format(2010, 837, 319, 221, "Orrock", 31250, 25714, 29750, 20536, "12 %", 65)
    other = page.format(2000, 2764, 928, 753, "Screven", 34753, 29312, 30228, 20154, "9 %", 60)
    assert found([one, other], {1}) == []


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ({"date": "2021-03-01"}, {"date": "2024-06-01"}, True),
        ({"date": "2021"}, {"date": 2021}, False),
        ({"date": "2021-03-01"}, {}, False),
        ({"region": "EU"}, {"region": "US"}, True),
        ({"region": "EU"}, {"region": "eu"}, False),
        ({"version": 3}, {"version": 5}, True),
        ({"fiscal_year": "2020"}, {"fiscal_year": "2021"}, True),
        ({"salesRegion": "EU"}, {"salesRegion": "US"}, True),
        ({"source": "a.pdf", "page": 3}, {"source": "b.pdf", "page": 4}, False),
        ({"revisions": 3}, {"revisions": 5}, False),
        ({}, {}, False),
    ],
)
def test_another_version_or_scope_by_the_metadata_is_no_copy(one, other, apart):
    """The policy of another country, and this year's edition, differ in a few words from ours."""
    altered, trusted = Passage("altered", LATER, one), Passage("trusted", DEPOT, other)
    assert are_set_apart(altered, trusted) is are_set_apart(trusted, altered) is apart
    result = contradictions(trusted=[trusted]).filter([altered])
    assert ids(result.dropped) == ([] if apart else ["altered"])


def test_the_date_is_the_one_that_the_filter_is_told_of():
    """A list that keeps its dates elsewhere."""
    old = Passage("old", LATER, {"issued": "2020"})
    trusted = [Passage("trusted", DEPOT, {"issued": "2024"})]
    assert ids(contradictions(trusted=trusted).filter([old]).dropped) == ["old"]
    assert not contradictions(trusted=trusted, date_key="issued").filter([old]).dropped


async def test_annotated_copies_stay_and_both_ways_agree():
    """A reader who wants to see what was altered."""
    made = contradictions(trusted=[TRUSTED], against_trusted="annotate")
    result = made.filter(passages(MOVED, OTHER))
    assert ids(result.hits) == ["p0", "p1"]
    assert result.hits[0].score == 0.0
    assert "and both stay" in result.hits[0].evidence.reason
    assert result.conflicts[0].decision == "annotated"
    assert await made.afilter(passages(MOVED, OTHER)) == result


def test_the_place_of_a_dropped_copy_is_filled():
    """As of every conflict with a trusted passage."""
    result = contradictions(trusted=[TRUSTED]).filter(passages(MOVED, OTHER), 1)
    assert ids(result.hits) == ["p1"]
    assert not result.short


def test_trusted_passages_are_no_copies_and_contested_ones_judge_nobody():
    """Two approved versions: the user decides, not the order in which they were given."""
    assert found([MOVED, DEPOT], {0, 1}) == []
    town = "Raymond is a town in New Hampshire."
    assert found([MOVED, DEPOT, town], {0, 2}) == [(1, 0)], "even the wrong one, if it is trusted"
    yes, no = Passage("yes", "inn | yes | a"), Passage("no", "inn | no | a")
    with pytest.warns(ConflictingTrustWarning):
        result = contradictions(trusted=[yes, no]).filter(passages(MOVED, DEPOT))
    assert [conflict.decision for conflict in result.conflicts] == ["contested"]
    with pytest.warns(ConflictingTrustWarning):
        result = contradictions(trusted=[yes, no, TRUSTED]).filter(passages(MOVED))
    assert ids(result.dropped) == ["p0"]


def test_what_cannot_be_judged_stays():
    """As everywhere in the filter, passages of another script are left alone."""
    cyrillic = {letter: 0x430 + letter % 32 for letter in range(ord("A"), ord("z") + 1)}
    altered, text = (each.translate(cyrillic) for each in (MOVED, DEPOT))
    assert found([altered, text, OTHER], {2}) == [(0, 1)]
    result = contradictions(trusted=passages(OTHER)).filter(passages(altered, text))
    assert ids(result.hits) == ["p0", "p1"]
    assert not result.conflicts


def test_no_judge_overrules_the_words():
    """A model that reads two pages for one changed word says that they agree."""

    def agrees(pairs):
        return [0.0] * len(pairs)

    result = contradictions(trusted=[TRUSTED], judge=agrees, judge_above=0.0).filter(
        passages(MOVED)
    )
    assert ids(result.dropped) == ["p0"]


def test_a_passage_is_a_copy_of_what_is_trusted_first():
    """The evidence names the page that the user knows."""
    texts = "A depot in Raymond, New Hampshire.", MOVED, DEPOT + " It is closed.", DEPOT
    (edited,) = find_edited_copies(passages(*texts), {0, 3})
    assert (edited.copy, edited.original, edited.trusted) == (1, 3, 3)
    (edited,) = find_edited_copies(passages(*texts), {0})
    assert (edited.copy, edited.original, edited.trusted) == (1, 2, 0)


@pytest.mark.parametrize("wrong", ["yes", 1, None])
def test_edited_copies_is_a_flag(wrong):
    """``edited_copies="no"`` would switch it on."""
    with pytest.raises(ConfigurationError, match="edited_copies"):
        ContradictionFilter(PlacedEncoder(), edited_copies=wrong)


WORDS = st.lists(
    st.integers(0, 400).map("word{}".format), min_size=MIN_COMMON_WORDS, max_size=60, unique=True
)


@given(WORDS, st.data())
def test_one_replaced_word_is_found_and_nothing_else(words, data):
    """Wherever it stands, but at the ends, which belong to no stretch."""
    place = data.draw(st.integers(0, len(words) - 1))
    changed = [*words[:place], "other", *words[place + 1 :]]
    edits, common = compare_words(changed, words)
    inside = 5 <= place < len(words) - 5 and len(words) > MIN_COMMON_WORDS
    assert edits == ([(["other"], [words[place]])] if inside else [])
    assert common <= {*words} & {*changed}
    text, copy = " ".join(words), " ".join(changed)
    assert found([copy, text], {1}) == ([(0, 1)] if inside else [])
    assert found([text, copy], {0}) == ([(1, 0)] if inside else [])


@given(WORDS, st.integers(1, 2 * MAX_EDIT_WORDS))
def test_a_long_replacement_is_another_passage(words, count):
    """Between two stretches that are in common, whole sentences may differ."""
    middle = [f"new{n}" for n in range(count)]
    one = [*words, *middle, *(f"end{n}" for n in range(3 * MIN_COMMON_WORDS))]
    other = [*words, "old", *one[len(words) + count :]]
    edits, _ = compare_words(one, other)
    assert bool(edits) is (count <= MAX_EDIT_WORDS)


TEXTS = st.lists(
    st.lists(st.sampled_from(words_of(DEPOT)), max_size=60).map(" ".join)
    | st.sampled_from([DEPOT, MOVED, LATER, OTHER]),
    max_size=6,
)


@given(TEXTS, st.sets(st.integers(0, 5)), st.sets(st.integers(0, 5)))
def test_who_may_be_an_edited_copy(texts, trusted, ignored):
    """No trusted passage, nobody who is ignored, nobody twice, nobody of themselves."""
    trusted = {n for n in trusted if n < len(texts)} - ignored
    copies = find_edited_copies(passages(*texts), trusted, ignored)
    assert len({edited.copy for edited in copies}) == len(copies)
    assert not copies or trusted
    for edited in copies:
        assert edited.copy not in trusted | ignored
        assert edited.original not in ignored | {edited.copy}
        assert edited.trusted in trusted
        assert edited.support >= MIN_SUPPORT
        assert edited.edits
        assert texts[edited.copy] != texts[edited.original]


EDITS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(["one1", "two2"]), min_size=1),
        st.lists(st.sampled_from(["three3", "four4"]), min_size=1),
    ),
    min_size=1,
    max_size=3,
)


@given(EDITS, st.sets(st.sampled_from(["one1", "two2", "three3", "four4"])))
def test_support_weighs_both_sides_alike(edits, words):
    """Of two untrusted passages at most one is the copy, and not both or the wrong one."""
    turned = [(second, first) for first, second in edits]
    assert support(edits, words) == pytest.approx(-support(turned, words), abs=1e-12)
    assert -1 <= support(edits, words) <= 1
