"""LogiCoL's seven forms of a set query (Shen et al. 2025, section 4.1), and their wordings.

Training, development and test use different wordings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_

from logic_export.data.files import read_toml
from logic_retrievers.queries.expressions import Atom, Expression


@dataclass(frozen=True, slots=True)
class Template:
    """A query form: the first atoms are joined, and the last one may be excluded."""

    name: str  # ``a_and_b_not_c``, as in rows and wordings
    joined: int  # number of wanted atoms
    by: str = "and"  # or ``or``
    excludes: bool = False

    @property
    def arity(self) -> int:
        return self.joined + self.excludes

    def __call__(self, *atoms: str) -> Expression:
        wanted = self.wanted(*atoms)
        return wanted & ~Atom(atoms[-1]) if self.excludes else wanted

    def wanted(self, *atoms: str) -> Expression:
        """Return the expression without the excluded atom."""
        parts: list[Expression] = [Atom(text) for text in atoms[: self.joined]]
        return reduce(and_ if self.by == "and" else or_, parts)


TEMPLATES = {
    template.name: template
    for template in (
        Template("a", 1),
        Template("a_and_b", 2),
        Template("a_or_b", 2, "or"),
        Template("a_not_b", 1, excludes=True),
        Template("a_and_b_and_c", 3),
        Template("a_and_b_not_c", 2, excludes=True),
        Template("a_or_b_or_c", 3, "or"),
    )
}


def remove_atom(expression: Expression, atom: str) -> Expression | None:
    """Remove an atom; None if nothing is left."""
    if isinstance(expression, Atom):
        return None if expression.text == atom else expression
    parts = [part for arg in expression.args if (part := remove_atom(arg, atom)) is not None]
    if not parts:
        return None
    if expression.op == "not":
        return ~parts[0]
    return reduce(and_ if expression.op == "and" else or_, parts)


def shared_phrase(
    template: Template, atoms: Sequence[str], noun: str, negation: str = "but not"
) -> str | None:
    """Join a template's atoms in one phrase with the noun once; None if no phrase is natural.

    With AND at most one atom may precede the noun (``1930s musical films starring Fred Astaire``).
    With OR either all atoms or none precede the noun, and a common beginning is not repeated. The
    excluded atom follows the noun and ``negation``.
    """
    split_or_none = [_split_at_noun(atom, noun) for atom in atoms]
    split = [half for half in split_or_none if half is not None]
    if len(split) < len(atoms):
        return None
    wanted = split[: template.joined]
    phrase = _join_or(wanted, noun) if template.by == "or" else _join_and(wanted, noun)
    if phrase is None or not template.excludes:
        return phrase
    before, after = split[-1]
    return f"{phrase} {negation} {after}" if after and not before else None


def _split_at_noun(atom: str, noun: str) -> tuple[str, str] | None:
    """Split at the noun into two texts; None unless exactly one of the texts is empty."""
    match = re.fullmatch(rf"(.*?)\b{re.escape(noun)}\b(.*)", atom)
    if not match:
        return None
    before, after = match[1].strip(), match[2].strip()
    return None if bool(before) == bool(after) else (before, after)


def _join_and(halves: Sequence[tuple[str, str]], noun: str) -> str | None:
    before = [phrase for phrase, _ in halves if phrase]
    after = [phrase for _, phrase in halves if phrase]
    if len(before) > 1:
        return None
    return " ".join([*before, noun, _enumerate(after, "and")]).strip()


def _join_or(halves: Sequence[tuple[str, str]], noun: str) -> str | None:
    before = [phrase for phrase, _ in halves if phrase]
    after = [phrase for _, phrase in halves if phrase]
    if not after:
        return f"{_enumerate(before, 'or')} {noun}"
    return None if before else f"{noun} {_enumerate(_drop_common_prefix(after), 'or')}"


def _drop_common_prefix(phrases: Sequence[str]) -> list[str]:
    """Turn ``set in Libya``, ``set in Tunisia`` into ``set in Libya``, ``Tunisia``.

    Only lower-case words are dropped, so that names stay whole.
    """
    words = [phrase.split() for phrase in phrases]
    common = 0
    while all(len(words_of_phrase) > common + 1 for words_of_phrase in words) and (
        len({words_of_phrase[common] for words_of_phrase in words}) == 1
        and words[0][common].islower()
    ):
        common += 1
    return [phrases[0], *(" ".join(words_of_phrase[common:]) for words_of_phrase in words[1:])]


def _enumerate(parts: Sequence[str], word: str) -> str:
    if len(parts) < 3:
        return f" {word} ".join(parts)
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}"


PARTS = ("train", "dev", "test")


@dataclass(frozen=True, slots=True)
class Wording:
    """One wording of one template.

    The form has ``{A}``, ``{B}`` and ``{C}`` for the texts of the atoms, or ``{S}`` for a phrase
    that names their common head noun once.
    """

    template: str
    form: str
    negation: str = ""  # exclusion words within ``{S}``

    @property
    def name(self) -> str:
        """Name the wording as rows of queries do: the form with the exclusion words."""
        return f"{self.form} [{self.negation}]" if self.negation else self.form

    @property
    def shared_heads(self) -> bool:
        return "{S}" in self.form

    def render(self, atoms: Sequence[str], noun: str) -> str | None:
        """Return the query's text; None if the atoms cannot share their head noun.

        Phrases stay in lower case, as people type them; sentences begin with a capital.
        """
        if self.shared_heads:
            phrase = shared_phrase(TEMPLATES[self.template], atoms, noun, self.negation)
            if phrase is None:
                return None
            text = self.form.replace("{S}", phrase)
        else:
            text = self.form.format(**dict(zip("ABC", atoms, strict=False)))
        if self.form[-1] not in ".?!":
            return text
        return text[0].upper() + text[1:].replace("..", ".")


_DATA = read_toml(__package__, "wordings.toml")


def _wordings_of(template: Template, part: str) -> tuple[Wording, ...]:
    full = tuple(Wording(template.name, form) for form in _DATA["full_forms"][template.name][part])
    if template.arity == 1:
        return full
    return full + tuple(
        Wording(template.name, frame.replace("{}", "{S}"), negation)
        for frame in _DATA["frames"][part]
        for negation in (_DATA["negations"][part] if template.excludes else ("",))
    )


# Part -> template -> its wordings.
WORDINGS = {
    part: {name: _wordings_of(template, part) for name, template in TEMPLATES.items()}
    for part in PARTS
}
