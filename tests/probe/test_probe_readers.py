"""Readers: without a model, behind an endpoint, and through a cache."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chat_endpoint import Endpoint, completion, running_endpoint
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_logic_retrievers import ChatModelReader
from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.llms.mock import MockLLM
from llama_index_logic_retrievers import LLMReader
from probing import FirstName
from suites import HashedEncoder

from logic_retrievers.chat import ChatEndpoint
from logic_retrievers.errors import InputError, StorageError
from logic_retrievers.probe import CachedReader, EndpointReader, ExtractiveReader, build_prompt
from logic_retrievers.probe.readers import split_sentences

PASSAGES = ["Bob likes tea. Dan sails boats.", "Ann grows roses.\nCid plays chess."]
PROMPT = build_prompt("Who plays chess?", PASSAGES, 3)


def test_the_prompt_shows_passages_in_order_and_asks_last() -> None:
    """A reader with a changed passage order answers differently."""
    lines = PROMPT.user.splitlines()
    assert lines == [
        "Passages:",
        "1. Bob likes tea. Dan sails boats.",
        "2. Ann grows roses. Cid plays chess.",
        "Question: Who plays chess?",
    ]
    assert "I don't know" in PROMPT.system
    roles = ["system", *["user", "assistant"] * len(PROMPT.examples), "user"]
    assert [role for role, _ in PROMPT.turns] == roles
    assert PROMPT.turns[1:3] == [("user", PROMPT.examples[0][0]), ("assistant", "The Birk")]
    assert PROMPT.passages == tuple(PASSAGES)
    assert build_prompt("Who?", ()).user == "Passages:\nQuestion: Who?"


def test_the_nearest_sentence() -> None:
    reader = ExtractiveReader(HashedEncoder())
    assert reader.answer(PROMPT) == "Cid plays chess."
    assert reader.answer(build_prompt("Who sails boats?", PASSAGES)) == "Dan sails boats."
    assert reader.answer(build_prompt("Who?", [])) == ""
    assert reader.answer(build_prompt("Who?", [" "])) == ""


def test_the_earlier_passage_wins_a_tie() -> None:
    """Retrieval, not a sort's order, decides between equals."""
    reader = ExtractiveReader(HashedEncoder())
    for passages in (["Tea likes Bob.", "Bob likes tea."], ["Bob likes tea.", "Tea likes Bob."]):
        # the same words, hence the same vector
        assert reader.answer(build_prompt("likes tea", passages)) == passages[0]
    assert reader.name == ExtractiveReader(HashedEncoder()).name
    assert reader.name != ExtractiveReader(HashedEncoder(version="2")).name


def test_sentences() -> None:
    assert split_sentences('He said "No." Then he left! At 3.5 km, e.g. near\n\nOslo') == [
        'He said "No."',
        "Then he left!",
        "At 3.5 km, e.g. near",
        "Oslo",
    ]


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with running_endpoint() as server:
        yield server


def test_an_endpoint_is_asked_with_the_prompt(endpoint: Endpoint) -> None:
    """Without the seed or the bound the next run gets different answers."""
    endpoint.will(200, completion(" Cid. "))
    asked = ChatEndpoint(endpoint.url, "small", api_key="sk-secret")
    reader = EndpointReader(asked, max_tokens=9)
    assert reader.answer(PROMPT) == "Cid."
    ((_, _, body),) = endpoint.requests
    assert body == {
        "model": "small",
        "messages": [{"role": role, "content": said} for role, said in PROMPT.turns],
        "temperature": 0.0,
        "max_tokens": 9,
        "seed": 3,
    }
    assert "sk-secret" not in f"{reader.name} {vars(reader)} {asked!r}"
    bare = EndpointReader(asked, temperature=None, max_tokens=None, send_seed=False)
    bare.answer(PROMPT)
    assert endpoint.requests[1][2].keys() == {"model", "messages"}
    assert len({reader.name, bare.name, EndpointReader(asked).name}) == 3


def test_a_cut_answer_is_one_and_a_withheld_one_is_none(endpoint: Endpoint) -> None:
    """The probe itself bounds answers, which must not cost the question."""
    reader = EndpointReader(ChatEndpoint(endpoint.url, "small"))
    endpoint.will(200, completion("Cid, who", "length"))
    endpoint.will(200, completion(None))
    endpoint.will(200, completion("", "content_filter"))
    assert reader.answer(PROMPT) == "Cid, who"
    assert reader.answer(PROMPT) == ""
    with pytest.raises(InputError, match="withheld"):
        reader.answer(PROMPT)


def test_any_chat_model_of_langchain() -> None:
    class Model(GenericFakeChatModel):
        def invoke(self, messages: Any, *args: Any, **kwargs: Any) -> AIMessage:
            assert messages == PROMPT.turns
            return AIMessage([{"type": "text", "text": " Cid "}])

    reader = ChatModelReader(Model(messages=iter([])), name="small")
    assert (reader.name, reader.answer(PROMPT)) == ("small", "Cid")


def test_any_llm_of_llama_index() -> None:
    class Model(MockLLM):
        def chat(self, messages: Any, **kwargs: Any) -> ChatResponse:
            assert [(m.role.value, m.content) for m in messages] == PROMPT.turns
            return ChatResponse(message=ChatMessage(role="assistant", content=" Cid "))

    reader = LLMReader(Model(), name="small")
    assert (reader.name, reader.answer(PROMPT)) == ("small", "Cid")


def test_what_was_answered_is_not_asked_again(tmp_path: Path) -> None:
    """Making a report a second time must not cost the same again."""
    inner = FirstName()
    reader = CachedReader(inner, tmp_path / "answers")
    others = [
        build_prompt("Who plays chess?", PASSAGES, 4),
        build_prompt("Who plays chess?", PASSAGES[::-1], 3),
        build_prompt("Who plays go?", PASSAGES, 3),
    ]
    for _ in range(2):
        for prompt in (PROMPT, *others):
            assert reader.answer(prompt) == prompt.passages[0].split()[0]
    assert len(inner.asked) == 4
    again = FirstName()
    assert CachedReader(again, tmp_path / "answers").answer(PROMPT) == "Bob"
    assert not again.asked
    again.name = "another"
    CachedReader(again, tmp_path / "answers").answer(PROMPT)
    assert len(again.asked) == 1
    (tmp_path / "none").write_text("no database, but long enough to be looked at " * 50)
    with pytest.raises(StorageError, match="none"):
        CachedReader(inner, tmp_path / "none")
