"""How a language model is asked about texts, and how its answers are read."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from logic_retrievers.chat import Token
from logic_retrievers.encoders.base import clean_text
from logic_retrievers.errors import MalformedAnswerError
from logic_retrievers.judging.judge import Question
from logic_retrievers.text import visible_text

Form: TypeAlias = Literal["letters", "json"]
# one probability for each option
Probabilities: TypeAlias = tuple[float, ...]
Turns: TypeAlias = list[tuple[str, str]]

# least probability of all options together; with less, the model was about to say something else
_LEAST_MASS = 0.5

_PROMPTS: Mapping[str, Any] = tomllib.loads(
    Path(__file__).with_name("chat_prompts.toml").read_text("utf-8")
)
# a text must not end the quotation that it stands in
_TAG = re.compile(r"<(?=\s*/?\s*(?:request|passage))", re.IGNORECASE)
_THOUGHTS = re.compile(r"<think>.*?</think>", re.DOTALL)
# "A", "(a)", "**A**", "Answer: A", "A: it satisfies the request"; not "A passage that ..."
_ALONE = re.compile(r"\W*(?:answer\W+)?([a-z]+)\W*(?:$|(?<=[.:)])\s)", re.IGNORECASE)
# how vocabularies mark a space before a token
_SPACE = " \t\r\n\u0120\u2581"


@dataclass(frozen=True, slots=True)
class Option:
    """An answer that a model may choose: its letter, its word in JSON, and what it means."""

    letter: str
    word: str
    text: str


@dataclass(frozen=True, slots=True)
class ChatQuestion:
    """A question with fixed options.

    Args:
        name: key of the answer in JSON.
        prompt: template of the message.
        options: possible answers.
    """

    name: str
    prompt: str
    options: tuple[Option, ...]

    @classmethod
    def read(cls, name: str) -> ChatQuestion:
        """Read a question of the data file."""
        table = _PROMPTS[name]
        return cls(name, table["prompt"], tuple(Option(**row) for row in table["options"]))

    def turns(self, form: Form, **texts: str) -> Turns:
        """Return the conversation that a model continues: one message.

        Args:
            form: whether the model answers with a letter or with JSON.
            **texts: the template's texts.
        """
        if form == "json":
            labels = [option.word for option in self.options]
            choices = [json.dumps({self.name: label}) for label in labels]
        else:
            choices = labels = [option.letter for option in self.options]
        listed = [f"{label}: {o.text}" for label, o in zip(labels, self.options, strict=True)]
        asked = _PROMPTS[form].format(choices=f"{', '.join(choices[:-1])} or {choices[-1]}")
        # format() reads no braces in the texts that it fills in
        message = self.prompt.format(options="\n".join(listed), form=asked, **texts)
        return [("user", message.strip())]

    @property
    def schema(self) -> dict[str, Any]:
        """``response_format`` of an answer in JSON."""
        schema = {
            "type": "object",
            "properties": {
                self.name: {"type": "string", "enum": [option.word for option in self.options]}
            },
            "required": [self.name],
            "additionalProperties": False,
        }
        return {
            "type": "json_schema",
            "json_schema": {"name": self.name, "strict": True, "schema": schema},
        }

    def weigh(self, first: Iterable[Token]) -> Probabilities:
        """Return the share of each option's letter among the likeliest first tokens.

        Raises:
            MalformedAnswerError: the letters are unlikely answers.
        """
        weights = [0.0] * len(self.options)
        letters = [option.letter for option in self.options]
        for token in first:
            letter = token.token.strip(_SPACE).upper()
            if letter in letters:
                if not token.logprob <= 0.01:  # also NaN; rounding may give a little over 0
                    raise MalformedAnswerError("a log-probability is not a number below 0")
                weights[letters.index(letter)] += math.exp(token.logprob)
        total = sum(weights)
        if total < _LEAST_MASS:
            raise MalformedAnswerError(
                f"the letters {', '.join(letters)} have a probability of {total:.2f} together"
            )
        return tuple(weight / total for weight in weights)

    def choose(self, text: str) -> Probabilities:
        """Return 1 for the option that a text names, and 0 for the others.

        Args:
            text: a JSON object, perhaps with words around it; or an option's letter or word alone.

        Raises:
            MalformedAnswerError: the text names no option, or breaks off.
        """
        text = _THOUGHTS.sub("", text).strip()
        named = self._in_json(text) if "{" in text else _ALONE.match(text)
        answer = named if isinstance(named, str) else named[1] if named else ""
        chosen = [answer.casefold() in (o.letter.casefold(), o.word) for o in self.options]
        if not any(chosen):
            raise MalformedAnswerError("an answer names none of the options")
        return tuple(map(float, chosen))

    def _in_json(self, text: str) -> str:
        try:
            answer = json.loads(text[text.index("{") : text.rindex("}") + 1])
            return str(answer[self.name]).strip()
        except (ValueError, LookupError, TypeError, RecursionError):
            return ""


VERDICT = ChatQuestion.read("verdict")
CONTRADICTION = ChatQuestion.read("contradiction")


def verdict_texts(passage: str, query: str) -> dict[str, str]:
    """Return the texts of a :data:`VERDICT` question."""
    parts = ""
    # a question in other words than the user's repeats the excluded texts, or is one part
    if isinstance(query, Question) and query == query.query and query.excluded:
        excluded = "; ".join(map(_quoted, query.excluded))
        parts = _PROMPTS["parts"].format(wanted=_quoted(query.wanted), excluded=excluded)
    return {"query": _quoted(query), "parts": parts, "passage": _quoted(passage)}


def contradiction_texts(first: str, second: str) -> dict[str, str]:
    """Return the texts of a :data:`CONTRADICTION` question."""
    return {"first": _quoted(first), "second": _quoted(second)}


def _quoted(text: str) -> str:
    """Return a text that does not end its quotation, and that UTF-8 can encode."""
    return _TAG.sub("&lt;", visible_text(clean_text(text)).strip())
