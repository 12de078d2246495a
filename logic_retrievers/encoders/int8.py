"""Graphs that multiply in int8, made once by ONNX Runtime's quantiser.

Weights get a scale per output channel, activations one for each run of the graph. So a graph reads
one text at a time: in a batch, a text's vector would depend on its neighbours.
"""

from __future__ import annotations

import hashlib
import logging
import os
import platform
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from logic_retrievers.encoders.sessions import CPU, onnxruntime
from logic_retrievers.errors import ConfigurationError, MissingExtraError, StorageError
from logic_retrievers.files import private_folder

# environment variable with the folder of quantised graphs
FOLDER = "LOGIC_RETRIEVERS_CACHE"
# flags in /proc/cpuinfo of x86 and of ARM
_FLAGS = ("amx_int8", "avx512_vnni", "avx_vnni", "asimddp")
# part of the names of cached files; changes with the way they are made
_VERSION = 1


@cache
def int8_instructions() -> str | None:
    """Name the processor's instructions for sums of int8 products; None if it has none known.

    Without them ONNX Runtime sums pairs of products in 16 bits, which overflow: vectors would
    depend on the machine.
    """
    if platform.machine() == "arm64":  # every Mac with an Apple processor has them
        return "asimddp"
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        return None
    flags = {
        word
        for line in re.findall(r"(?m)^(?:flags|Features)\s*:(.*)$", text)
        for word in line.split()
    }
    return next((flag for flag in _FLAGS if flag in flags), None)


def require_int8(providers: object) -> None:
    """Raise :class:`ConfigurationError` if int8 is not possible or not safe here."""
    if providers:
        raise ConfigurationError("precision='int8' runs on the CPU; leave providers= out.")
    if int8_instructions() is None:
        raise ConfigurationError(
            "precision='int8' needs a processor with VNNI, AMX or ARM's dot product, and this one "
            "shows none of them (`logic-retrievers doctor`): its vectors would differ from those "
            "of other machines. Leave precision= out."
        )


def quantise_graph(content: bytes, name: str) -> bytes:
    """Return a float32 graph with its matrix products in int8; ``name`` is for messages.

    The result is kept in the user's cache folder, or that of ``LOGIC_RETRIEVERS_CACHE``.

    Raises:
        MissingExtraError: it was never made on this machine, and the extra ``int8`` is missing.
        StorageError: the cache folder cannot be written.
    """
    digest = hashlib.sha256(content).hexdigest()[:32]
    file = cache_folder() / f"int8-{_VERSION}-{digest}.onnx"
    if file.is_file():
        return file.read_bytes()
    try:
        import onnx
        from onnxruntime.quantization import QuantType, quantize_dynamic
        from onnxruntime.quantization.quant_utils import add_pre_process_metadata
    except ImportError as error:
        raise MissingExtraError(error.name or "onnx", "int8") from error
    private_folder(file.parent)
    try:
        with tempfile.TemporaryDirectory(dir=file.parent) as folder, _quiet():
            plain, quantised = Path(folder) / "plain.onnx", Path(folder) / "int8.onnx"
            model = onnx.load_from_string(_folded(content, plain))
            add_pre_process_metadata(model)  # else shape inference is asked for, which adds nothing
            quantize_dynamic(
                model,
                quantised,
                per_channel=True,
                weight_type=QuantType.QInt8,
                op_types_to_quantize=["MatMul"],
            )
            quantised.replace(file)
    except OSError as error:
        raise StorageError(
            f"the int8 form of {name!r} cannot be kept in {file.parent}: {error.strerror}. Set "
            f"{FOLDER} to a folder with room."
        ) from error
    return file.read_bytes()


def cache_folder() -> Path:
    """Return the folder in which int8 graphs are kept."""
    if folder := os.environ.get(FOLDER):
        return Path(folder)
    caches = os.environ.get("XDG_CACHE_HOME")
    return (Path(caches) if caches else Path.home() / ".cache") / "logic-retrievers"


def _folded(content: bytes, file: Path) -> bytes:
    """Return the graph with stored weights expanded to float32 constants, which are quantised."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(file)
    onnxruntime.InferenceSession(content, options, providers=[CPU])
    return file.read_bytes()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the quantiser, which logs by the root logger, from giving that one a handler."""
    root, handler = logging.getLogger(), logging.NullHandler()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
