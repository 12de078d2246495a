"""A suite that cannot fail proves nothing: parts with one fault each are found out."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import broken_contradiction_filters
import broken_contradiction_retrievers
import broken_corpus_cleaners
import broken_embeddings
import broken_encoders
import broken_expressions
import broken_indexes
import broken_rerankers
import broken_retrievers
import pytest
import suites

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
BROKEN = (
    broken_contradiction_filters,
    broken_contradiction_retrievers,
    broken_corpus_cleaners,
    broken_embeddings,
    broken_encoders,
    broken_expressions,
    broken_indexes,
    broken_rerankers,
    broken_retrievers,
)
FAULTS = {
    case.__name__: case
    for module in BROKEN
    for case in vars(module).values()
    if isinstance(case, type) and hasattr(case, "found_by")
}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """Class -> (names of its tests that passed, of those that failed), and all that was said."""
    folder = tmp_path_factory.mktemp("third_party")
    shutil.copy(HERE / "plain.py", folder)
    for module in BROKEN:
        shutil.copy(HERE / f"{module.__name__}.py", folder / f"test_{module.__name__}.py")
    (folder / "conftest.py").write_text(
        "from suites import watched_encoder\n"
        "watched_encoder.PATIENCE = 0.5\n"  # where a loop is blocked for certain
        "def pytest_collection_modifyitems(items):\n"
        "    items[:] = [i for i in items if getattr(i.cls, 'found_by', i.originalname)"
        " == i.originalname]\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-rA", "-q", "-p", "no:cacheprovider", "-W", "error",
         "-p", "no:asyncio", "-o", f"pythonpath={HERE}", "."],
        cwd=folder, capture_output=True, text=True, timeout=280,
    )  # fmt: skip
    said = done.stdout + done.stderr
    results: dict[str, tuple[set[str], set[str]]] = {}
    for outcome, case, test in re.findall(r"^(PASSED|FAILED) \S+?::(\w+)::(\w+)", said, re.M):
        results.setdefault(case, (set(), set()))[outcome == "FAILED"].add(test)
    return results, said


@pytest.mark.parametrize("case", FAULTS)
def test_a_fault_is_found(outcomes, case):
    """A test that passes whatever is done gives others a false proof."""
    results, said = outcomes
    assert case in results, said[-2000:]
    assert results[case][1] == {FAULTS[case].found_by}, said[-2000:]


def test_every_fault_was_tried_in_a_plain_folder(outcomes):
    """No fixture, setting or plugin of ours may be needed by somebody else."""
    results, said = outcomes
    assert set(results) == set(FAULTS)
    assert "ERROR" not in said


def test_a_failure_shows_the_values(outcomes):
    """`AssertionError` alone sends the reader into our source."""
    assert re.search(r"E +AssertionError: assert \[.*\] == \[", outcomes[1])


SUITES = [getattr(suites, name) for name in suites.__all__ if name.endswith("Conformance")]
TESTS = [(suite, name) for suite in SUITES for name in vars(suite) if name.startswith("test_")]
IDS = [f"{suite.__name__}.{name}" for suite, name in TESTS]


@pytest.mark.parametrize(("suite", "test"), TESTS, ids=IDS)
def test_every_test_can_fail_and_says_what_for(suite, test):
    """The next reader must know what may not be deleted, and a new test must be seen to fail."""
    assert getattr(suite, test).__doc__
    assert test in {case.found_by for case in FAULTS.values() if issubclass(case, suite)}
