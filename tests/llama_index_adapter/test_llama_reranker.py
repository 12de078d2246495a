"""CompatibilityReranker: settings, events, and nodes without text."""

from __future__ import annotations

import json
import pickle

import pytest
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.schema import ImageNode, NodeWithScore
from llama_index_logic_retrievers import CompatibilityReranker
from llama_stubs import ids, motels, recorded

from logic_retrievers import AutoPolicy, ChatJudge, ConstraintSettings, SequentialPolicy
from logic_retrievers.errors import ConfigurationError, ExpressionError, InputError
from logic_retrievers.judging.settings import JudgeSettings
from logic_retrievers.queries import ParsedQuery

KINDS = [
    {},
    {"policy": "sequential"},
    {"policy": SequentialPolicy(backfill=False), "top_n": 2},
    {"policy": AutoPolicy(base="hybrid")},
    {"policy": AutoPolicy(settings=ConstraintSettings(penalty=0.5), fields={"city": ["Oslo"]})},
    {"top_n": 3},
    {"exclude": ("nightclubs", "cows"), "hard": True},
    {"query_syntax": "expression"},
    {"judge": None},
    {"judge": motels},
    {"judge": JudgeSettings(motels, candidates=5)},
    {"reranker": motels},
    {"judge": JudgeSettings(None, 3)},
]


@pytest.fixture
def found(nodes) -> list[NodeWithScore]:
    """Nodes that a different retriever found."""
    return [NodeWithScore(node=node, score=0.1 * rank) for rank, node in enumerate(nodes)]


def test_nodes_without_text_follow_behind(found, query):
    """A multimodal index must neither lose its images nor fail at the first."""
    image = ImageNode(id_="i", image_url="http://x/y.png", metadata={"file": "hotel by the sea"})
    given = [NodeWithScore(node=image, score=9.0), *found]
    ranked = CompatibilityReranker().postprocess_nodes(given, query_str=query)
    assert ids(ranked)[-1] == "i"
    assert len(ranked) == 9
    assert type(ranked[-1].node) is ImageNode


async def test_events_and_callbacks_are_sent(found, query):
    """A tracer must show the step between retrieval and answer."""
    handler = LlamaDebugHandler(print_trace_on_end=False)
    reranker = CompatibilityReranker(top_n=2, callback_manager=CallbackManager([handler]))
    with recorded() as events:
        ranked = reranker.postprocess_nodes(found, query_str=query)
        await CompatibilityReranker().apostprocess_nodes(found, query_str=query)
    assert events.names == ["ReRankStartEvent", "ReRankEndEvent"] * 2
    assert [event.top_n for event in events.events[::2]] == [2, 8]
    assert (events.events[0].query, events.events[0].model_name) == (query, "logic-retrievers:auto")
    assert events.events[1].nodes == ranked
    ((start, end),) = handler.get_event_pairs(CBEventType.RERANKING)
    assert start.payload["query_str"] == query
    assert end.payload["nodes"] == ranked
    reading = CompatibilityReranker("boolean", query_syntax="expression")
    with recorded() as events, pytest.raises(ExpressionError):
        reading.postprocess_nodes(found, query_str="inn AND")
    assert "ReRankStartEvent" not in events.names  # a reranking that never ends


async def test_a_missing_query_is_an_error_as_in_llama_indexs_own(found):
    """Unchanged nodes would look reranked."""
    with pytest.raises(InputError, match="query_str="):
        CompatibilityReranker().postprocess_nodes(found)
    with pytest.raises(InputError, match="query_str="):
        await CompatibilityReranker().apostprocess_nodes(found)
    with pytest.raises(InputError, match="empty"):
        CompatibilityReranker().postprocess_nodes(found, query_str=" ")


@pytest.mark.parametrize("settings", [{"policy": 3}, {"topn": 3}, {"encoder": 3}, {"index": 3}])
def test_bad_settings_are_refused(settings):
    """Otherwise the first query finds them; ignoring `topn=3` would fill the prompt."""
    with pytest.raises(ConfigurationError, match=next(iter(settings))):
        CompatibilityReranker(**settings)


def test_settings_hold_all_that_changes_the_result(index):
    """A private threshold gives stale results from caches that key on the settings."""
    described = [CompatibilityReranker(**kind).to_json() for kind in KINDS]
    assert len(set(described)) == len(KINDS)
    for text in described:
        assert json.loads(text)["class_name"] == CompatibilityReranker.class_name()
        assert not {"encoder", "index"} & set(json.loads(text))
    assert CompatibilityReranker(index=index).to_json() == described[0]
    assert "encoder" not in CompatibilityReranker.model_json_schema()["properties"]
    named = json.loads(described[-3])["judge"]
    assert named == {"judge": "llama_stubs.motels", "candidates": 5}


@pytest.mark.parametrize("setting", ["judge", "reranker"])
def test_a_model_is_described_without_its_key(setting):
    """Caches tell two models apart, and logs hold no key."""
    address = "http://127.0.0.1:9/v1"
    named = ChatJudge(address, "small", budget=9)
    for judge, told in (
        (named, named.describe()),
        (JudgeSettings(named, candidates=3), {"judge": named.describe(), "candidates": 3}),
        (ChatJudge(address, "small", api_key="key-12345"), "chat_judge.ChatJudge"),
    ):
        made = CompatibilityReranker(**{setting: judge})
        described = json.loads(made.to_json())[setting]
        assert described == told or described.endswith(told)
        assert "key-12345" not in made.to_json() + repr(made)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: " ".join(kind) or "none")
def test_settings_travel_or_say_that_they_cannot(kind):
    """LlamaIndex drops what cannot be pickled; a worker that lost a setting ranks wrongly."""
    reranker = CompatibilityReranker(**kind)
    again = pickle.loads(pickle.dumps(reranker))
    assert again.to_dict() == reranker.to_dict()
    assert (again.judge, again.reranker) == (reranker.judge, reranker.reranker)
    if "motels" in reranker.to_json() or isinstance(reranker.judge, JudgeSettings):
        with pytest.raises(ConfigurationError, match="is 'auto', None, a callable"):
            CompatibilityReranker.from_json(reranker.to_json())
    else:
        restored = CompatibilityReranker.from_json(reranker.to_json())
        assert restored.to_dict() == reranker.to_dict()
        assert (restored.exclude, restored.hard) == (reranker.exclude, reranker.hard)


class Shouting:
    """A user's parser."""

    def parse(self, text):
        return ParsedQuery(text.upper())


def test_a_policy_of_python_alone_is_not_restored():
    """A pipeline restored from a file must not rank by a different rule."""
    odd = CompatibilityReranker(AutoPolicy(parser=Shouting())).to_dict()
    with pytest.raises(ConfigurationError, match="policy="):
        CompatibilityReranker.from_dict(odd)
