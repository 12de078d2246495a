"""A target, one input run and judged, and a run of many inputs."""

from __future__ import annotations

import reprlib
import signal
import time
import traceback
import warnings
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any, ClassVar, Literal

from logic_retrievers.errors import LogicRetrieversError

LIMIT = 5.0
"""Seconds that one input may take."""
PACKAGE = "/logic_retrievers/"

Kind = Literal["right", "typed", "untyped", "slow", "accepted", "aborted"]
FAILURES: tuple[Kind, ...] = ("untyped", "slow", "accepted")


class SilentlyAcceptedError(Exception):
    """A value was accepted, and is not there as it was given."""


class TooSlow(BaseException):
    """The time for one input is over; no ``except Exception`` stops it."""


class Target(ABC):
    """One public entry, or a few of one kind, that get hostile input.

    Attributes:
        name: for ``--only``.
        share: of the inputs of a run, relative to the others.
        native: whether it runs in a process of its own, since native code may abort there.
    """

    name: ClassVar[str]
    share: ClassVar[int] = 10
    native: ClassVar[bool] = False

    @abstractmethod
    def generate(self, random: Random) -> Any:
        """One input; the same for the same state of ``random``."""

    @abstractmethod
    def run(self, value: Any) -> None:
        """Calls the package with an input and checks what it made of it.

        Raises:
            LogicRetrieversError: the package refused the input, as it may.
            SilentlyAcceptedError: it did not, and should have.
        """

    def close(self) -> None:  # noqa: B027 - most targets hold nothing
        """Frees what the target holds."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one input.

    Args:
        kind: ``right``; ``typed``: refused by an error of the package; ``aborted``: native code
            ended its process; the others are failures.
        target, seed, index: say how to get the input again.
        cause: type of the error and the innermost line of the package; equal for equal causes.
        message: of the error, shortened.
        input: shortened.
    """

    kind: Kind
    target: str
    seed: int
    index: int
    cause: str = ""
    message: str = ""
    input: str = ""

    def __str__(self) -> str:
        again = f"--only {self.target} --seed {self.seed} --index {self.index}"
        return f"{self.kind}: {self.cause}\n    {self.message}\n    {self.input}\n    {again}"


def expect(condition: object, message: str) -> None:
    """Raises :class:`SilentlyAcceptedError` where the condition does not hold."""
    if not condition:
        raise SilentlyAcceptedError(message)


@contextmanager
def accepted(what: str) -> Iterator[None]:
    """Around the check of an accepted value: every error in it means a silent acceptance."""
    try:
        yield
    except SilentlyAcceptedError:
        raise
    except Exception as error:
        raise SilentlyAcceptedError(
            f"{what}: then {type(error).__name__}: {error}"[:300]
        ) from error


def draw(target: Target, seed: int, index: int) -> Any:
    """The input of that number."""
    return target.generate(Random(f"{target.name} {seed} {index}"))


def run_input(target: Target, seed: int, index: int) -> Outcome:
    """Runs one input; a slow one twice, since the machine may have been busy."""
    outcome = _run_once(target, seed, index)
    return outcome if outcome.kind != "slow" else _run_once(target, seed, index)


def _run_once(target: Target, seed: int, index: int) -> Outcome:
    value = draw(target, seed, index)
    place = (target.name, seed, index)
    try:
        with time_limit(LIMIT), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            target.run(value)
    except LogicRetrieversError as error:
        return _typed(error, place, value)
    except TooSlow as error:
        return Outcome("slow", *place, _cause(error), f"more than {LIMIT:g} s", describe(value))
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except SilentlyAcceptedError as error:
        return Outcome("accepted", *place, _cause(error), _message(error), describe(value))
    except BaseException as error:  # a panic of Rust code derives from BaseException
        return Outcome("untyped", *place, _cause(error), _message(error), describe(value))
    return Outcome("right", *place)


def _typed(error: LogicRetrieversError, place: tuple[str, int, int], value: Any) -> Outcome:
    try:
        str(error)
    except Exception as failure:
        return Outcome("untyped", *place, _cause(failure), _message(failure), describe(value))
    return Outcome("typed", *place)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises :class:`TooSlow` in the main thread; a timer that runs already goes on afterwards."""

    def stop(*_: Any) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, stop)
    left, _ = signal.setitimer(signal.ITIMER_REAL, seconds)
    start = time.monotonic()
    try:
        yield
        if time.monotonic() - start > seconds:
            raise TooSlow
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(0.001, left - (time.monotonic() - start)))


def _cause(error: BaseException) -> str:
    """``KeyError at index/points.py:31 fetch``: the innermost frame of the package, if any."""
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, SilentlyAcceptedError):  # the check that failed says more than its line
        return _message(error)[:60]
    ours = [frame for frame in frames if PACKAGE in frame.filename] or frames
    frame = ours[-1]
    place = f"{frame.filename.rpartition(PACKAGE)[2]}:{frame.lineno} {frame.name}"
    return f"{type(error).__name__} at {place}"


def _message(error: BaseException) -> str:
    try:
        return ascii(str(error))[1:-1][:300]
    except Exception as failure:
        return f"no message, since str() raises {type(failure).__name__}"


class _Repr(reprlib.Repr):
    def repr_instance(self, x: Any, level: int) -> str:
        if hasattr(x, "__dataclass_fields__"):
            fields = (
                f"{f}={self.repr1(getattr(x, f, '?'), level - 1)}" for f in x.__dataclass_fields__
            )
            return f"{type(x).__name__}({', '.join(fields)})"
        return super().repr_instance(x, level)


def describe(value: Any) -> str:
    """The value in at most a few lines, whatever it is."""
    short = _Repr()
    short.maxstring = short.maxother = short.maxlong = 160
    short.maxdict = short.maxlist = short.maxtuple = 12
    try:
        return ascii(short.repr(value))[1:-1][:1500]
    except Exception as error:
        return f"<{type(value).__name__} whose repr raises {type(error).__name__}>"


@dataclass(slots=True)
class Tally:
    """How many inputs of a target came out how, and the failures."""

    target: str
    counts: Counter[str] = field(default_factory=Counter)
    failures: list[Outcome] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, outcome: Outcome) -> None:
        """Counts one outcome."""
        self.counts[outcome.kind] += 1
        if outcome.kind in FAILURES:
            self.failures.append(outcome)


def run_target(name: str, outcome_of: Callable[[int], Outcome], indices: Iterable[int]) -> Tally:
    """Runs many inputs of one target."""
    tally, start = Tally(name), time.monotonic()
    for index in indices:
        tally.add(outcome_of(index))
    tally.seconds = time.monotonic() - start
    return tally


def first_of_each_cause(failures: Iterable[Outcome]) -> list[tuple[Outcome, int]]:
    """One failure of each cause, the most frequent first, and how many there are."""
    counts: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], Outcome] = {}
    for failure in failures:
        cause = (failure.kind, failure.cause)
        counts[cause] += 1
        first.setdefault(cause, failure)
    return [(first[cause], count) for cause, count in counts.most_common()]
