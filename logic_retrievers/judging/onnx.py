"""The pair judge of a bundle, on ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from logic_retrievers.encoders.base import clean_text
from logic_retrievers.encoders.bundle import Bundle, default_bundle_has_judge, load_bundle
from logic_retrievers.encoders.manifest import HIDDEN
from logic_retrievers.encoders.sessions import CPU, Graphs, Provider, available_cores
from logic_retrievers.encoders.tokenization import SharedTokenizer
from logic_retrievers.errors import BundleError
from logic_retrievers.judging.judge import LABELS, BundledJudge, TextPair


class OnnxPairJudge(BundledJudge):
    """A cross-encoder that reads two texts at once; a :class:`QueryJudge`.

    Each pair is read alone, one a core, so its probabilities do not depend on the others. Safe to
    call from several threads, which wait for each other.

    Args:
        bundle: a bundle with a judge, or its folder; the one that comes with the package where
            None.
        providers: as of :class:`logic_retrievers.encoders.OnnxEncoder`.
        threads: number of cores; all of them where None.

    Raises:
        BundleError: the bundle is missing or damaged, or has no judge.
        ProviderError: a provider is not available or did not load.

    Example:
        >>> judge = OnnxPairJudge()                                # doctest: +SKIP
        >>> judge([("Cake without nuts.", "a cake, but no nuts")])  # doctest: +SKIP
    """

    def __init__(
        self,
        bundle: Bundle | str | Path | None = None,
        *,
        providers: Sequence[Provider] | None = None,
        threads: int | None = None,
    ) -> None:
        self.bundle = bundle if isinstance(bundle, Bundle) else load_bundle(bundle)
        entry = self.bundle.manifest.judge
        if entry is None:
            raise BundleError(
                f"The bundle {self.bundle.manifest.name!r} has no pair judge. Pass one that has, a "
                "callable of your own, or judge=None."
            )
        self._entry = entry
        self._settings: dict[str, Any] = {"providers": providers, "threads": threads}
        self._tokenizer = SharedTokenizer(self.bundle.read(self.bundle.manifest.tokenizer))
        contents = {name: self.bundle.read(name) for name in (entry.trunk, entry.graph)}
        self._graphs = Graphs(contents, [CPU] if providers is None else providers, threads=1)
        self._workers = (threads or available_cores()) if providers in (None, [CPU]) else 1
        self._lock = Lock()
        try:
            self([("a", "b")])
        except Exception as error:
            raise BundleError(f"the judge {entry.graph!r} does not run: {error}") from error

    @property
    def constants(self) -> dict[str, float]:
        """As the bundle ships them."""
        return dict(self._entry.constants)

    def __call__(self, pairs: Sequence[TextPair], /) -> list[tuple[float, float, float]]:
        """Probabilities of :data:`LABELS` for each pair of a passage and a query."""
        rows = self.token_ids(pairs)
        with self._lock, ThreadPoolExecutor(self._workers) as pool:  # it takes all cores
            return list(pool.map(self._probabilities, rows))

    def token_ids(self, pairs: Sequence[TextPair]) -> list[list[int]]:
        """What the graph reads: both texts in one row, cut to the judge's length."""
        cleaned = [(clean_text(first), clean_text(second)) for first, second in pairs]
        return self._tokenizer.encode_pairs(cleaned, self._entry.max_tokens)

    def _probabilities(self, row: Sequence[int]) -> tuple[float, float, float]:
        ids = np.array([row], dtype=np.int64)
        feed = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        hidden = self._graphs.run(self._entry.trunk, [HIDDEN], feed)[0]
        feed = {**feed, HIDDEN: hidden}
        logits = self._graphs.run(self._entry.graph, [self._entry.output], feed)[0]
        if logits.shape != (1, len(LABELS)):
            raise BundleError(f"logits of shape {logits.shape}, not (1, {len(LABELS)})")
        if not np.isfinite(logits).all():
            raise BundleError("logits that are not finite")
        scaled = logits[0].astype(np.float64) / self._entry.temperature
        exponentials = np.exp(scaled - scaled.max())
        first, second, third = (exponentials / exponentials.sum()).tolist()
        return first, second, third

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the bundle's folder and the settings; the other process opens it anew."""
        return partial(type(self), self.bundle.path, **self._settings), ()


_default_lock = Lock()


def default_judge() -> OnnxPairJudge | None:
    """The judge of the bundle that comes with the package, if it has one; one per process."""
    with _default_lock:
        return _default_judge()


@cache
def _default_judge() -> OnnxPairJudge | None:
    return OnnxPairJudge() if default_bundle_has_judge() else None
