"""Queries and expressions: parsed, searched for, and read back from their own text."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any

import logic_retrievers as lr
from logic_retrievers.encoders import default_encoder
from logic_retrievers.errors import ExpressionError

from .harness import Target, accepted, expect
from .values import POLICIES, TEXTS, changed_tree, hostile, nested, sentence, text, tree
from .workplace import inns, open_index

PATTERNS = (
    *("{} without {}", "{} except {} and {}", "{} but not {}", "neither {} nor {}", "{} or {}"),
    *("{} that do not {}", "no {}, {}", "{} -{}", "{} and {} but no {}", "{} other than {}", "{}"),
    *(
        "NOT {}",
        '"{}" AND NOT "{}"',
        "{} ohne {}",
        "{} sans {} ni {}",
        "{} (not {})",
        "{}, {} or {}",
    ),
)


class Queries(Target):
    """``RuleParser.parse`` and ``Engine.search``: as many hits as there are, with evidence."""

    name = "queries"
    share = 20

    def __init__(self) -> None:
        self._parser = lr.RuleParser()
        self._index = open_index()
        self._index.add(inns())
        self._with_model: lr.PassageIndex | None = None

    def generate(self, random: Random) -> tuple[str, dict[str, Any]]:
        """A query, and the settings of its search."""
        pattern = random.choice(PATTERNS) if random.random() < 0.7 else "{}"
        parts = [random.choice((sentence, text))(random) for _ in range(pattern.count("{}"))]
        query = pattern.format(*parts)
        if random.random() < 0.02:
            query = query * random.choice((100, 3000)) or "x" * 100_001
        settings: dict[str, Any] = {
            "policy": random.choice(POLICIES),
            "k": random.choice((1, 3, 50)),
        }
        if random.random() < 0.3:
            settings["exclude"] = [text(random) for _ in range(random.choice((1, 2, 31, 32)))]
            settings["policy"] = random.choice(("auto", "boolean"))
        if random.random() < 0.2:
            settings["hard"] = True
        settings["model"] = random.random() < 0.02
        return query, settings

    def run(self, value: tuple[str, dict[str, Any]]) -> None:
        """Parses it, and searches with the settings."""
        query, settings = value[0], dict(value[1])
        index = self._index_with_model() if settings.pop("model") else self._index
        parsed = self._parser.parse(query)
        with accepted("parsed"):
            json.dumps(parsed.to_dict())
            expect(parsed.text == query, "another text")
            expect(all(part.strip() for part in parsed.excluded), "an empty excluded part")
        hits = lr.Engine(index, settings.pop("policy"), judge=None).search(query, **settings)
        with accepted("found"):
            json.dumps([hit.to_dict() for hit in hits], allow_nan=False)
            expect([hit.rank for hit in hits] == list(range(1, len(hits) + 1)), "ranks")
            expect(len({hit.passage.id for hit in hits}) == len(hits), "a passage twice")
            full = not settings.get("hard") and value[1]["policy"] != "lexical"
            expect(not full or len(hits) == min(value[1]["k"], len(inns())), "fewer hits than k")

    def _index_with_model(self) -> lr.PassageIndex:
        if self._with_model is None:
            self._with_model = open_index(default_encoder(), vectors=None)
            self._with_model.add(inns())
        return self._with_model

    def close(self) -> None:
        """Closes the indexes."""
        for index in filter(None, (self._index, self._with_model)):
            index.close()


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator, or an atom, and what it is to stand over."""

    kind: type
    operand: Any


class Expressions(Target):
    """``Expression.parse``, ``from_dict`` and the operators: what is read can be read again."""

    name = "expressions"
    share = 15

    def generate(self, random: Random) -> Any:
        """A text, a tree of dictionaries, or the parts of an operator."""
        makers: tuple[Callable[[Random], Any], ...] = (_words, _words, _dictionary, _parts)
        return random.choice(makers)(random)

    def run(self, value: Any) -> None:
        """Makes an expression of it, by the kind of input."""
        if isinstance(value, Operator):
            made = value.kind(value.operand)
        elif isinstance(value, str):
            made = lr.Expression.parse(value)
        else:
            made = lr.Expression.from_dict(value)
        with accepted("expression"):
            expect(isinstance(made, lr.Expression), "no expression")
            expect(lr.Expression.parse(str(made)) == made, "str() reads otherwise")
            expect(
                lr.Expression.from_dict(json.loads(json.dumps(made.to_dict()))) == made, "as JSON"
            )
            expect(len(made.atoms) <= 32, "more atoms than allowed")
            hash(made.simplified())
            with suppress(ExpressionError):  # it states only what is not wanted
                lr.ParsedQuery.stating(made)


def _words(random: Random) -> Any:
    if random.random() < 0.05:
        return hostile(random)
    parts = []
    for _ in range(random.choice((1, 2, 3, 5, 40))):
        atom = random.choice((sentence, sentence, text))(random)
        escaped = atom.replace("\\", "\\\\").replace('"', '\\"')
        parts.append(
            random.choice(("", "", "NOT ", "(", "NOT (")) + random.choice((f'"{escaped}"', atom))
        )
        parts.append(
            random.choice((" AND ", " OR ", " AND NOT ", ") AND ", ") ", " ", " and ", ")"))
        )
    return "".join(parts[: random.choice((-1, -1, None))])


def _dictionary(random: Random) -> Any:
    if random.random() < 0.2:
        return random.choice(
            (nested(random.choice((5, 20, 1000)), "dict"), tree(random), hostile(random))
        )
    made = _tree(random, random.choice((1, 2, 3, 20)))
    return changed_tree(random, made) if random.random() < 0.5 else made


def _tree(random: Random, depth: int) -> dict[str, Any]:
    op = random.choice(("atom", "and", "or", "not")) if depth else "atom"
    if op == "atom":
        return {"op": op, "text": random.choice((sentence, text))(random)}
    count = 1 if op == "not" else random.choice((1, 2, 2, 3))
    return {"op": op, "args": [_tree(random, depth - 1 if n == 0 else 0) for n in range(count)]}


def _parts(random: Random) -> Operator:
    kind = random.choice((lr.Atom, lr.And, lr.Or, lr.Not))
    if kind in (lr.Atom, lr.Not) or random.random() < 0.2:
        return Operator(kind, random.choice((lr.Atom("a"), random.choice(TEXTS), hostile(random))))
    operands = random.choice((1, 2, 40))
    return Operator(
        kind, [random.choice((lr.Atom(f"a{n}"), hostile(random))) for n in range(operands)]
    )
