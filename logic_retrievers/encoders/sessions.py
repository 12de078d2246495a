"""ONNX Runtime sessions: opened with the provider that was asked for, or not at all."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any, TypeAlias, TypeVar

import numpy.typing as npt
import onnxruntime

from logic_retrievers.errors import BundleError, ConfigurationError, ProviderError

Provider: TypeAlias = str | tuple[str, Mapping[str, Any]]
"""An execution provider's name, such as ``CUDAExecutionProvider``, alone or with its options."""

CPU = "CPUExecutionProvider"
_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}

# One fused kernel for "add, then normalise" takes seven times as long on a CPU as the two that it
# replaces (onnxruntime 1.31: 5.3 against 0.7 ms for 2,048 tokens), a tenth of an encoder's time.
_SLOWER_ON_CPU = ["SkipLayerNormFusion"]

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
Run: TypeAlias = Callable[[Sequence[str], Mapping[str, npt.NDArray[Any]]], list[Any]]
"""Runs the graph once: names of the outputs wanted, arrays by input name."""


class Session:
    """One graph, ready to run; safe to call from several threads.

    A single batch runs on all cores at once, which answers soonest. Of many batches each has one
    core to itself, which does most: the cores never wait for one another. That takes a second copy
    of the graph, opened when first needed, on the CPU only.

    Args:
        content: the ONNX file. Weights must be inside: a file beside it would escape the checksums.
        name: of the file, for messages.
        providers: in order of preference, see :class:`OnnxEncoder`.
        threads: how many cores to use; all of them where None.
    """

    def __init__(
        self, content: bytes, name: str, providers: Sequence[Provider], threads: int | None
    ) -> None:
        names = _names(providers)
        _check_available(names)
        self._name, self._providers = name, providers
        self._workers = (threads or _cores()) if names == [CPU] else 1
        self._content = content if self._workers > 1 else b""
        self._lock = threading.Lock()
        self._beside: onnxruntime.InferenceSession | None = None
        self._session = _open(content, name, providers, threads)
        _check_loaded(names, self._session.get_providers())
        self._inputs = {i.name for i in self._session.get_inputs()}
        self.outputs = [o.name for o in self._session.get_outputs()]
        if unknown := sorted(self._inputs - _INPUTS):
            raise BundleError(
                f"The graph {name!r} wants {', '.join(unknown)}, which an encoder does not have. "
                f"It may use {', '.join(sorted(_INPUTS))}."
            )

    def each(
        self, work: Callable[[Run, _Item], _Result], items: Sequence[_Item]
    ) -> Iterable[_Result]:
        """What ``work`` makes of each item with the graph, in order.

        Args:
            work: is given a function that runs the graph, and an item; must be safe to call from
                several threads.
            items: as many as there are batches.
        """
        return self.in_turn(work, items) if self._workers < 2 else self._side_by_side(work, items)

    def in_turn(
        self, work: Callable[[Run, _Item], _Result], items: Sequence[_Item]
    ) -> Iterable[_Result]:
        """:meth:`each` with all cores on one item after the other: the soonest for a few."""
        return (work(self._runner(self._session), item) for item in items)

    def _side_by_side(
        self, work: Callable[[Run, _Item], _Result], items: Sequence[_Item]
    ) -> Iterator[_Result]:
        with self._lock:
            if self._beside is None:
                self._beside = _open(self._content, self._name, self._providers, threads=1)
                self._content = b""
        run = self._runner(self._beside)
        with ThreadPoolExecutor(min(self._workers, len(items))) as pool:
            yield from pool.map(lambda item: work(run, item), items)

    def _runner(self, session: onnxruntime.InferenceSession) -> Run:
        def run(outputs: Sequence[str], feed: Mapping[str, npt.NDArray[Any]]) -> list[Any]:
            wanted = {name: array for name, array in feed.items() if name in self._inputs}
            return list(session.run(list(outputs), wanted))

        return run


def clashing_runtimes() -> tuple[str, ...]:
    """The installed ONNX Runtime distributions where there are several, else nothing.

    They install over one folder, so the one that came last wins and the other is broken.
    """
    candidates = ("onnxruntime", "onnxruntime-gpu", "onnxruntime-directml", "onnxruntime-openvino")
    found = tuple(name for name in candidates if _is_installed(name))
    return found if len(found) > 1 else ()


def _open(
    content: bytes, name: str, providers: Sequence[Provider], threads: int | None
) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # errors; they are raised as well
    if threads is not None:
        options.intra_op_num_threads = threads
    try:
        session = onnxruntime.InferenceSession(
            content,
            options,
            providers=[p if isinstance(p, str) else (p[0], dict(p[1])) for p in providers],
            disabled_optimizers=_SLOWER_ON_CPU if _names(providers) == [CPU] else None,
        )
    except Exception as error:  # ONNX Runtime's own classes derive from Exception, one a status
        raise BundleError(
            f"ONNX Runtime {onnxruntime.__version__} cannot load {name!r}: {error}. Export the "
            "bundle again, or use the onnxruntime that it was made for."
        ) from error
    session.disable_fallback()
    return session


def _names(providers: Sequence[Provider]) -> list[str]:
    return [p if isinstance(p, str) else p[0] for p in providers]


def _cores() -> int:
    """The cores that this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def _is_installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


def _check_available(names: Sequence[str]) -> None:
    if not names:
        raise ConfigurationError("providers is empty. Leave it out for the CPU.")
    available = onnxruntime.get_available_providers()
    if missing := [name for name in names if name not in available]:
        raise ProviderError(
            f"This ONNX Runtime has no {', '.join(missing)}; it has {', '.join(available)}. "
            "For CUDA: pip uninstall onnxruntime, then pip install onnxruntime-gpu."
        )


def _check_loaded(names: Sequence[str], loaded: Sequence[str]) -> None:
    """ONNX Runtime goes on with the CPU where a provider fails, and says so in a log only."""
    if missing := [name for name in names if name not in loaded]:
        raise ProviderError(
            f"{', '.join(missing)} did not load; ONNX Runtime fell back to {', '.join(loaded)}. "
            "Check driver and libraries of the device, or ask for CPUExecutionProvider."
        )
