"""The meaning of a cross-encoder's logits, and the base of judges that run one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from logic_retrievers.encoders.base import clean_text
from logic_retrievers.errors import ConfigurationError, shown
from logic_retrievers.judging.judge import LABELS, VERDICTS, PartialAnswers, TextPair
from logic_retrievers.judging.model_judge import ModelJudge
from logic_retrievers.text import visible_text

# shape (pairs, labels)
Logits: TypeAlias = npt.NDArray[np.float64]

# a token is about .7 words; the rest is for the query
_WORDS_PER_TOKEN = 0.5
# a user waits while the judge reads 20 passages of this many words
_MOST_WORDS = 1000

_MEANINGS = f"{', '.join(LABELS)}; or {', '.join(VERDICTS)}"


def check_labels(labels: Any) -> tuple[str, ...] | None:
    """Return a user's labels in lower case; None if the model's own labels count.

    Raises:
        ConfigurationError: they are not the three labels of NLI, or the three verdicts.
    """
    if labels is None:
        return None
    is_list = isinstance(labels, list | tuple) and all(isinstance(name, str) for name in labels)
    names = tuple(name.strip().lower() for name in labels) if is_list else ()
    if not _are_known(names):
        raise ConfigurationError(
            f"labels are three names in the order of the model's logits ({_MEANINGS}), not"
            f" {shown(labels)}"
        )
    return names


def read_labels(
    given: tuple[str, ...] | None, id2label: Mapping[int, str], count: int
) -> tuple[str, ...]:
    """Return the labels of a model's logits; none for a model with one logit, a relevance score.

    Args:
        given: the user's labels, from :func:`check_labels`.
        id2label: the labels in the model's configuration.
        count: number of the model's logits.

    Raises:
        ConfigurationError: the labels cannot be told, or the model has two or more than three.
    """
    own = [str(id2label[key]) for key in sorted(id2label)]
    names = given or tuple(name.strip().lower() for name in own)
    if count not in (1, len(LABELS)):
        raise ConfigurationError(
            f"the model gives {count} numbers for a pair ({', '.join(own[:9])}); a judge needs one"
            f" score, or three labels ({_MEANINGS}). Wrap this model in a callable that returns"
            " such answers; see QueryJudge."
        )
    if count == 1:
        if given is not None:
            raise ConfigurationError("the model gives one score for a pair; leave out labels=")
        return ()
    if len(names) != count or not _are_known(names):
        raise ConfigurationError(
            f"the meaning of the model's labels {', '.join(own)} cannot be told. Pass labels= with"
            " their meanings in this order, as the model's card gives them, such as"
            " labels=('contradiction', 'entailment', 'neutral')."
        )
    return names


def _are_known(names: Sequence[str]) -> bool:
    return sorted(names) in (sorted(LABELS), sorted(VERDICTS))


class CrossEncoderBase(ModelJudge):
    """Base of the judges that run a user's cross-encoder.

    A model with three labels reads the passage first, then the query: an NLI model's premise and
    hypothesis. A model with one score reads the query first, as rerankers are trained.
    """

    _labels: tuple[str, ...]
    _max_tokens: int

    def _use(self, labels: tuple[str, ...], max_tokens: int) -> None:
        self._labels, self._max_tokens = labels, max_tokens
        self.compares = sorted(labels) == sorted(LABELS)

    def __call__(self, pairs: Sequence[TextPair], /) -> Sequence[Any]:
        if not pairs:
            return []
        read = self._readable(pairs)
        if self._labels:
            return _answers(self._probabilities(self._logits(read, "judge")))
        return _answers(self._logits([(query, passage) for passage, query in read], "judge")[:, 0])

    def contradictions(self, pairs: Sequence[TextPair], /) -> Sequence[float | None]:
        """Return the mean of both directions' probabilities of a contradiction."""
        if not self.compares:
            return super().contradictions(pairs)
        if not pairs:
            return []
        read = self._readable(pairs)
        both = [*read, *((second, first) for first, second in read)]
        contradiction = self._probabilities(self._logits(both, "relation"))[:, 2]
        return _answers((contradiction[: len(pairs)] + contradiction[len(pairs) :]) / 2)

    @property
    def constants(self) -> Mapping[str, Any]:
        words = min(int(self._max_tokens * _WORDS_PER_TOKEN), _MOST_WORDS)
        return {"ask": "query", "max_words": max(words, 1)}

    @abstractmethod
    def _logits(self, pairs: Sequence[TextPair], purpose: str) -> Logits:
        """Read each pair's first text, then its second; ``purpose``: ``judge``, ``relation``."""

    def __reduce__(self) -> tuple[Any, ...]:
        # unpickling opens the model again
        return partial(type(self), **self._arguments), ()

    def _readable(self, pairs: Sequence[TextPair]) -> list[TextPair]:
        return [(visible_text(clean_text(a)), visible_text(clean_text(b))) for a, b in pairs]

    def _probabilities(self, logits: Logits) -> Logits:
        """Return probabilities in the order of LABELS or VERDICTS."""
        names = LABELS if self.compares else VERDICTS
        ordered = logits[:, [self._labels.index(name) for name in names]]
        with np.errstate(invalid="ignore"):  # infinite logits give NaN
            exponentials = np.exp(ordered - ordered.max(axis=1, keepdims=True))
            return np.asarray(exponentials / exponentials.sum(axis=1, keepdims=True))


def _answers(values: npt.NDArray[np.float64]) -> list[Any]:
    """Return one answer for each row; None where a number is not finite."""
    finite = [bool(np.isfinite(value).all()) for value in values]
    pairs = zip(values.tolist(), finite, strict=True)
    answers = [value if good else None for value, good in pairs]
    if all(finite):
        return answers
    return PartialAnswers(answers, "its model gave numbers that are not finite")
