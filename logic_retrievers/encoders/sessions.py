"""ONNX Runtime sessions: opened with the provider that was asked for, or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any, TypeAlias

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


class Session:
    """One graph, ready to run; safe to call from several threads.

    Args:
        content: the ONNX file. Weights must be inside: a file beside it would escape the checksums.
        name: of the file, for messages.
        providers: in order of preference, see :class:`OnnxEncoder`.
        threads: within an operator; None leaves it to ONNX Runtime.
    """

    def __init__(
        self, content: bytes, name: str, providers: Sequence[Provider], threads: int | None
    ) -> None:
        names = [p if isinstance(p, str) else p[0] for p in providers]
        _check_available(names)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3  # errors; they are raised as well
        if threads is not None:
            options.intra_op_num_threads = threads
        try:
            self._session = onnxruntime.InferenceSession(
                content,
                options,
                providers=[p if isinstance(p, str) else (p[0], dict(p[1])) for p in providers],
                disabled_optimizers=_SLOWER_ON_CPU if names == [CPU] else None,
            )
        except Exception as error:  # ONNX Runtime's own classes derive from Exception, one a status
            raise BundleError(
                f"ONNX Runtime {onnxruntime.__version__} cannot load {name!r}: {error}. Export the "
                "bundle again, or use the onnxruntime that it was made for."
            ) from error
        self._session.disable_fallback()
        _check_loaded(names, self._session.get_providers())
        self._inputs = {i.name for i in self._session.get_inputs()}
        self.outputs = [o.name for o in self._session.get_outputs()]
        if unknown := sorted(self._inputs - _INPUTS):
            raise BundleError(
                f"The graph {name!r} wants {', '.join(unknown)}, which an encoder does not have. "
                f"It may use {', '.join(sorted(_INPUTS))}."
            )

    def run(self, outputs: Sequence[str], feed: Mapping[str, npt.NDArray[Any]]) -> list[Any]:
        """The named outputs; inputs that the graph does not use are left out."""
        wanted = {name: array for name, array in feed.items() if name in self._inputs}
        return list(self._session.run(list(outputs), wanted))


def clashing_runtimes() -> tuple[str, ...]:
    """The installed ONNX Runtime distributions where there are several, else nothing.

    They install over one folder, so the one that came last wins and the other is broken.
    """
    candidates = ("onnxruntime", "onnxruntime-gpu", "onnxruntime-directml", "onnxruntime-openvino")
    found = tuple(name for name in candidates if _is_installed(name))
    return found if len(found) > 1 else ()


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
