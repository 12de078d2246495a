"""Any LlamaIndex LLM as a reader of the RAG probe."""

from __future__ import annotations

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.llms import LLM

from logic_retrievers.probe import Prompt


class LLMReader:
    """Reads with an LLM, under the settings that it was made with; its seed is its own.

    Args:
        llm: any LLM.
        name: says which model and settings these are; cached answers go by it. No model tells that
            of itself without fail.

    Example:
        >>> LLMReader(llm, name="small, temperature 0")  # doctest: +SKIP
    """

    def __init__(self, llm: LLM, *, name: str) -> None:
        self._llm = llm
        self._name = name

    @property
    def name(self) -> str:
        """As it was given."""
        return self._name

    def answer(self, prompt: Prompt) -> str:
        """The text of the LLM's answer; its errors are passed on."""
        said = self._llm.chat(
            [ChatMessage(role=MessageRole(role), content=said) for role, said in prompt.turns]
        )
        return (said.message.content or "").strip()
