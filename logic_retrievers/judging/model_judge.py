"""Base of judges that run a model, and their descriptions, from which a file restores them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any, NoReturn

from logic_retrievers.errors import ConfigurationError, shown
from logic_retrievers.judging.judge import TextPair

# class -> its module in this package
_MODULES = {
    "ChatJudge": "chat_judge",
    "CrossEncoderJudge": "cross_encoder",
    "OnnxJudge": "onnx_folder",
    "OnnxPairJudge": "onnx",
    "RerankEndpoint": "rerank_endpoint",
}


class ModelJudge(ABC):
    """A judge that runs a model; a :class:`QueryJudge`, and for some models a ``PairJudge`` too.

    Attributes:
        compares: whether :meth:`contradictions` works.
    """

    compares: bool = False
    # the constructor's, in JSON types; a judge that sets none cannot be saved
    _arguments: Mapping[str, Any] = MappingProxyType({})

    @abstractmethod
    def __call__(self, pairs: Sequence[TextPair], /) -> Sequence[Any]:
        """Return one answer for each pair (passage, query); see :class:`QueryJudge`."""

    def contradictions(
        self,
        pairs: Sequence[TextPair],  # noqa: ARG002
        /,
    ) -> Sequence[float | None]:
        """Return the probability that the two passages of each pair contradict each other.

        Raises:
            ConfigurationError: the model cannot tell.
        """
        raise ConfigurationError(f"{self!r} only knows relevance and cannot compare passages")

    @property
    def constants(self) -> Mapping[str, Any]:
        """The judge's own settings, by field name of :class:`JudgeSettings`."""
        return {}

    def describe(self) -> dict[str, Any]:
        """Return the constructor's arguments in JSON types, with the class's name as ``class``.

        Raises:
            ConfigurationError: a file cannot hold them, such as a key or a loaded model.
        """
        if not self._arguments:
            raise ConfigurationError(f"{self!r} cannot be saved; pass it again where it is loaded")
        given = {name: value for name, value in self._arguments.items() if value is not None}
        return {"class": type(self).__name__, **given}


def judge_from(description: Mapping[str, Any]) -> ModelJudge:
    """Make a judge from the result of :meth:`ModelJudge.describe`.

    Raises:
        ConfigurationError: no judge has that name, or a setting is unknown or invalid.
    """
    settings = dict(description)
    name = settings.pop("class", None)
    if not isinstance(name, str) or name not in _MODULES:
        raise ConfigurationError(
            f"no judge is called {shown(name)}; 'class' is one of {', '.join(_MODULES)}"
        )
    kind = getattr(import_module(f"logic_retrievers.judging.{_MODULES[name]}"), name)
    try:
        made: ModelJudge = kind(**settings)
    except TypeError as error:
        raise ConfigurationError(f"{name} cannot be made from its description: {error}") from error
    return made


def refuse_to_describe(judge: ModelJudge, setting: str, remedy: str) -> NoReturn:
    """Refuse to save a judge because of a setting that a file cannot hold.

    Raises:
        ConfigurationError: always.
    """
    raise ConfigurationError(f"{type(judge).__name__} with {setting}= cannot be saved. {remedy}")
