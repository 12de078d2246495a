"""Questions to a language model, which are answered with yes or no, and how answers are read."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, TypeAlias

from logic_retrievers.chat import Token
from logic_retrievers.encoders.base import clean_text
from logic_retrievers.errors import MalformedAnswerError
from logic_retrievers.judging.judge import Question
from logic_retrievers.text import visible_text

Form: TypeAlias = Literal["word", "json"]
Turns: TypeAlias = list[tuple[str, str]]

# least probability of yes and no together; with less, the model was about to say something else
_LEAST_MASS = 0.5

_PROMPTS = tomllib.loads(Path(__file__).with_name("chat_prompts.toml").read_text("utf-8"))
# a text must not end the quotation that it stands in
_TAG = re.compile(r"<(?=\s*/?\s*passage)", re.IGNORECASE)
_THOUGHTS = re.compile(r"<think>.*?</think>", re.DOTALL)
# "No", "**No**", "Answer: no", "No, there is no pool"; not "No pool is mentioned"
_ALONE = re.compile(r"\W*(?:answer\W+)?(yes|no)\b\s*(?:$|[^\w\s])", re.IGNORECASE)
# how vocabularies mark a space before a token
_SPACE = " \t\r\n\u0120\u2581"
_YES, _NO = "yes", "no"

# ``response_format`` of an answer in JSON
SCHEMA: dict[str, Any] = {
    "type": "json_schema",
    "json_schema": {
        "name": "answer",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {"answer": {"type": "string", "enum": [_YES, _NO]}},
            "required": ["answer"],
            "additionalProperties": False,
        },
    },
}


def ask_about(passage: str, query: str, form: Form) -> Turns:
    """Ask if a passage offers what a query wants, or has an excluded text of it."""
    is_excluded = isinstance(query, Question) and str(query) in query.excluded
    return _turns(
        "excluded" if is_excluded else "wanted",
        form,
        passage=_quoted(passage),
        text=" ".join(_quoted(query).split()),
    )


def ask_about_two(first: str, second: str, form: Form) -> Turns:
    """Ask if two passages contradict each other."""
    return _turns("contradiction", form, first=_quoted(first), second=_quoted(second))


def _turns(question: str, form: Form, **texts: str) -> Turns:
    # format() reads no braces in the texts that it fills in
    prompt = _PROMPTS["questions"][question].format(form=_PROMPTS["forms"][form], **texts)
    return [("user", prompt)]


def _quoted(text: str) -> str:
    """Return a text that does not end its quotation, and that UTF-8 can encode."""
    return _TAG.sub("&lt;", visible_text(clean_text(text)).strip())


def weigh(first: Iterable[Token]) -> float:
    """Return the share of yes among yes and no, from the likeliest first tokens of an answer.

    Raises:
        MalformedAnswerError: yes and no are unlikely answers.
    """
    weights = {_YES: 0.0, _NO: 0.0}
    for token in first:
        word = token.token.strip(_SPACE).casefold()
        if word in weights:
            if not token.logprob <= 0.01:  # also NaN; rounding may give a little over 0
                raise MalformedAnswerError("a log-probability is not a number below 0")
            weights[word] += math.exp(token.logprob)
    total = sum(weights.values())
    if total < _LEAST_MASS:
        raise MalformedAnswerError(f"yes and no have a probability of {total:.2f} together")
    return weights[_YES] / total


def read(text: str) -> float:
    """Return 1 for yes and 0 for no.

    Args:
        text: a JSON object, perhaps with words around it; or the word, perhaps with a reason.

    Raises:
        MalformedAnswerError: the text is neither, or breaks off.
    """
    text = _THOUGHTS.sub("", text).strip()
    if "{" in text:
        word = _in_json(text)
    else:
        found = _ALONE.match(text)
        word = found[1].casefold() if found else ""
    if word not in (_YES, _NO):
        raise MalformedAnswerError("an answer is neither yes nor no")
    return float(word == _YES)


def _in_json(text: str) -> str:
    try:
        answer = json.loads(text[text.index("{") : text.rindex("}") + 1])
        return str(answer["answer"]).strip().casefold()
    except (ValueError, LookupError, TypeError, RecursionError):
        return ""
