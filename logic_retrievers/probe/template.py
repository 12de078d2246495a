"""A question set to fill in: two worked questions on the notices of a swimming pool."""

from __future__ import annotations

import os
from pathlib import Path

from logic_retrievers.probe.files import CORPUS, FIELDS, QUESTIONS, set_files, write_folder
from logic_retrievers.probe.questions import ProbeQuestion, ProbeSet

EXAMPLE = ProbeSet(
    "swimming pool",
    (
        ProbeQuestion(
            id="dry-course",
            text="Which course at the pool is not in the water?",
            gold=("Back gymnastics",),
            wrong=("Aqua jogging", "Learning to dive"),
            kind="exclusion",
            satisfying=("gymnastics",),
            violating=("jogging", "diving"),
        ),
        ProbeQuestion(
            id="sunday-opening",
            text="When does the pool open on Sundays?",
            gold=("9 am", "nine"),
            wrong=("7 am", "seven"),
            kind="contradiction",
            satisfying=("notice-new",),
            violating=("notice-old",),
            candidates=("notice-new", "notice-old", "prices"),
            trusted=("notice-new",),
        ),
    ),
    {
        "gymnastics": "Back gymnastics is held on Mondays on the mats beside the pool.",
        "jogging": "Aqua jogging is held on Tuesdays in the deep water of the pool.",
        "diving": "Learning to dive is for children of ten and older, in the water from the start.",
        "notice-new": "From May on, the pool opens at 9 am on Sundays.",
        "notice-old": "On Sundays the pool opens at 7 am.",
        "prices": "A ticket costs four euros; on Sundays children swim for free.",
    },
)

_README = """# A question set for `logic-retrievers probe`

Two files. Replace the examples in them by your questions and your passages; keep one object a line.

`{corpus}`: the passages, `{{"_id": "...", "title": "...", "text": "..."}}`. The title may be empty;
it is put before the text.

`{questions}`: the questions. A row may have these fields, and no others:

| field | what it says |
|---|---|
{fields}

What makes figures worth reading:

- Ask for answers of a few words that can be right or wrong: a name, a number, a date. Answers are
  compared without regard to case, accents, articles and punctuation.
- Answers are texts, also where they are numbers: `["1936"]`, not `[1936]` and not `"1936"`.
- Give every form in which a right answer may be said, each as a right answer: `["9 am", "nine"]`.
- Give the wrong answers that the passages suggest. An answer that names one is wrong, even if it
  names a right one beside it.
- Under 100 questions, only large differences can be told from chance.

Then, without a language model: `logic-retrievers probe FOLDER --depth 1`. Its reader says the
sentence that is nearest to the question, so that of several passages it would choose for itself.
With a model: `logic-retrievers probe FOLDER --reader URL --model NAME`, or `--reader FILE.gguf`.
"""


def write_template(folder: str | os.PathLike[str]) -> None:
    """Writes a set of two worked questions with a README that explains the form.

    Args:
        folder: must not be there yet.

    Raises:
        ConfigurationError: the folder is there already.
        StorageError: no room, or no right to write there.
    """
    rows = "\n".join(f"| `{name}` | {meaning} |" for name, meaning in FIELDS.items())
    readme = _README.format(corpus=CORPUS, questions=QUESTIONS, fields=rows)
    write_folder(Path(folder), {**set_files(EXAMPLE), "README.md": readme})
