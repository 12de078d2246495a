"""The few threads that do asynchronous callers' work."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from contextvars import ContextVar

import pytest

from logic_retrievers.effects import ThreadHandler

REQUEST: ContextVar[str] = ContextVar("request", default="unset")


@pytest.fixture
def threads():
    threads = ThreadHandler(2)
    yield threads
    threads.close()


async def test_context_variables_come_along(threads):
    """Without them a tracer's spans have no parent in asynchronous calls."""
    REQUEST.set("request 7")
    assert await threads.submit(REQUEST.get) == "request 7"


async def test_no_more_than_the_limit_at_a_time(threads):
    """Forty encoders on two cores are slower than two."""
    running, most = set(), []

    def work():
        running.add(threading.get_ident())
        most.append(len(running))
        time.sleep(0.01)
        running.discard(threading.get_ident())

    await asyncio.gather(*(threads.submit(work) for _ in range(8)))
    assert max(most) <= 2


async def test_work_that_waits_for_work_does_not_wait_for_ever(threads):
    """A user's embedding model may use ours inside."""

    def outer():
        return asyncio.run(threads.submit(lambda: "inner"))

    results = asyncio.gather(*(threads.submit(outer) for _ in range(4)))
    assert await asyncio.wait_for(results, 30) == ["inner"] * 4


def test_several_loops_share_one_pool(monkeypatch):
    """One pool per loop would not limit the threads."""
    from logic_retrievers import effects

    made = []
    real = effects.ThreadPoolExecutor

    def slowly(*arguments, **settings):
        made.append(1)
        time.sleep(0.05)
        return real(*arguments, **settings)

    monkeypatch.setattr(effects, "ThreadPoolExecutor", slowly)
    threads = ThreadHandler(2)
    loops = [
        threading.Thread(target=lambda: asyncio.run(threads.submit(lambda: None))) for _ in "1234"
    ]
    for loop in loops:
        loop.start()
    for loop in loops:
        loop.join()
    threads.close()
    assert made == [1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process")
def test_a_forked_child_has_threads_of_its_own(threads):
    """Without its own threads a forked worker would answer nothing."""
    assert asyncio.run(threads.submit(lambda: 1)) == 1
    child = os.fork()
    if child == 0:  # pragma: no cover - another process
        answer = asyncio.run(asyncio.wait_for(threads.submit(lambda: 2), 10))
        os._exit(0 if answer == 2 else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
