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

from logic_retrievers.encoders.manifest import HIDDEN
from logic_retrievers.errors import BundleError, ConfigurationError, ProviderError

Provider: TypeAlias = str | tuple[str, Mapping[str, Any]]
"""An execution provider's name, such as ``CUDAExecutionProvider``, alone or with its options."""

CPU = "CPUExecutionProvider"
_TOKENS = frozenset({"input_ids", "attention_mask", "token_type_ids"})

# One fused kernel for "add, then normalise" takes seven times as long on a CPU as the two that it
# replaces (onnxruntime 1.31: 5.3 against 0.7 ms for 2,048 tokens), a tenth of an encoder's time.
_SLOWER_ON_CPU = ["SkipLayerNormFusion"]

# The threads of a session spin on after a run and take the cores from the next graph's: trunk and
# heads run one after the other, in 36 ms for a query in parts, in 22 with the spinning stopped.
_STOP_SPINNING = ("session.force_spinning_stop", "1")

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
Feed: TypeAlias = Mapping[str, npt.NDArray[Any]]
Run: TypeAlias = Callable[[str, Sequence[str], Feed], list[Any]]
"""Runs a graph once: its name, names of the outputs wanted, arrays by input name."""


class Graph:
    """One graph, opened; a second time, for one core, when batches first run side by side.

    Args:
        content: of the ONNX file. Weights must be inside: a file beside it would escape the
            checksums.
        name: for messages.
        providers, threads: see :class:`Graphs`.
        twice: whether the content is kept for the second opening.
    """

    def __init__(
        self,
        content: bytes,
        name: str,
        providers: Sequence[Provider],
        threads: int | None,
        *,
        twice: bool,
    ) -> None:
        self.session = _open(content, name, providers, threads)
        self.inputs = frozenset(found.name for found in self.session.get_inputs())
        self._name, self._providers = name, providers
        self._content = content if twice else b""
        self._lock = threading.Lock()
        self._beside: onnxruntime.InferenceSession | None = None
        _check_loaded(_names(providers), self.session.get_providers())
        if unknown := sorted(self.inputs - _TOKENS - {HIDDEN}):
            raise BundleError(
                f"The graph {name!r} wants {', '.join(unknown)}, which an encoder does not "
                f"have. It may use {', '.join(sorted(_TOKENS | {HIDDEN}))}."
            )

    def beside(self) -> onnxruntime.InferenceSession:
        """The same graph on one core, for several threads at once."""
        with self._lock:
            if self._beside is None:
                self._beside = _open(self._content, self._name, self._providers, threads=1)
                self._content = b""
            return self._beside


class Graphs:
    """The graphs of a bundle, ready to run; safe to use from several threads.

    A single batch runs on all cores at once, which answers soonest. Of many batches each has one
    core to itself, which does most: the cores never wait for one another. That takes a second copy
    of the graphs, opened when first needed, on the CPU only.

    Args:
        contents: file name -> ONNX file.
        providers: in order of preference, see :class:`OnnxEncoder`.
        threads: how many cores to use; all of them where None.
        known: graphs that were opened so already, by file name.
    """

    def __init__(
        self,
        contents: Mapping[str, bytes],
        providers: Sequence[Provider],
        threads: int | None,
        known: Mapping[str, Graph] | None = None,
    ) -> None:
        names = _names(providers)
        _check_available(names)
        self._providers, self._threads = providers, threads
        self._workers = (threads or _cores()) if names == [CPU] else 1
        self._graphs = {**(known or {})}
        for name, content in contents.items():
            self._graphs[name] = Graph(content, name, providers, threads, twice=self._workers > 1)

    def changed(self, names: Iterable[str], read: Callable[[str], bytes]) -> Graphs:
        """The graphs of these names: those that are here, shared, and the others, opened.

        Args:
            names: of all the graphs wanted; equal names must mean equal contents.
            read: gives the content of one that is not here.
        """
        wanted = list(names)
        known = {name: self._graphs[name] for name in wanted if name in self._graphs}
        new = {name: read(name) for name in wanted if name not in known}
        return Graphs(new, self._providers, self._threads, known)

    def outputs(self, name: str) -> list[str]:
        """Names of a graph's outputs."""
        return [output.name for output in self._graphs[name].session.get_outputs()]

    def reads_tokens(self, name: str) -> bool:
        """Whether a graph needs no trunk."""
        return HIDDEN not in self._graphs[name].inputs

    def each(
        self, work: Callable[[Run, _Item], _Result], items: Sequence[_Item]
    ) -> Iterable[_Result]:
        """What ``work`` makes of each item with the graphs, in order.

        Args:
            work: is given a function that runs a graph, and an item; must be safe to call from
                several threads.
            items: as many as there are batches.
        """
        if len(items) < 2 or self._workers < 2:
            return self.in_turn(work, items)
        return self._side_by_side(work, items)

    def in_turn(
        self, work: Callable[[Run, _Item], _Result], items: Sequence[_Item]
    ) -> Iterable[_Result]:
        """:meth:`each` with all cores on one item after the other: the soonest for a few."""
        run = self._runner(lambda graph: graph.session)
        return (work(run, item) for item in items)

    def _side_by_side(
        self, work: Callable[[Run, _Item], _Result], items: Sequence[_Item]
    ) -> Iterator[_Result]:
        run = self._runner(Graph.beside)
        with ThreadPoolExecutor(min(self._workers, len(items))) as pool:
            yield from pool.map(lambda item: work(run, item), items)

    def _runner(self, session_of: Callable[[Graph], onnxruntime.InferenceSession]) -> Run:
        def run(name: str, outputs: Sequence[str], feed: Feed) -> list[Any]:
            graph = self._graphs[name]
            wanted = {key: array for key, array in feed.items() if key in graph.inputs}
            return list(session_of(graph).run(list(outputs), wanted))

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
    options.add_session_config_entry(*_STOP_SPINNING)
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
