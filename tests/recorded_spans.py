"""Finished spans of OpenTelemetry, kept in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider

_finished: list[ReadableSpan] = []


class _Recorder(SpanProcessor):
    recording = False

    def on_end(self, span: ReadableSpan) -> None:
        if _Recorder.recording:  # other tests of this process end spans too
            _finished.append(span)


@pytest.fixture
def recorded() -> Iterator[Callable[[], list[ReadableSpan]]]:
    """Record spans; the fixture's value returns those that have ended."""
    if not isinstance(trace.get_tracer_provider(), TracerProvider):
        provider = TracerProvider()  # a process can set one provider only
        provider.add_span_processor(_Recorder())
        trace.set_tracer_provider(provider)
    _finished.clear()
    _Recorder.recording = True
    yield lambda: [*_finished]
    _Recorder.recording = False
