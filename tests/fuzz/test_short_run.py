"""A short run of the fuzzing harness; ``python -m tests.fuzz`` makes a long one."""

from __future__ import annotations

import pytest

from .harness import first_of_each_cause
from .targets import TARGETS, run, shares

INPUTS = shares(1500, list(TARGETS))


@pytest.mark.parametrize("name", TARGETS)
def test_hostile_input_gives_a_result_or_an_error_of_the_package(name, monkeypatch):
    """Else a wrong argument, file, reply or command line ends a user's program with a traceback of
    our inside, hangs it, or is accepted and comes back as another value, which nobody sees.
    """
    monkeypatch.delenv("LOGIC_RETRIEVERS_LOCATION", raising=False)
    tally = run(name, 0, range(INPUTS[name]))
    causes = first_of_each_cause(tally.failures)
    assert not causes, "\n\n".join(str(failure) for failure, _ in causes[:3])
