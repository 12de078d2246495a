"""Trusted passages in a cleaning: they judge, they stay, and their old versions do not count."""

from __future__ import annotations

import pytest
from inn_corpus import COPPER, CORPUS, NEW, OLD, PAID, TAX, active, cleaner, stored
from placed import passages

from logic_retrievers import Passage
from logic_retrievers.errors import ConflictingTrustWarning

VOUCHED = {"vouched": True}


def trusting(index, **settings):
    return cleaner(index, resolution="annotate", **settings)


def test_an_older_version_of_a_trusted_passage_is_not_trusted():
    """Agreeing with the corrected page must not count as contradicting the stale one."""
    with stored(Passage("page", "copper | no | a")) as index:
        made = cleaner(index, resolution="annotate", trusted=[Passage("page", "copper | yes | b")])
        cleaned = made.clean()
        assert cleaned.quarantined == ()
        assert "page" in cleaned.unjudged
        assert COPPER in active(index)
    with stored(Passage("page", "copper | yes | b")) as index:
        index.add(passages("copper | no | a"))
        made = cleaner(index, resolution="annotate", trusted=[Passage("page", "copper | yes | b")])
        assert made.clean().quarantined == ("copper | no | a",)


def test_their_other_versions_are_nobodys_neighbours():
    """Being near the stale page, not the corrected one, must not hide a passage."""
    agreeing = passages(*(f"copper | yes | {words}" for words in "bcdefghijkl"))
    with stored(Passage("page", "copper | no | a"), *agreeing) as index:
        corrected = Passage("page", "copper | yes | z")
        for count in (3, 6, 9):
            made = trusting(index, trusted=[corrected], neighbours=count)
            cleaned = made.clean(dry_run=True)
            assert cleaned.quarantined == ()
            assert not any("page" in one.finding.to_dict().values() for one in cleaned.decisions)


def test_a_passage_from_outside_judges():
    """An outside passage is not in the collection and is not added to it."""
    with stored() as index:
        made = trusting(index, trusted=[Passage("truth", "inn | yes | b")])
        cleaned = made.clean()
        assert cleaned.quarantined == (NEW,)
        assert index.get(["truth"]) == []
        assert made.quarantine.verify().agreed
        (entry,) = made.quarantine.history(NEW)
        assert (entry.opponent, entry.reason.endswith("'truth' is trusted")) == ("truth", True)
        assert made.clean().examined == 0


@pytest.mark.parametrize(
    "chosen", [VOUCHED, lambda passage: passage.metadata.get("vouched")], ids=["filter", "function"]
)
def test_a_filter_picks_them(chosen):
    """Most corpora mark trusted passages by a metadata filter."""
    with stored(Passage("law", "inn | yes | b", VOUCHED)) as index:
        assert trusting(index, trusted_filter=chosen).clean().quarantined == (NEW,)
        assert "law" in active(index)
        again = trusting(index, trusted_filter=chosen, against_trusted="annotate")
        index.run(index.unhide([NEW]))
        assert again.clean(dry_run=True).quarantined == ()


def test_a_trusted_passage_that_is_not_among_the_nearest_is_found():
    """In a large corpus all nearest neighbours come from elsewhere."""
    others = passages(*(f"inn | no | {words}" for words in "bcdefgh"))
    with stored(Passage("law", "inn | yes | b", VOUCHED), *others) as index:
        made = trusting(index, trusted_filter=VOUCHED, neighbours=1)
        wanted = {NEW, *(one.id for one in others)}
        assert {*made.clean(dry_run=True).quarantined} == wanted
        near = trusting(index, trusted_filter=VOUCHED, neighbours=1, trusted_candidates=0)
        assert {*near.clean(dry_run=True).quarantined} < wanted


def test_trusted_passages_that_contradict_each_other():
    """Both cannot be right, so order alone would choose the judge."""
    with stored(*passages("inn | never | a")) as index:
        made = cleaner(index, resolution="quarantine_all", trusted=[CORPUS[0], CORPUS[1]])
        with pytest.warns(ConflictingTrustWarning, match=r"'inn \| no \| a', 'inn") as caught:
            cleaned = made.clean()
        assert caught[0].filename == __file__
        assert active(index) >= {OLD, NEW, "inn | never | a"}
        assert {*cleaned.quarantined} == {TAX, PAID}
        assert len(cleaned.notes) == 1
