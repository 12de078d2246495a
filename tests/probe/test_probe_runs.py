"""A whole probe: the same for all, failures marked, cut off and gone on."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from probing import GOOD, POOR, QUESTIONS, SET, FirstName, by_table

from logic_retrievers.errors import (
    AuthenticationError,
    ConfigurationError,
    ReadError,
    ServerUnavailableError,
)
from logic_retrievers.probe import (
    ProbeQuestion,
    ProbeSet,
    Prompt,
    Retrieval,
    build_prompt,
    probe,
)
from logic_retrievers.progress import Progress

WAYS = {"poor": by_table(POOR), "good": by_table(GOOD)}


def test_what_is_right_and_what_it_is_worth() -> None:
    """The figure that the probe is for."""
    result = probe(SET, WAYS, FirstName(), resamples=200)
    accuracy = {name: result.figures(name)["accuracy"].mean for name in WAYS}
    assert accuracy == {"poor": pytest.approx(1 / 3), "good": 1}
    assert result.figures("poor")["wrong"].mean == pytest.approx(2 / 3)
    assert result.figures("poor")["top_violating"].mean == pytest.approx(2 / 3)
    (name, comparison), *more = result.comparisons().items()
    assert (name, comparison.gained, comparison.lost, more) == ("good", 2, 0, [])
    by_kind = result.figures_by_kind("poor")
    assert {kind: found["accuracy"].mean for kind, found in by_kind.items()} == {"a": 0, "b": 1}
    assert result.comparisons("b")["good"].gained == 0


def test_every_configuration_is_asked_the_same() -> None:
    """Another depth, seed or wording for one of them, and the comparison says nothing."""
    reader = FirstName()
    result = probe(SET, WAYS, reader, depth=1, seed=7, resamples=10)
    expected = build_prompt("Who likes tea but not cake?", ["Bob likes tea and cake."], 7)
    assert reader.asked[0] == expected
    assert all(prompt.seed == 7 and len(prompt.passages) == 1 for prompt in reader.asked)
    assert result.traces["poor"]["tea"].passages == ("bob",)


def test_a_shared_prompt_is_asked_once() -> None:
    """A model that draws would answer it differently, and the difference count as one."""
    reader = FirstName()
    probe(SET, WAYS, reader, resamples=10)
    assert [prompt.question for prompt in reader.asked].count("Who likes chess?") == 1
    assert len(reader.asked) == 5


def test_a_failure_marks_the_question(tmp_path: Path) -> None:
    """One answer that does not come must not cost the hours before it."""

    def retrieve(question: ProbeQuestion, depth: int) -> list:
        if question.id == "cake":
            raise RuntimeError("with a secret")
        return by_table(GOOD)(question, depth)

    reader = FirstName(lambda prompt: prompt.passages[:1] == ("Ann likes tea.",))
    ways = {**WAYS, "failing": retrieve}
    result = probe(SET, ways, reader, traces=tmp_path / "t", resamples=10)
    assert result.failed("good") == {"tea": "reader: InputError: no answer to this one"}
    assert result.failed("failing") == {
        "tea": "reader: InputError: no answer to this one",
        "cake": "retrieval: RuntimeError",
    }
    comparison = result.comparisons()["failing"]
    assert (comparison.questions, comparison.left_out) == (1, 1)
    assert result.figures("failing")["accuracy"].mean == 1
    assert "secret" not in (tmp_path / "t").read_text("utf-8")
    told = json.dumps(result.to_json())
    assert "no answer to this one" in told


def test_nothing_but_failures_has_no_figures() -> None:
    result = probe(SET, WAYS, FirstName(lambda _: True), resamples=10)
    assert result.figures("poor") == result.figures_by_kind("poor") == result.comparisons() == {}
    assert len(result.failed("poor")) == 3


def test_what_would_fail_for_all_ends_the_run(tmp_path: Path) -> None:
    """A refused key would be sent 400 times, and 400 questions marked."""

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
    """Hours of answers are lost otherwise; and a half line at the end is what a stop leaves."""
    file = tmp_path / "traces.jsonl"
    whole = probe(SET, WAYS, FirstName(), traces=file, resamples=10)
    lines = file.read_text("utf-8").splitlines(keepends=True)
    assert len(lines) == 9
    file.write_text("".join(lines[:6]) + lines[6][:30], encoding="utf-8")
    reader = FirstName()
    again = probe(SET, WAYS, reader, traces=file, resamples=10)
    assert len(reader.asked) == 2  # the answer to the chess question is known from the other one
    assert [json.loads(line)["question"] for line in file.read_text("utf-8").splitlines()[6:]] == [
        *("chess", "cake", "cake")
    ]
    without_times = [
        {name: (t.answer, t.grade, t.passages, t.direction) for name, t in traces.items()}
        for result in (whole, again)
        for traces in result.traces.values()
    ]
    assert without_times[:2] == without_times[2:]
    third = FirstName()
    probe(SET, {**WAYS, "new": by_table(GOOD)}, third, traces=file, resamples=10)
    assert not third.asked


def test_failed_questions_are_tried_again(tmp_path: Path) -> None:
    file = tmp_path / "traces.jsonl"
    probe(SET, WAYS, FirstName(lambda p: "chess" in p.question), traces=file, resamples=10)
    result = probe(SET, WAYS, FirstName(), traces=file, resamples=10)
    assert not result.failed("poor")
    assert not probe(SET, WAYS, FirstName(), traces=file, resamples=10).failed("good")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"depth": 2}, "depth 5, not 2"),
        ({"seed": 1}, "seed 0, not 1"),
        ({"reader": "another"}, "reader 'first name', not 'another'"),
        ({"questions": ProbeSet("other", QUESTIONS, SET.passages)}, "set 'small', not 'other'"),
        ({"questions": ProbeSet("small", QUESTIONS[:2], SET.passages)}, "content "),
        ({"questions": ProbeSet("small", QUESTIONS, {**SET.passages, "x": "y"})}, "content "),
    ],
)
def test_traces_of_another_run(tmp_path: Path, change: dict, named: str) -> None:
    """Answers of two readers or two sets in one table, and nobody would see it."""
    file = tmp_path / "traces.jsonl"
    probe(SET, WAYS, FirstName(), traces=file, resamples=10)
    before = file.read_bytes()
    reader = FirstName()
    reader.name = change.pop("reader", reader.name)
    questions = change.pop("questions", SET)
    with pytest.raises(ConfigurationError, match=named):
        probe(questions, WAYS, reader, traces=file, **change)
    assert file.read_bytes() == before


def test_a_configuration_with_other_settings(tmp_path: Path) -> None:
    """Half a column of one threshold and half of another, under one name."""
    file = tmp_path / "traces.jsonl"
    way = Retrieval(by_table(GOOD), {"policy": {"name": "auto", "depth": 100}})
    probe(SET, {"way": way, "plain": by_table(POOR)}, FirstName(), traces=file, resamples=10)
    before = file.read_bytes()
    other = Retrieval(by_table(GOOD), {"policy": {"name": "auto", "depth": 50}})
    for changed, told in (
        ({"way": other}, r"'way' with other settings: policy\.depth 100, not 50\. Give"),
        ({"way": by_table(GOOD)}, r"policy\.depth 100, not None; policy\.name 'auto', not None"),
        ({"plain": way}, r"'plain' with other settings: policy\.depth None, not 100"),
    ):
        with pytest.raises(ConfigurationError, match=told):
            probe(SET, changed, FirstName(), traces=file)
    assert file.read_bytes() == before
    reader = FirstName()
    probe(SET, {"way": way, "other": other}, reader, traces=file, resamples=10)
    assert not reader.asked
    with pytest.raises(ConfigurationError, match="must be JSON"):
        Retrieval(way, {"policy": object()})


def test_a_reader_that_is_not_there_ends_the_run() -> None:
    """Minutes of retries for each of 400 questions; one that is lost in the middle may be back."""

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
    result = probe(SET, WAYS, reader, resamples=10)
    assert [len(result.failed(name)) for name in WAYS] == [2, 3]


def test_a_file_that_is_no_traces(tmp_path: Path) -> None:
    """Somebody's file would be written into."""
    file = tmp_path / "mine.jsonl"
    for content in ('{"a": 1}\n', "text without an end", '{"probe": 3}\n'):
        file.write_text(content, "utf-8")
        with pytest.raises(ReadError, match=r"mine\.jsonl"):
            probe(SET, WAYS, FirstName(), traces=file)
        assert file.read_text("utf-8") == content


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "traces.jsonl"
    probe(SET, WAYS, FirstName(), traces=file, resamples=10)
    lines = file.read_text("utf-8").splitlines()
    for wrong in (
        '{"question": "tea"}',
        '{"settings": 3}',
        lines[4].replace('"tea"', '"none"'),
        "[]",
    ):
        file.write_text("\n".join([*lines[:4], wrong, *lines[5:]]) + "\n", "utf-8")
        with pytest.raises(ReadError, match=r"traces\.jsonl:5: "):
            probe(SET, WAYS, FirstName(), traces=file)


def test_progress_tells_what_is_left(tmp_path: Path) -> None:
    """Without a time nobody knows whether to wait or to go home."""

    class Slow(FirstName):
        def answer(self, prompt: Prompt) -> str:
            time.sleep(0.02)
            return super().answer(prompt)

    told: list[Progress] = []
    file = tmp_path / "t"
    probe(SET, {"good": WAYS["good"]}, Slow(), traces=file, resamples=10)
    probe(SET, WAYS, Slow(), traces=file, progress=told.append, resamples=10)
    assert [one.done for one in told] == [1, 2, 3, 4, 5, 6]
    assert [one.share for one in told] == [one.done / 6 for one in told]
    assert told[1].seconds_left is not None
    assert told[1].seconds_left > 0.01
    assert told[-1].seconds_left == 0


def test_a_judge_is_reported_beside() -> None:
    """A model's opinion in place of the comparison would move the accuracy unseen."""

    class Judge:
        name = "judge"

        def answer(self, prompt: Prompt) -> str:
            assert "Right answers: " in prompt.user
            return "Perhaps." if "chess" in prompt.question else "Yes, it is."

    result = probe(SET, WAYS, FirstName(), judge=Judge(), resamples=10)
    assert result.figures("poor")["judged"].mean == 1
    assert result.figures("poor")["accuracy"].mean == pytest.approx(1 / 3)
    assert result.traces["poor"]["chess"].judged is None
    assert not result.failed("poor")
