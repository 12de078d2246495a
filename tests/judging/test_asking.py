"""A judge is foreign code: asked in every way, with every answer checked."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import threading

import pytest

from logic_retrievers.effects import arun, run
from logic_retrievers.errors import MalformedAnswerError
from logic_retrievers.judging.judge import PartialAnswers, Reply, ask

PAIRS = [("cake", "a cake"), ("pie", "no cake"), ("tea", "a drink")]
LENGTHS = [4, 3, None]


class NoHandler:
    """A judge needs no handler: there may be no index."""

    def handle(self, effect):
        raise AssertionError(effect)

    ahandle = handle


def check(value):
    if not isinstance(value, int):
        raise MalformedAnswerError("no whole number")
    return value


def asked(judge, pairs=PAIRS):
    return run(ask(judge, pairs, check), NoHandler())


async def asked_async(judge, pairs=PAIRS):
    return await arun(ask(judge, pairs, check), NoHandler())


def lengths(pairs):
    assert type(pairs) is list
    return [None if first == "tea" else len(first) for first, _ in pairs]


async def slow_lengths(pairs):
    await asyncio.sleep(0)
    return lengths(pairs)


class Client:
    async def __call__(self, pairs):
        return await slow_lengths(pairs)

    def method(self, pairs):
        return lengths(pairs)


FORMS = {
    "function": lengths,
    "method": Client().method,
    "generator": lambda pairs: (answer for answer in lengths(pairs)),
    "async": slow_lengths,
    "async object": Client(),
    "partial": functools.partial(slow_lengths),
    "coroutine from a lambda": lambda pairs: slow_lengths(pairs),
}


@pytest.mark.parametrize("form", FORMS)
async def test_every_form(form):
    """With and without a running loop: synchronous code in a notebook is the hard case."""
    assert asked(FORMS[form]) == Reply(LENGTHS)
    assert await asked_async(FORMS[form]) == Reply(LENGTHS)
    assert await asyncio.to_thread(asked, FORMS[form]) == Reply(LENGTHS)


async def test_nobody_and_nothing():
    """A missing judge is not a failure, and a judge is not called without pairs."""
    assert asked(None) == await asked_async(None) == Reply([None] * 3)
    assert asked(lengths, []) == await asked_async(slow_lengths, []) == Reply([])


async def test_an_async_judge_runs_on_the_callers_loop():
    """A client from a different loop fails or waits for ever."""
    loops = []

    async def judge(pairs):
        loops.append(asyncio.get_running_loop())
        return [None] * len(pairs)

    await asked_async(judge)
    assert loops == [asyncio.get_running_loop()]


async def test_a_slow_judge_leaves_the_loop_free():
    """A server must serve others while it waits for a language model."""
    begun, freed = threading.Event(), threading.Event()

    def judge(pairs):
        begun.set()
        assert freed.wait(5), "the loop stood still"
        return lengths(pairs)

    async def tick():
        while not begun.is_set():
            await asyncio.sleep(0.001)
        freed.set()

    reply, _ = await asyncio.gather(asked_async(judge), tick())
    assert reply == Reply(LENGTHS)


async def test_context_variables_reach_the_judge():
    """Tracers keep their span in a context variable."""
    span = contextvars.ContextVar("span", default=0)
    span.set(7)

    async def judge(pairs):
        return [span.get()] * len(pairs)

    for reply in (asked(judge), await asked_async(judge), await asked_async(lambda p: judge(p))):
        assert reply == Reply([7, 7, 7])


def _raises(pairs):
    raise RuntimeError("key-12345")


def _stops(pairs):
    raise StopIteration("key-12345")


async def _raises_later(pairs):
    await asyncio.sleep(0)
    raise RuntimeError("key-12345")


def _breaks_off(pairs):
    yield 1
    raise RuntimeError("key-12345")


WRONG = {
    "raises": (_raises, "it raised RuntimeError"),
    "StopIteration": (_stops, "it raised StopIteration"),
    "raises later": (_raises_later, "it raised RuntimeError"),
    "raises in a lambda": (lambda pairs: _raises_later(pairs), "it raised RuntimeError"),
    "breaks off": (_breaks_off, "it raised RuntimeError"),
    "takes nothing": (lambda: [], "it raised TypeError"),
    "too few": (lambda pairs: [1], "it gave 1 answers to 3 pairs"),
    "nothing": (lambda pairs: None, "it gave a NoneType and no list"),
    "wrong form": (lambda pairs: [None, 0.5, 0.5], "no whole number"),
}


@pytest.mark.parametrize("case", WRONG)
async def test_a_failure_is_told_and_not_raised(case):
    """A failed model must not fail a search; its message may hold a key or a text."""
    judge, problem = WRONG[case]
    for reply in (
        asked(judge),
        await asked_async(judge),
        await asyncio.to_thread(asked, judge),
    ):
        assert reply == Reply(None, problem)
        assert reply.warning == f"the pair judge does not count: {problem}"
        assert "key-12345" not in str(reply)


async def test_a_malformed_answer_is_left_out():
    """One bad answer must not take good ones with it."""
    partial = PartialAnswers([1, None, 2], "the endpoint was busy")
    for judge, answers, word in (
        (lambda pairs: [1, None, 0.5], [1, None, None], "whole"),
        (lambda pairs: partial, [1, None, 2], "busy"),
    ):
        for reply in (asked(judge), await asked_async(judge)):
            assert reply.answers == answers
            assert word in reply.warning


async def test_cancelling_is_no_failure():
    """If the judge swallowed it, a server could not stop a request."""

    async def judge(pairs):
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await asked_async(judge)
