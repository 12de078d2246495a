"""Open ONNX Runtime sessions, and fail if a requested execution provider does not load.

No other module imports ONNX Runtime, whose telemetry ``logic_retrievers/__init__.py`` switches off;
``int8`` imports its quantiser, when called.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from typing import Any, TypeAlias
from weakref import WeakValueDictionary

import numpy.typing as npt
import onnxruntime as onnxruntime  # other modules import it from here

from logic_retrievers.encoders.graph_files import check_graph
from logic_retrievers.errors import (
    BundleError,
    ConfigurationError,
    EncoderError,
    ProviderError,
    shown,
)

# name of an execution provider, such as CUDAExecutionProvider, alone or with options
Provider: TypeAlias = str | tuple[str, Mapping[str, Any]]

CPU = "CPUExecutionProvider"


class Graph:
    """One open graph; safe to run from several threads.

    A single batch runs on all cores at once, which has the shortest latency. Many batches run on
    one core each, which has the highest throughput because cores never wait for one another. Only
    the CPU runs many batches, with a second copy of the weights that is opened when first needed.
    ``name`` is for messages. :class:`OnnxEncoder` explains ``providers`` and ``threads``.
    """

    def __init__(
        self, content: bytes, name: str, providers: Sequence[Provider], threads: int | None
    ) -> None:
        self._name, self._providers = name, providers
        self._session = _open_session(content, name, providers, threads)
        optional = self._session.get_overridable_initializers()
        self._inputs = {node.name for node in [*self._session.get_inputs(), *optional]}
        self._content = content if count_workers(providers, threads) > 1 else b""
        self._lock = threading.Lock()
        self._single_core: onnxruntime.InferenceSession | None = None

    def run(
        self,
        outputs: Sequence[str] | None,
        feed: Mapping[str, npt.NDArray[Any]],
        *,
        single_core: bool = False,
    ) -> list[Any]:
        """Run the graph once; ignore arrays of ``feed`` that the graph does not read.

        ``outputs=None`` returns all outputs. ``single_core`` leaves the other cores to threads that
        run the graph at the same time.
        """
        inputs = {key: array for key, array in feed.items() if key in self._inputs}
        session = self._single_core_session() if single_core else self._session
        try:
            return list(session.run(outputs, inputs))
        except Exception as error:  # ONNX Runtime's errors share only this base
            raise EncoderError(
                f"ONNX Runtime cannot run {self._name!r}: {str(error)[:500]}. If memory is short, "
                "take smaller batches; else graph and tokenizer may not belong together."
            ) from error

    def _single_core_session(self) -> onnxruntime.InferenceSession:
        with self._lock:
            if self._single_core is None:
                self._single_core = _open_session(
                    self._content, self._name, self._providers, threads=1
                )
                self._content = b""
            return self._single_core


def open_graph(
    content: bytes, name: str, providers: Sequence[Provider], threads: int | None
) -> Graph:
    """Open a graph, or return it if an encoder or judge of this process has it open already."""
    key = hashlib.sha256(content).hexdigest(), repr(providers), threads
    with _opening:
        graph = _open_graphs.get(key)
        if graph is None:
            graph = _open_graphs[key] = Graph(content, name, providers, threads)
        return graph


_opening = threading.Lock()
_open_graphs: WeakValueDictionary[tuple[str, str, int | None], Graph] = WeakValueDictionary()


def count_workers(providers: Sequence[Provider], threads: int | None) -> int:
    """Return the number of batches that run in parallel; only the CPU runs several."""
    if _names(providers) != [CPU]:
        return 1
    allowed = getattr(os, "sched_getaffinity", None)  # not on every system
    return threads or (len(allowed(0)) if allowed else os.cpu_count() or 1)


@cache
def shared_threads(workers: int, purpose: str) -> ThreadPoolExecutor:
    """Keep one pool of threads for each purpose and number of workers.

    So a search's judge does not wait for the thousands of pairs that a cleaner reads.
    """
    return ThreadPoolExecutor(workers, thread_name_prefix=f"logic-retrievers-{purpose}")


def _after_fork() -> None:
    """Forget what has threads, which do not survive a fork."""
    global _opening
    shared_threads.cache_clear()
    _opening = threading.Lock()
    _open_graphs.clear()


if hasattr(os, "register_at_fork"):  # missing on Windows, which does not fork
    os.register_at_fork(after_in_child=_after_fork)


def _open_session(
    content: bytes, name: str, providers: Sequence[Provider], threads: int | None
) -> onnxruntime.InferenceSession:
    names = _names(providers)
    if not names or not all(isinstance(each, str) for each in names):
        raise ConfigurationError(
            f"providers are names of execution providers, not {shown(names)}. Leave them out for"
            " the CPU."
        )
    available = onnxruntime.get_available_providers()
    if missing := [each for each in names if each not in available]:
        raise ProviderError(
            f"This ONNX Runtime has no {', '.join(missing)}; it has {', '.join(available)}. "
            "For CUDA: pip uninstall onnxruntime, then pip install onnxruntime-gpu."
        )
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # fatal only, since errors are raised anyway
    # After a run, a session's threads keep spinning and take cores from the graph that runs next.
    # For a query in parts, trunk and heads take 36 ms with the spinning, 22 ms without.
    options.add_session_config_entry("session.force_spinning_stop", "1")
    # refuse ONNX Runtime's own format, which `check_graph` cannot check
    options.add_session_config_entry("session.load_model_format", "ONNX")
    if threads is not None:
        options.intra_op_num_threads = threads
    on_cpu = names == [CPU]
    if on_cpu:
        _share_arena()
        options.add_session_config_entry("session.use_env_allocators", "1")
        options.enable_mem_pattern = False  # a memory plan fits only one input shape
    try:
        check_graph(content)
        session = onnxruntime.InferenceSession(
            content,
            options,
            providers=[p if isinstance(p, str) else (p[0], dict(p[1])) for p in providers],
            # on a CPU the fused "add, then normalise" takes 5.3 ms, two separate kernels .7 ms
            disabled_optimizers=["SkipLayerNormFusion"] if on_cpu else None,
            enable_fallback=not on_cpu,  # True prints the error and retries the same
        )
    except Exception as error:  # ONNX Runtime's errors share only this base
        raise BundleError(
            f"{name!r} cannot be loaded by ONNX Runtime {onnxruntime.__version__}: "
            f"{str(error)[:500]} Export it again, or use the onnxruntime that it was made for."
        ) from error
    # if a provider fails, ONNX Runtime only logs the failure and uses the CPU
    loaded = session.get_providers()
    if missing := [each for each in names if each not in loaded]:
        raise ProviderError(
            f"{', '.join(missing)} did not load; ONNX Runtime fell back to {', '.join(loaded)}. "
            "Check driver and libraries of the device, or ask for CPUExecutionProvider."
        )
    session.disable_fallback()
    session._model_bytes = None  # frees 47 MiB that only a fallback reads
    # return freed memory to the system; glibc keeps 90 MiB for each set of opened graphs
    with suppress(AttributeError, OSError, TypeError):  # not in other C libraries or on Windows
        ctypes.CDLL(None).malloc_trim(0)
    return session


@cache
def _share_arena() -> None:
    """Share one arena, because every session's own arena keeps the memory of its largest batch."""
    kind = onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR
    memory = onnxruntime.OrtMemoryInfo("Cpu", kind, 0, onnxruntime.OrtMemType.DEFAULT)
    by_request = onnxruntime.OrtArenaCfg({"arena_extend_strategy": 1})
    with suppress(RuntimeError):  # this process has registered an arena already
        onnxruntime.create_and_register_allocator(memory, by_request)


def _names(providers: Sequence[Provider]) -> list[str]:
    return [p[0] if isinstance(p, tuple) and p else p for p in providers]
