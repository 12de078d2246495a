"""Rate and time left, on a simulated clock."""

from __future__ import annotations

import pytest

from logic_retrievers import progress
from logic_retrievers.progress import Progress, ProgressMeter


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_rate_share_and_time_left(clock):
    """Without them a bar is only a spinner."""
    told = []
    meter = ProgressMeter(told.append, total=100)
    clock[0] += 2
    meter.report(20, read=36)
    assert told == [Progress(done=20, read=36, share=0.2, per_second=10)]
    assert told[0].seconds_left == pytest.approx(8)


def test_what_was_found_unchanged_is_soon_no_speed(clock):
    """A resumed call must not promise its end for an hour because of skipped passages."""
    told = []
    meter = ProgressMeter(told.append, total=11_000)
    meter.report(10_000)
    for second in range(1, 41):
        clock[0] += 1
        meter.report(10_000 + second)
    assert told[0].per_second > 1_000
    assert told[-1].per_second == pytest.approx(1)
    assert told[-1].seconds_left == pytest.approx(960)


def test_reports_that_are_far_apart_have_a_speed(clock):
    """A model that answers once a minute has a rate too."""
    told = []
    meter = ProgressMeter(told.append, total=10)
    for done in range(1, 6):
        clock[0] += 60
        meter.report(done)
    assert told[-1].seconds_left == pytest.approx(300)


def test_what_nobody_knows_is_none(clock):
    """An invented time left is worse than none."""
    told = []
    ProgressMeter(told.append).report(5)
    assert (told[0].share, told[0].seconds_left) == (None, None)
    ProgressMeter(None, 10).report(5)
    empty = Progress(0, 0, 0.0, 0.0)
    assert empty.seconds_left is None
