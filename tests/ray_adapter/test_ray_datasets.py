"""Encoding and indexing on a local Ray, into the double of a server."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ray", reason="the extra ray is not installed")

import ray
import ray.data
from ray_logic_retrievers import encode, index

from logic_retrievers import FunctionEncoder, PassageIndex
from logic_retrievers.errors import ConfigurationError

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


def vectors(texts):
    """Four numbers of each text, and a break for one that says so."""
    if any("breaks the encoder" in text for text in texts):
        raise ValueError("this text breaks it")
    rows = [[len(text), *(text.count(letter) for letter in "aeo")] for text in texts]
    return np.array(rows, np.float32) + 0.1


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # workers unpickle this module's functions by its name
        path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
        ray.init(
            num_cpus=2,
            include_dashboard=False,
            log_to_driver=False,
            logging_level="ERROR",
            runtime_env={"env_vars": {"PYTHONPATH": path}},
        )
        ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


@pytest.fixture
def encoder() -> FunctionEncoder:
    return FunctionEncoder(vectors, name="topical", identity="letters")


def rows(count: int) -> list[dict[str, object]]:
    return [{"text": f"passage number {n} of all", "page": n} for n in range(count)]


def stored(wire_double, encoder) -> dict[str, object]:
    with PassageIndex.open("passages", encoder, **wire_double.place()) as opened:
        page, _ = opened.run(opened.read_page())
        assert opened.count() == len(page) or len(page) == 64
        return {passage.id: passage for passage in page}


def test_rows_are_stored_once_and_bad_rows_alone_are_refused(wire_double, encoder):
    given = [
        *rows(40),
        {"id": "own", "text": "a passage with an id", "source": "book", "page": 41},
        {"id": "blank", "text": "   ", "page": 42},
        {"id": "bad", "text": "this breaks the encoder", "page": 43},
        {"id": "own", "text": "another text with this id", "page": 44},
        {"id": None, "text": None, "page": 45},
    ]
    dataset = ray.data.from_items(given).repartition(1)
    report = index(dataset, encoder=encoder, workers=2, **wire_double.place())
    assert report.added + report.unchanged == 41
    refused = {row["id"]: row["reason"] for row in report.refusals.take_all()}
    assert set(refused) == {"blank", "bad", "own", None}
    assert "breaks" in refused["bad"]
    assert report.refused == 4
    passages = stored(wire_double, encoder)
    assert len(passages) == 41
    assert passages["own"].metadata == {"page": 41, "source": "book"}
    again = index(dataset, encoder=encoder, **wire_double.place())
    assert (again.added, again.updated, again.unchanged) == (0, 0, 41)


def test_a_worker_dies_and_the_server_stops(wire_double, encoder, tmp_path: Path):
    """Ray repeats the batch of a worker that died; a request waits for its server."""
    flag = tmp_path / "died"

    def dies(batch):
        if batch["page"][0] >= 64 and not flag.exists():
            flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return batch

    wire_double.fail(6)
    dataset = ray.data.from_items(rows(256)).repartition(8)
    dataset = dataset.map_batches(dies, batch_size=32)
    report = index(dataset, encoder=encoder, workers=2, batch_size=32, **wire_double.place())
    assert flag.exists()
    assert (report.refused, report.added + report.unchanged) == (0, 256)
    with PassageIndex.open("passages", encoder, **wire_double.place()) as opened:
        assert opened.count() == 256


def test_vectors_become_columns(encoder):
    given = [{"text": "a passage", "n": 1}, {"text": " ", "n": 2}, {"text": "more", "n": 3}]
    found = encode(ray.data.from_items(given), encoder).take_all()
    expected = encoder.encode_documents(["a passage"])["topical"][0]
    by_number = {row["n"]: row["topical"] for row in found}
    np.testing.assert_allclose(by_number[1], expected, rtol=1e-6)
    assert by_number[2] is None
    with pytest.raises(ConfigurationError, match="compatibility"):
        encode(ray.data.from_items(given), encoder, names=["compatibility"])


@pytest.mark.parametrize("location", ["folder", None, []])
def test_a_server_is_needed(encoder, location):
    with pytest.raises(ConfigurationError, match="server"):
        index(ray.data.from_items(rows(1)), encoder=encoder, location=location)
