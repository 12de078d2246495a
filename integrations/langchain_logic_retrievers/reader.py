"""Any LangChain chat model as a reader of the RAG probe."""

from __future__ import annotations

from langchain_core.language_models import BaseChatModel

from logic_retrievers.probe import Prompt


class ChatModelReader:
    """Reads with a chat model, under the settings that it was made with; its seed is its own.

    Args:
        model: any chat model.
        name: says which model and settings these are; cached answers go by it. No model tells that
            of itself without fail.

    Example:
        >>> ChatModelReader(model, name="small, temperature 0")  # doctest: +SKIP
    """

    def __init__(self, model: BaseChatModel, *, name: str) -> None:
        self._model = model
        self._name = name

    @property
    def name(self) -> str:
        """As it was given."""
        return self._name

    def answer(self, prompt: Prompt) -> str:
        """The text of the model's answer; its errors are passed on."""
        said = self._model.invoke(list(prompt.turns))
        return str(said.text).strip()
