"""A collection searched for contradictions, against plain numpy over the encoder's vectors."""

from __future__ import annotations

import json

import pytest
from inns import CORPUS, agrees, by_hand, stored
from placed_words import LOUD, NAMES, QUIET, SETTINGS, expected, placed

from logic_retrievers import ContradictionSearch, Passage, PassageIndex
from logic_retrievers.conflicts import search
from logic_retrievers.errors import (
    ConfigurationError,
    EmptyTextError,
    InputError,
    LogicRetrieversError,
    MissingVectorError,
)
from logic_retrievers.index.point_format import point_id


@pytest.fixture
def encoder():
    return placed()


@pytest.fixture(params=["memory", "rest", "grpc"])
def location(request):
    if request.param == "memory":
        return {}
    double = request.getfixturevalue("wire_double")
    return {
        "location": double.url,
        "prefer_grpc": request.param == "grpc",
        "grpc_port": double.grpc_port,
    }


@pytest.fixture
def index(location, encoder):
    with stored(encoder, **location) as index:
        yield index


@pytest.fixture
def local(encoder):
    with stored(encoder) as index:
        yield index


def test_the_order_is_that_of_f(index, encoder):
    """The nearest passage is a paraphrase; contradictions must come before it."""
    against = ContradictionSearch(index)
    agrees(against.search(QUIET, 50), by_hand(QUIET, CORPUS))
    assert encoder.documents == [QUIET]
    assert encoder.queries == []
    top = against.search(QUIET, 3)
    assert top == against.search(QUIET, 50)[:3]
    assert [hit.evidence.ranks["topical"] for hit in top] != [1, 2, 3]
    whole = {one.id: one for one in CORPUS}
    assert [hit.passage for hit in top] == [whole[hit.passage.id] for hit in top]


def test_a_stored_passage_is_left_out_with_its_copies(index, encoder):
    """Otherwise the passage itself heads its own list."""
    hits = ContradictionSearch(index).search_like("inn-quiet", 50)
    agrees(hits, by_hand(QUIET, CORPUS))
    assert not {"inn-quiet", "copy"} & {hit.passage.id for hit in hits}
    assert encoder.documents == []
    assert {hit.evidence.details["opponent"] for hit in hits} == {"inn-quiet"}
    other = ContradictionSearch(index).search_like("copper", 50)
    assert "copper" not in {hit.passage.id for hit in other}
    assert len(other) == len(CORPUS) - 1


def test_evidence(index):
    """Evidence must explain each position completely and survive JSON."""
    hits = ContradictionSearch(index).search(QUIET, 50)
    for hit in hits:
        assert json.loads(json.dumps(hit.to_dict(), allow_nan=False)) == hit.to_dict()
        wanted = expected(QUIET, hit.passage.text)
        evidence = hit.evidence
        assert (evidence.policy, evidence.passed_filter) == ("contradiction", True)
        assert evidence.scores == {
            "topical": pytest.approx(wanted["cosine"], abs=2e-6),
            "contradiction": hit.score,
        }
        assert evidence.ranks["contradiction"] == hit.rank
        assert evidence.details == {
            "sparsity": pytest.approx(wanted["sparsity"], abs=1e-5),
            "probability": pytest.approx(wanted["probability"], abs=1e-4),
            "alpha": 2.0,
            "conflict": wanted["probability"] >= 0.5,
            "opponent": QUIET,
            "read": False,
        }
    assert sorted(hit.evidence.ranks["topical"] for hit in hits) == list(range(1, len(hits) + 1))
    nearest = min(hits, key=lambda hit: hit.evidence.ranks["topical"])
    assert nearest.evidence.scores["topical"] == max(h.evidence.scores["topical"] for h in hits)
    likely = hits[0].evidence.details["probability"]
    assert hits[0].evidence.reason == f"contradicts it with probability {likely:.2f}"
    assert "no conflict: probability 0.00, threshold 0.50" in hits[-1].evidence.reason


def test_a_filter_holds(index):
    """A passage of a different place or customer is not an answer."""
    against = ContradictionSearch(index)
    for condition, admits in [
        ({"place": "farm"}, lambda one: one.metadata["place"] == "farm"),
        ({"number": {"lt": 3}}, lambda one: one.metadata["number"] < 3),
        ({"place": "nowhere"}, lambda one: False),
    ]:
        admitted = [one for one in CORPUS if admits(one)]
        agrees(against.search(QUIET, 50, filter=condition), by_hand(QUIET, admitted))
        like = against.search_like("inn-quiet", 50, filter=condition)
        agrees(like, by_hand(QUIET, admitted))


def test_copies_take_no_hits_place(index):
    """A statement's nearest passages are its copies, which must not fill a small pool."""
    index.add([Passage(f"copy {n}", QUIET, {"place": "inn"}) for n in range(5)])
    for k in (1, 3, len(CORPUS)):
        for hits in (
            ContradictionSearch(index, candidates=1).search(QUIET, k),
            ContradictionSearch(index, candidates=1).search_like("inn-quiet", k),
        ):
            assert len(hits) == min(k, len(CORPUS) - 2)
            assert not {one.id for one in CORPUS if one.text == QUIET} & {
                hit.passage.id for hit in hits
            }
    inns = ContradictionSearch(index, candidates=1).search(QUIET, 9, filter={"place": "inn"})
    assert {hit.passage.id for hit in inns} == {"inn-loud", "inn-warm", "inn-closed"}


def test_alpha_and_constants_of_the_users_own(local):
    """Alpha 0 is plain topical search; ignoring alpha would go unnoticed."""
    for alpha in (0.0, 9.0):
        settings = SETTINGS.model_copy(update={"alpha": alpha})
        hits = ContradictionSearch(local, alpha=alpha).search(QUIET, 50)
        agrees(hits, by_hand(QUIET, CORPUS, settings))
        assert hits[0].evidence.details["alpha"] == alpha
        assert hits == ContradictionSearch(local, settings=settings).search(QUIET, 50)
    strict = ContradictionSearch(local, settings=SETTINGS.model_copy(update={"threshold": 0.999}))
    assert not any(hit.evidence.details["conflict"] for hit in strict.search(QUIET, 50))


def test_least_probability(local, monkeypatch):
    """Filling the list with unrelated passages would make them look like findings."""
    everything = ContradictionSearch(local).search(QUIET, 50)
    likely = [hit for hit in everything if hit.evidence.details["probability"] >= 0.5]
    assert 0 < len(likely) < len(everything)
    found = ContradictionSearch(local, min_probability=0.5).search(QUIET, 50)
    assert [(h.passage.id, h.score) for h in found] == [(h.passage.id, h.score) for h in likely]
    assert [hit.rank for hit in found] == list(range(1, len(found) + 1))
    assert ContradictionSearch(local, min_probability=1.0).search(QUIET) == []
    assert ContradictionSearch(local, min_probability=0).search(QUIET, 50) == everything


def test_texts_in_another_script_have_no_probability(encoder):
    """The model has hardly seen their tokens, but its figure looks like any other."""
    russian = "гостиница в гавани тихая"
    with PassageIndex.open("inns", encoder, vectors=NAMES) as index:
        index.add([*CORPUS[:3], Passage("ru", russian), Passage("ru-2", f"{russian} ночью")])
        hits = {hit.passage.id: hit for hit in ContradictionSearch(index).search(LOUD, 9)}
        assert hits["ru"].evidence.details["probability"] is None
        assert hits["ru"].evidence.details["conflict"] is False
        assert "another script than the Latin" in hits["ru"].evidence.reason
        assert hits["inn-quiet"].evidence.details["probability"] > 0.5
        sure = ContradictionSearch(index, min_probability=0.0)
        assert {hit.passage.id for hit in sure.search(LOUD, 2)} == {"inn-quiet", "inn-warm"}
        assert {hit.passage.id for hit in sure.search(LOUD, 9)} == {"inn-quiet", "inn-warm"}
        assert sure.search(russian, 9) == []
        like = ContradictionSearch(index).search_like("ru", 9)
        assert [hit.evidence.details["probability"] for hit in like] == [None] * 4


def test_passages_without_the_vector_follow_behind(index):
    """A different store wrote them since: they cannot be judged but must be reported."""
    bare = [point_id(one) for one in ("inn-loud", "copper")]
    index.client.delete_vectors("inns", ["contradiction"], bare, wait=True)
    hits = ContradictionSearch(index).search(QUIET, 50)
    agrees(hits[:-2], by_hand(QUIET, CORPUS, without=("inn-loud", "copper")))
    assert [hit.passage.id for hit in hits[-2:]] == ["inn-loud", "copper"]
    for hit in hits[-2:]:
        evidence = hit.evidence
        assert (evidence.passed_filter, evidence.scores["contradiction"]) == (False, None)
        assert evidence.details["probability"] is None
        assert evidence.ranks["contradiction"] is None
        assert hit.score == evidence.scores["topical"]
        assert "no contradiction vector" in evidence.reason
        json.dumps(hit.to_dict(), allow_nan=False)
    found = ContradictionSearch(index, min_probability=0.0).search(QUIET, 50)
    assert [hit.passage.id for hit in found] == [hit.passage.id for hit in hits[:-2]]
    topical = ContradictionSearch(index, alpha=0).search(QUIET, 50)
    assert [hit.passage.id for hit in topical[-2:]] == ["inn-loud", "copper"]


def test_vectors_come_in_bounded_batches(local, monkeypatch):
    """A thousand candidates for each of a hundred searches at once would take a gigabyte."""
    everything = ContradictionSearch(local).search(QUIET, 50)
    monkeypatch.setattr(search, "VECTORS_PER_BATCH", 4)
    asked, fetch = [], local.fetch_vectors

    def noted(names, points):
        asked.append(len(points))
        return fetch(names, points)

    monkeypatch.setattr(local, "fetch_vectors", noted)
    assert ContradictionSearch(local).search(QUIET, 50) == everything
    assert max(asked) <= 4
    assert sum(asked) == len(CORPUS)


def test_a_passage_that_is_deleted_meanwhile_makes_room(local, monkeypatch):
    """The list must not be shorter than asked while there are more."""
    against = ContradictionSearch(local)
    expected_hits = against.search(QUIET, 4)
    fetch, gone = local.fetch_passages, expected_hits[1].passage.id

    def late(points):
        local.delete([gone])
        return fetch(points)

    monkeypatch.setattr(local, "fetch_passages", late)
    found = against.search(QUIET, 3)
    assert [hit.passage.id for hit in found] == [
        hit.passage.id for hit in expected_hits if hit.passage.id != gone
    ]
    assert [hit.rank for hit in found] == [1, 2, 3]


async def test_async_equals_sync(index):
    """The synchronous and asynchronous paths must not drift apart."""
    against = ContradictionSearch(index)
    one = {"place": ["farm", "cabin"]}
    assert await against.asearch(QUIET, 3) == against.search(QUIET, 3)
    assert await against.asearch(QUIET, 3, filter=one) == against.search(QUIET, 3, filter=one)
    assert await against.asearch_like("copper", 3) == against.search_like("copper", 3)
    assert await against.asearch_like("copper", 3, filter=one) == against.search_like(
        "copper", 3, filter=one
    )


def test_tenants_are_kept_apart(encoder):
    """Another tenant's passages are neither answers nor subjects."""
    with PassageIndex.open("inns", encoder, vectors=NAMES, tenant="one") as one:
        two = PassageIndex.open("inns", encoder, client=one.client, tenant="two")
        one.add(CORPUS[:3])
        two.add([CORPUS[0], CORPUS[4]])
        agrees(ContradictionSearch(one).search(QUIET), by_hand(QUIET, CORPUS[:3]))
        agrees(ContradictionSearch(two).search_like("inn-quiet"), by_hand(QUIET, [CORPUS[4]]))
        with pytest.raises(InputError, match="no passage 'inn-loud'"):
            ContradictionSearch(two).search_like("inn-loud")


def test_a_passage_that_lacks_the_vector_is_left_out_by_its_id(index):
    """The distance check alone would list it behind its contradictions."""
    index.client.delete_vectors("inns", ["contradiction"], [point_id("inn-quiet")], wait=True)
    hits = ContradictionSearch(index).search_like("inn-quiet", 50)
    agrees(hits, by_hand(QUIET, CORPUS))  # its own vector is made now
    assert len(ContradictionSearch(index, candidates=5).search_like("inn-quiet", 5)) == 5


def test_the_candidates_are_the_topically_nearest(index):
    """A search must read neither everything nor passages other than the nearest."""
    cosines = {
        one.id: 1.0 if one.text == QUIET else expected(QUIET, one.text)["cosine"] for one in CORPUS
    }
    near = sorted(cosines, key=lambda one: (-round(cosines[one], 6), point_id(one)))[:6]
    hits = ContradictionSearch(index, candidates=6).search(QUIET, 3)
    agrees(hits, by_hand(QUIET, [one for one in CORPUS if one.id in near])[:3])
    assert len(ContradictionSearch(index, candidates=1).search(LOUD, 5)) == 5  # k takes effect


def test_a_collection_without_the_vector_is_named_and_nothing_encoded(encoder):
    """Encoding a thousand texts per search would look like a slow server."""
    with PassageIndex.open("inns", encoder) as index:
        index.add(CORPUS)
        encoder.documents.clear()
        against = ContradictionSearch(index)
        for call in (
            lambda: against.search(QUIET),
            lambda: against.search_like("copper"),
        ):
            with pytest.raises(MissingVectorError, match=r"backfill\(\['contradiction'\]\)"):
                call()
        assert encoder.documents == []
        index.backfill(["contradiction"])
        agrees(against.search(QUIET, 50), by_hand(QUIET, CORPUS))


def test_what_cannot_be_asked(local):
    """Each error names the argument before any work starts."""
    against = ContradictionSearch(local)
    for statement, error in (
        (" \n", EmptyTextError),
        (3, InputError),
    ):
        with pytest.raises(error, match="statement"):
            against.search(statement)
    for one in ("nobody", "Inn-quiet"):
        with pytest.raises(InputError, match=f"no passage '{one}' in collection 'inns'"):
            against.search_like(one)
    for one in ("", None):
        with pytest.raises(InputError):
            against.search_like(one)
    for k in (0, -1, 2.5, True):
        with pytest.raises(ConfigurationError, match="k must be"):
            against.search(QUIET, k)
        with pytest.raises(ConfigurationError, match="k must be"):
            against.search_like("copper", k)
    with pytest.raises(LogicRetrieversError, match="filter"):
        against.search(QUIET, filter=["place"])


def test_an_empty_collection(encoder):
    """Having no candidates is not an error."""
    with PassageIndex.open("inns", encoder, vectors=NAMES) as index:
        assert ContradictionSearch(index).search(QUIET) == []
        index.add([CORPUS[0]])
        assert ContradictionSearch(index).search(QUIET) == []
        assert ContradictionSearch(index).search_like("inn-quiet") == []


def test_only_what_is_valid_contradicts(encoder):
    """What a passage said before it was replaced is no objection today."""
    dates = {"since": "2020-01-01", "until": "2024-01-01"}
    with PassageIndex.open("inns", encoder, vectors=("topical", "contradiction")) as index:
        index.add([Passage("past", LOUD, dates), Passage("said", QUIET)])
        against = ContradictionSearch(index, validity=("since", "until"))
        assert [hit.passage.id for hit in against.search(QUIET, as_of="2023")] == ["past"]
        assert [hit.passage.id for hit in against.search_like("said", as_of="any")] == ["past"]
        assert against.search(QUIET) == against.search_like("said") == []
        with pytest.raises(ConfigurationError, match="validity"):
            ContradictionSearch(index).search(QUIET, as_of="2023")
