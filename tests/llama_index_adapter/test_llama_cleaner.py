"""CorpusCleaner over nodes: what it says, what it leaves alone, what it does when something fails.

A pipeline has deleted the old nodes by then: whatever is raised here loses them.
"""

from __future__ import annotations

import copy
import json
import warnings

import pytest
from llama_index.core.schema import Document, ImageNode, IndexNode, MetadataMode, Node, TextNode
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters
from llama_index_logic_retrievers import ContradictionFilter, CorpusCleaner
from llama_opposed import AGAIN, DUTY, OPEN, SHUT, TAX, found_by_others, opposed
from naming import stable
from placed import PlacedEncoder
from qdrant_client import models

from logic_retrievers import Passage, PassageIndex
from logic_retrievers.cleaning import Ledger
from logic_retrievers.errors import (
    CleaningSkippedWarning,
    ConfigurationError,
    InputError,
    UnknownPolicyError,
)
from logic_retrievers.testing import WatchedEncoder

VECTORS = ("topical", "contradiction")
LOSE = [OPEN, DUTY, AGAIN]


def cleaner(policy="prefer_newest", **settings):
    return CorpusCleaner(**{"policy": policy, "encoder": PlacedEncoder(), **settings})


def hidden(nodes):
    return [one.node_id for one in nodes if one.metadata.get("logic", {}).get("quarantined")]


def findings(node):
    return node.metadata["logic"]["cleaning"]["findings"]


class FailingEncoder(PlacedEncoder):
    """A model whose server is down; what it says holds a key."""

    def encode_documents(self, texts, names=None):
        raise RuntimeError("401 for key sk-very-secret")

    encode_queries = encode_documents


def test_what_loses_is_marked_and_all_say_against_whom():
    found = cleaner()(opposed())
    assert [one.node_id for one in found] == [one.node_id for one in opposed()]
    assert hidden(found) == LOSE
    told = [(one["kind"], one["opponent"], one["action"]) for one in findings(found[1])]
    assert told == [("contradiction", DUTY, "quarantined")]
    (only,) = findings(found[1])
    assert only["probability"] > 0.9
    assert only["quarantined"] == [DUTY]
    assert json.loads(json.dumps(found[0].metadata)) == found[0].metadata
    assert hidden(CorpusCleaner(encoder=PlacedEncoder())(opposed())) == []  # annotate


def test_nothing_is_lost_or_changed():
    """The document store has the nodes that came in, and takes their hashes afterwards."""
    given = [*opposed(), TextNode(text="stone | green | z", id_="z", embedding=[0.5])]
    before = copy.deepcopy(given)
    found = cleaner()(given)
    assert given == before
    assert found[6] is given[6]  # nothing was found about it
    assert [one.text for one in found] == [one.text for one in given]
    assert [one.hash for one in found] == [one.hash for one in given]
    assert found[0].relationships == given[0].relationships
    found[0].metadata["date"] = 1
    found[0].relationships.clear()
    assert given == before
    assert cleaner()([]) == []


def test_no_model_and_no_prompt_reads_the_verdict():
    """Embedded, it would move the vector; in a prompt it would argue with the text."""
    found, given = cleaner()(opposed()), opposed()
    for mode in (MetadataMode.EMBED, MetadataMode.LLM):
        contents = [one.get_content(metadata_mode=mode) for one in found]
        assert contents == [one.get_content(metadata_mode=mode) for one in given]


@pytest.mark.parametrize("kind", [TextNode, IndexNode, Document, Node])
def test_every_kind_of_node_keeps_its_hash(kind):
    def made(text, date):
        fields = {"id_": text, "metadata": {"date": date}}
        if kind is Node:
            return Node(text_resource={"text": text}, **fields)
        return kind(text=text, **fields, **({"index_id": "i"} if kind is IndexNode else {}))

    given = [made(OPEN, 2020), made(SHUT, 2024)]
    found = cleaner()(given)
    assert hidden(found) == [OPEN]
    assert [one.hash for one in found] == [one.hash for one in given]
    assert all(isinstance(one, kind) for one in found)


async def test_asynchronous_calls_give_the_same():
    made = cleaner()
    assert await made.acall(opposed()) == made(opposed())


def test_the_loop_runs_on_while_it_encodes():
    watched = WatchedEncoder(PlacedEncoder())
    assert watched.loop_runs_during(CorpusCleaner(encoder=watched).acall(opposed()))


def test_a_verdict_takes_the_place_of_an_earlier_one():
    strict, mild = cleaner(), cleaner("annotate")
    first = strict(opposed())
    assert strict(first) == first
    assert hidden(mild(first)) == []
    (alone,) = strict(first[:1])
    assert alone == opposed()[0]
    assert type(alone) is TextNode


def test_other_evidence_and_the_users_own_key_stay():
    filtered = ContradictionFilter(encoder=PlacedEncoder()).postprocess_nodes(found_by_others())
    nodes = [one.node for one in filtered]
    found = cleaner()(nodes)
    logic = found[0].metadata["logic"]
    assert logic["contradiction"] == nodes[0].metadata["logic"]["contradiction"]
    assert logic["quarantined"] is True
    assert cleaner()(found[:1])[0].metadata == nodes[0].metadata

    mine = opposed()
    mine[0].metadata["logic"] = {"mine": 1}
    kept = cleaner()(mine)
    assert kept[0].metadata["logic"]["replaced"] == {"logic": {"mine": 1}}
    assert cleaner()(kept[:1])[0].metadata == mine[0].metadata
    assert kept[0].hash == mine[0].hash


def test_it_looks_into_the_collection_and_hides_what_loses_there(tmp_path):
    ledger = Ledger(tmp_path / "ledger.sqlite")
    with PassageIndex.open(encoder=PlacedEncoder(), vectors=VECTORS) as index:
        index.add([Passage(OPEN, OPEN, {"date": 2020}), Passage(TAX, TAX, {"date": 2024})])
        found = CorpusCleaner(index, ledger=ledger, policy="prefer_newest")(
            [opposed()[2], opposed()[4]]
        )
        assert hidden(found) == [DUTY]
        assert [one.quarantined for one in index.get([OPEN, TAX])] == [True, False]
        assert index.count() == 2
        assert set(ledger.states(index.collection)) == {OPEN, DUTY}


def test_trusted_nodes_judge():
    law = TextNode(text="inn | shut | law", id_="law")
    assert hidden(cleaner("annotate", trusted=[law])(opposed())) == [OPEN, AGAIN]
    for wanted in (
        {"source": "inn"},
        MetadataFilters(filters=[MetadataFilter(key="source", value="inn")]),
        models.Filter(
            must=[
                models.FieldCondition(key="metadata.source", match=models.MatchValue(value="inn"))
            ]
        ),
        lambda passage: passage.metadata["source"] == "inn",
    ):
        made = cleaner("annotate", trusted_filter=wanted)
        assert hidden(made(opposed())) == [OPEN, AGAIN]
        made.against_trusted = "annotate"
        assert hidden(made(opposed())) == []


def test_nodes_that_cannot_be_judged_go_through():
    """A picture has no text, and is no reason to skip the rest."""
    picture = ImageNode(image_url="https://example.org/a.png", metadata={"title": "inn"})
    found = cleaner()([picture, *opposed()])
    assert found[0] is picture
    assert hidden(found) == LOSE


async def test_a_failing_model_is_told_and_all_nodes_go_on():
    """Raised, the changed documents of this run would be gone from the store."""
    made, given = cleaner(encoder=FailingEncoder()), opposed()
    with pytest.warns(
        CleaningSkippedWarning, match=r"6 nodes go on unjudged \(it raised Runt"
    ) as w:
        assert made(given) is given
    assert "sk-very-secret" not in str(w[0].message)
    with pytest.warns(CleaningSkippedWarning, match="6 nodes"):
        assert await made.acall(given) is given
    assert given == opposed()


def test_a_failing_ledger_is_told_and_nothing_is_hidden(tmp_path):
    (tmp_path / "file").write_text("")
    with PassageIndex.open(encoder=PlacedEncoder(), vectors=VECTORS) as index:
        index.add([Passage(OPEN, OPEN, {"date": 2020})])
        made = CorpusCleaner(index, ledger=tmp_path / "file" / "l", policy="prefer_newest")
        with pytest.warns(CleaningSkippedWarning, match="StorageError: The ledger"):
            assert hidden(made(opposed()[2:3])) == []
        assert not index.get([OPEN])[0].quarantined
        made.ledger = tmp_path / "ledger.sqlite"  # mended: it goes on
        made(opposed()[2:3])
        assert index.get([OPEN])[0].quarantined


def test_a_failing_policy_and_odd_nodes_are_told():
    wrong = cleaner(lambda one, other: "neither")
    with pytest.warns(CleaningSkippedWarning, match="InputError"):
        assert hidden(wrong(opposed())) == []
    with pytest.warns(CleaningSkippedWarning, match="InputError: A node is needed"):
        assert cleaner()(["no node"]) == ["no node"]


def test_what_was_skipped_is_not_remembered_as_judged():
    """A pipeline's cache keeps what came out; unjudged nodes must not come back from it."""
    made = cleaner(encoder=FailingEncoder())
    before = made.to_dict()
    with pytest.warns(CleaningSkippedWarning):
        made(opposed())
    assert made.to_dict() != before
    assert made.skipped == 1


@pytest.mark.parametrize(
    ("settings", "error", "told"),
    [
        ({"policy": "no-such"}, UnknownPolicyError, "no-such"),
        ({"policy": "prefer_source"}, ConfigurationError, "source_order"),
        ({"neighbours": 0}, ConfigurationError, "neighbours"),
        ({"threshold": 2.0}, ConfigurationError, "threshold"),
        ({"against_trusted": "drop"}, ConfigurationError, "quarantine"),
        ({"trusted": ["law"]}, InputError, "node"),
        ({"trusted_filter": {}}, ConfigurationError, "trust"),
        ({"trusted_filter": MetadataFilters(filters=[])}, ConfigurationError, "trust"),
        ({"second_opinion": 3}, ConfigurationError, "callable"),
        ({"ledger": 3}, ConfigurationError, "ledger"),
        ({"nieghbours": 3}, ConfigurationError, "nieghbours"),
        ({"location": ":memory:"}, ConfigurationError, "index="),
        ({"collection": "docs"}, ConfigurationError, "location="),
        ({"location": "http://h", "opening": {"client": 1}}, ConfigurationError, "client"),
        ({"encoder": PlacedEncoder(["topical"])}, ConfigurationError, "contradiction"),
    ],
    ids=stable,
)
def test_what_cannot_work_is_refused_at_once(settings, error, told):
    """At the first node it would only be a warning, and nobody reads those."""
    with pytest.raises(error, match=told):
        cleaner(**settings)


def test_settings_may_change_and_the_place_may_not():
    made = cleaner("annotate")
    assert hidden(made(opposed())) == []
    made.policy = "prefer_newest"
    assert hidden(made(opposed())) == LOSE
    with pytest.raises(ConfigurationError, match="neighbours"):
        made.neighbours = 0
    with pytest.raises(ConfigurationError, match="another cleaner"):
        made.location = "elsewhere"
    assert hidden(made(opposed())) == LOSE


def test_conflicting_trust_warns_and_does_not_skip():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        cleaner(trusted_filter=lambda _: True)(opposed())
    assert [one.category.__name__ for one in told] == ["ConflictingTrustWarning"]
