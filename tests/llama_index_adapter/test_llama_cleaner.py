"""CorpusCleaner over nodes: what it says, what it leaves alone, what it does when something fails.

A pipeline has deleted the old nodes by then: whatever is raised here loses them.
"""

from __future__ import annotations

import copy
import json
import warnings

import pytest
from contradicting_nodes import AGAIN, DUTY, OPEN, SHUT, TAX, opposed, retrieved_nodes
from llama_index.core.schema import Document, ImageNode, IndexNode, MetadataMode, Node, TextNode
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters
from llama_index_logic_retrievers import ContradictionFilter, CorpusCleaner
from naming import stable
from placed import PlacedEncoder
from qdrant_client import models
from suites import WatchedEncoder

from logic_retrievers import Passage, PassageIndex
from logic_retrievers.cleaning import Ledger
from logic_retrievers.errors import (
    CleaningSkippedWarning,
    ConfigurationError,
    InputError,
    UnknownResolutionError,
)

VECTORS = ("topical", "contradiction")
LOSE = [OPEN, DUTY, AGAIN]


def cleaner(resolution="prefer_newest", **settings):
    return CorpusCleaner(**{"resolution": resolution, "encoder": PlacedEncoder(), **settings})


def hidden(nodes):
    return [node.node_id for node in nodes if node.metadata.get("logic", {}).get("quarantined")]


def findings(node):
    return node.metadata["logic"]["cleaning"]["findings"]


class FailingEncoder(PlacedEncoder):
    """A model whose server is down; what it says holds a key."""

    def encode_documents(self, texts, names=None):
        raise RuntimeError("401 for key sk-very-secret")

    encode_queries = encode_documents


def test_what_loses_is_marked_and_all_say_against_whom():
    results = cleaner()(opposed())
    assert [node.node_id for node in results] == [node.node_id for node in opposed()]
    assert hidden(results) == LOSE
    told = [
        (finding["kind"], finding["opponent"], finding["action"])
        for finding in findings(results[1])
    ]
    assert told == [("contradiction", DUTY, "quarantined")]
    (only,) = findings(results[1])
    assert only["probability"] > 0.9
    assert only["quarantined"] == [DUTY]
    assert json.loads(json.dumps(results[0].metadata)) == results[0].metadata
    assert hidden(CorpusCleaner(encoder=PlacedEncoder())(opposed())) == []  # annotate


def test_nothing_is_lost_or_changed():
    """The document store has the nodes that came in, and takes their hashes afterwards."""
    given = [*opposed(), TextNode(text="stone | green | z", id_="z", embedding=[0.5])]
    before = copy.deepcopy(given)
    results = cleaner()(given)
    assert given == before
    assert results[6] is given[6]  # nothing was found about it
    assert [result.text for result in results] == [one.text for one in given]
    assert [result.hash for result in results] == [one.hash for one in given]
    assert results[0].relationships == given[0].relationships
    results[0].metadata["date"] = 1
    results[0].relationships.clear()
    assert given == before
    assert cleaner()([]) == []


def test_no_model_and_no_prompt_reads_the_verdict():
    """Embedded, it would move the vector; in a prompt it would argue with the text."""
    results, given = cleaner()(opposed()), opposed()
    for mode in (MetadataMode.EMBED, MetadataMode.LLM):
        contents = [node.get_content(metadata_mode=mode) for node in results]
        assert contents == [node.get_content(metadata_mode=mode) for node in given]


@pytest.mark.parametrize("kind", [TextNode, IndexNode, Document, Node])
def test_every_kind_of_node_keeps_its_hash(kind):
    def made(text, date):
        fields = {"id_": text, "metadata": {"date": date}}
        if kind is Node:
            return Node(text_resource={"text": text}, **fields)
        return kind(text=text, **fields, **({"index_id": "i"} if kind is IndexNode else {}))

    given = [made(OPEN, 2020), made(SHUT, 2024)]
    results = cleaner()(given)
    assert hidden(results) == [OPEN]
    assert [result.hash for result in results] == [one.hash for one in given]
    assert all(isinstance(result, kind) for result in results)


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
    filtered = ContradictionFilter(encoder=PlacedEncoder()).postprocess_nodes(retrieved_nodes())
    nodes = [result.node for result in filtered]
    results = cleaner()(nodes)
    logic = results[0].metadata["logic"]
    assert logic["contradiction"] == nodes[0].metadata["logic"]["contradiction"]
    assert logic["quarantined"] is True
    assert cleaner()(results[:1])[0].metadata == nodes[0].metadata

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
        results = CorpusCleaner(index, ledger=ledger, resolution="prefer_newest")(
            [opposed()[2], opposed()[4]]
        )
        assert hidden(results) == [DUTY]
        assert [passage.quarantined for passage in index.get([OPEN, TAX])] == [True, False]
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
    results = cleaner()([picture, *opposed()])
    assert results[0] is picture
    assert hidden(results) == LOSE


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


async def test_a_failure_may_be_raised():
    """A pipeline that deletes nothing may rather stop than store what was not examined."""
    made = cleaner(encoder=FailingEncoder(), on_error="raise")
    with pytest.raises(RuntimeError):
        made(opposed())
    with pytest.raises(RuntimeError):
        await made.acall(opposed())
    assert made.skipped == 0
    with pytest.raises(ConfigurationError, match="on_error must be"):
        cleaner(on_error="ignore")


def test_a_failing_ledger_is_told_and_nothing_is_hidden(tmp_path):
    (tmp_path / "file").write_text("")
    with PassageIndex.open(encoder=PlacedEncoder(), vectors=VECTORS) as index:
        index.add([Passage(OPEN, OPEN, {"date": 2020})])
        made = CorpusCleaner(index, ledger=tmp_path / "file" / "l", resolution="prefer_newest")
        with pytest.warns(CleaningSkippedWarning, match="StorageError: cannot make"):
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
        ({"resolution": "no-such"}, UnknownResolutionError, "no-such"),
        ({"resolution": "prefer_source"}, ConfigurationError, "source_order"),
        ({"neighbours": 0}, ConfigurationError, "neighbours"),
        ({"threshold": 2.0}, ConfigurationError, "threshold"),
        ({"against_trusted": "drop"}, ConfigurationError, "quarantine"),
        ({"trusted": ["law"]}, InputError, "node"),
        ({"trusted_filter": {}}, ConfigurationError, "trust"),
        ({"trusted_filter": MetadataFilters(filters=[])}, ConfigurationError, "trust"),
        ({"judge": 3}, ConfigurationError, "callable"),
        ({"ledger": 3}, ConfigurationError, "ledger"),
        ({"nieghbours": 3}, ConfigurationError, "nieghbours"),
        ({"encoder": PlacedEncoder(["topical"])}, ConfigurationError, "contradiction"),
    ],
    ids=stable,
)
def test_what_cannot_work_is_refused_at_once(settings, error, told):
    """At the first node it would only be a warning, and nobody reads those."""
    with pytest.raises(error, match=told):
        cleaner(**settings)


def test_settings_may_change():
    made = cleaner("annotate")
    assert hidden(made(opposed())) == []
    made.resolution = "prefer_newest"
    assert hidden(made(opposed())) == LOSE


@pytest.mark.parametrize(
    ("name", "wrong", "error"),
    [("neighbours", 0, ConfigurationError), ("resolution", "typo", UnknownResolutionError)],
)
async def test_a_setting_that_is_wrong_later_is_raised(name, wrong, error):
    """A warning would switch cleaning off, and nobody reads those."""
    made = cleaner()
    setattr(made, name, wrong)
    with pytest.raises(error):
        made(opposed())
    with pytest.raises(error):
        await made.acall(opposed())
    assert made.skipped == 0


def test_conflicting_trust_warns_and_does_not_skip():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        cleaner(trusted_filter=lambda _: True)(opposed())
    assert [warning.category.__name__ for warning in told] == ["ConflictingTrustWarning"]
