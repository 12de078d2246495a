"""Encoders in a different process, and the one that all parts of a process share."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest
from suites import HashedEncoder

from logic_retrievers.encoders import (
    Encoder,
    FunctionEncoder,
    OnnxEncoder,
    RecentEncoder,
    default_encoder,
)


def lengths(texts):
    """At module level, so that it can be pickled."""
    return [[float(len(text)), 1.0, 2.0] for text in texts]


def initials(texts):
    return [[float(ord(text[0])), 1.0, 0.0] for text in texts]


def same(encoder: Encoder, other: Encoder) -> None:
    texts = ["A quiet hotel.", "no"]
    assert dict(encoder.specs) == dict(other.specs)
    for a, b in (
        (encoder.encode_queries(texts), other.encode_queries(texts)),
        (encoder.encode_documents(texts), other.encode_documents(texts)),
    ):
        for name in encoder.specs:
            np.testing.assert_allclose(a[name], b[name], atol=1e-6)


def through_pickle(encoder):
    return pickle.loads(pickle.dumps(encoder))


def test_function_encoder_travels_where_its_functions_do():
    """LlamaIndex's pipelines run in other processes."""
    encoder = FunctionEncoder(lengths, initials, identity="a", name="compatibility")
    same(encoder, through_pickle(encoder))
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(FunctionEncoder(lambda texts: lengths(texts), identity="a"))


def test_recent_encoder_travels_without_what_it_remembers():
    """A worker must get neither the cached vectors nor a locked lock."""
    recent = RecentEncoder(HashedEncoder(), size=7)
    recent.encode_documents(["a", "b"])
    again = through_pickle(recent)
    assert (again._size, again._memory) == (7, {})
    same(recent, again)


def test_onnx_encoder_travels_with_its_settings():
    """With lost settings a worker takes all cores or loads a different bundle."""
    encoder = OnnxEncoder(threads=1, batch_size=3)
    again = through_pickle(encoder)
    same(encoder, again)
    assert again.bundle.path == encoder.bundle.path
    opened = again.__reduce__()[0]
    assert (opened.keywords["threads"], opened.keywords["batch_size"]) == (1, 3)


def test_default_encoder_is_one_a_process():
    """Each further encoder costs half a second and a hundred megabytes."""
    assert default_encoder() is default_encoder()
    code = """
import threading
from logic_retrievers.encoders import default_encoder
start, encoders = threading.Barrier(4), []
def load():
    start.wait()
    encoders.append(default_encoder())
threads = [threading.Thread(target=load) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(encoders), len({id(encoder) for encoder in encoders}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["4", "1"]
