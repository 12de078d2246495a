"""A whole probe: equal for all, failures marked, interrupted and continued."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from probing import GOOD, POOR, SET, FirstName, by_table

from logic_retrievers.errors import (
    AuthenticationError,
    ConfigurationError,
    ServerUnavailableError,
)
from logic_retrievers.evaluation import bootstrap
from logic_retrievers.probe import (
    CachedReader,
    ProbeQuestion,
    Prompt,
    build_prompt,
    compare_accuracy,
    probe,
)
from logic_retrievers.progress import Progress

WAYS = {"poor": by_table(POOR), "good": by_table(GOOD)}


def test_what_is_right_and_what_it_is_worth() -> None:
    """The probe's main result."""
    result = probe(SET, WAYS, FirstName())
    accuracy = {name: result.figures(name)["accuracy"].mean for name in WAYS}
    assert accuracy == {"poor": pytest.approx(1 / 3), "good": 1}
    assert result.figures("poor")["wrong"].mean == pytest.approx(2 / 3)
    assert result.figures("poor")["top_violating"].mean == pytest.approx(2 / 3)
    (name, comparison), *more = result.comparisons().items()
    assert (name, comparison.gained, comparison.lost, more) == ("good", 2, 0, [])
    by_kind = result.figures_by_kind("poor")
    assert {kind: found["accuracy"].mean for kind, found in by_kind.items()} == {"a": 0, "b": 1}
    assert result.comparisons("b")["good"].gained == 0


def test_a_comparison_over_what_both_answered() -> None:
    """A question that failed under one configuration must count for neither."""
    first = {"a": True, "b": False, "c": False, "d": True, "only": True}
    second = {"a": True, "b": True, "c": True, "d": False, "other": True}
    third = {"a": True, "b": True, "c": True, "d": True}
    found = compare_accuracy(first, {"second": second, "third": third, "none": {}})
    assert list(found) == ["second", "third"]
    one = found["second"]
    assert (one.gained, one.lost, one.questions, one.left_out) == (2, 1, 4, 2)
    assert one.difference == bootstrap([0, 1, 1, -1])[0]
    assert one.to_dict()["difference"]["mean"] == 0.25
    assert (one.p, found["third"].p) == (1, 0.5)
    assert found["third"].p_corrected == 1  # two comparisons


def test_every_configuration_is_asked_the_same() -> None:
    """Unequal depths, seeds or wordings make a comparison meaningless."""
    reader = FirstName()
    result = probe(SET, WAYS, reader, depth=1, seed=7)
    expected = build_prompt("Who likes tea but not cake?", ["Bob likes tea and cake."], 7)
    assert reader.asked[0] == expected
    assert all(prompt.seed == 7 and len(prompt.passages) == 1 for prompt in reader.asked)
    assert result.traces["poor"]["tea"].passages == ("bob",)


def test_a_shared_prompt_is_asked_once() -> None:
    """A sampling model would answer twice differently, and the difference would count."""
    reader = FirstName()
    probe(SET, WAYS, reader)
    assert [prompt.question for prompt in reader.asked].count("Who likes chess?") == 1
    assert len(reader.asked) == 5


def test_a_failure_marks_the_question() -> None:
    """One missing answer must not cost the hours before it."""

    def retrieve(question: ProbeQuestion, depth: int) -> list:
        if question.id == "cake":
            raise RuntimeError("with a secret")
        return by_table(GOOD)(question, depth)

    reader = FirstName(lambda prompt: prompt.passages[:1] == ("Ann likes tea.",))
    ways = {**WAYS, "failing": retrieve}
    result = probe(SET, ways, reader)
    assert result.failed("good") == {"tea": "reader: InputError: no answer to this one"}
    assert result.failed("failing") == {
        "tea": "reader: InputError: no answer to this one",
        "cake": "retrieval: RuntimeError",
    }
    comparison = result.comparisons()["failing"]
    assert (comparison.questions, comparison.left_out) == (1, 1)
    assert result.figures("failing")["accuracy"].mean == 1
    told = json.dumps(result.to_json())
    assert "no answer to this one" in told
    assert "secret" not in told


def test_a_line_of_the_traces_for_each_answer(tmp_path: Path) -> None:
    """Users who doubt a number look for its answers."""
    file = tmp_path / "traces.jsonl"
    probe(SET, WAYS, FirstName(), depth=1).write_traces(file)
    first, *more = map(json.loads, file.read_text("utf-8").splitlines())
    assert len(more) == 5
    assert (first["question"], first["configuration"], first["passages"]) == (
        "tea",
        "poor",
        ["bob"],
    )
    assert (first["scores"], first["answer"], first["grade"]["wrong"]) == ([1.0], "Bob", 1)


def test_nothing_but_failures_has_no_figures() -> None:
    result = probe(SET, WAYS, FirstName(lambda _: True))
    assert result.figures("poor") == result.figures_by_kind("poor") == result.comparisons() == {}
    assert len(result.failed("poor")) == 3


def test_what_would_fail_for_all_ends_the_run() -> None:
    """A refused key must not be sent 400 times."""

    class Refused(FirstName):
        def answer(self, prompt: Prompt) -> str:
            raise AuthenticationError("no")

    with pytest.raises(AuthenticationError):
        probe(SET, WAYS, Refused())
    for wrong in ({"depth": 0}, {"seed": -1}, {"grading": "feeling"}):
        with pytest.raises(ConfigurationError):
            probe(SET, WAYS, FirstName(), **wrong)
    with pytest.raises(ConfigurationError, match="name a configuration"):
        probe(SET, {}, FirstName())


def test_a_run_goes_on_where_it_was(tmp_path: Path) -> None:
    """Hours of answers must not be lost; failed questions are asked again."""
    file = tmp_path / "answers"
    whole = probe(SET, WAYS, FirstName())
    stopped = CachedReader(FirstName(lambda prompt: "cake" in prompt.question), file)
    assert probe(SET, WAYS, stopped).failed("poor").keys() == {"tea", "cake"}
    reader = FirstName()
    again = probe(SET, WAYS, CachedReader(reader, file))
    assert not any("chess" in prompt.question for prompt in reader.asked)
    assert len(reader.asked) == 4
    without_times = [
        {name: (t.answer, t.grade, t.passages, t.direction) for name, t in traces.items()}
        for result in (whole, again)
        for traces in result.traces.values()
    ]
    assert without_times[:2] == without_times[2:]


def test_a_reader_that_is_not_there_ends_the_run() -> None:
    """Retries of minutes must not repeat for 400 questions; one lost midway may return."""

    class Lost(FirstName):
        def answer(self, prompt: Prompt) -> str:
            said = super().answer(prompt)
            if len(self.asked) != self.reached:
                raise ServerUnavailableError("nobody")
            return said

    reader = Lost()
    reader.reached = 0
    with pytest.raises(ServerUnavailableError):
        probe(SET, WAYS, reader)
    assert len(reader.asked) == 1
    reader = Lost()
    reader.reached = 1
    result = probe(SET, WAYS, reader)
    assert [len(result.failed(name)) for name in WAYS] == [2, 3]


def test_progress_is_told_after_each_answer() -> None:
    told: list[Progress] = []
    probe(SET, WAYS, FirstName(), progress=told.append)
    assert [one.done for one in told] == [1, 2, 3, 4, 5, 6]
    assert [one.share for one in told] == [one.done / 6 for one in told]
