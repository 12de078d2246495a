"""LogiCoL's seven forms of a set query (Shen et al. 2025, section 4.1)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import and_, or_

from logic_retrievers.errors import InputError
from logic_retrievers.queries.expressions import Atom, Expression


@dataclass(frozen=True, slots=True)
class Template:
    """A query form: the first atoms are joined, a last one may be excluded.

    Args:
        name: ``a_and_b_not_c``, as in rows and wordings.
        joined: number of wanted atoms.
        by: what joins them: ``and`` or ``or``.
        excludes: whether one more atom is excluded.
    """

    name: str
    joined: int
    by: str = "and"
    excludes: bool = False

    @property
    def arity(self) -> int:
        return self.joined + self.excludes

    def __call__(self, *atoms: str) -> Expression:
        """Joins the atoms into an expression.

        Raises:
            InputError: too few or too many of them, or one twice.
        """
        if len(atoms) != self.arity or len(set(atoms)) != self.arity:
            raise InputError(f"{self.name} takes {self.arity} different atoms, not {atoms!r}")
        wanted = self.wanted(*atoms)
        return wanted & ~Atom(atoms[-1]) if self.excludes else wanted

    def wanted(self, *atoms: str) -> Expression:
        """The expression without the excluded atom."""
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
    """Removes an atom; None where nothing is left."""
    if isinstance(expression, Atom):
        return None if expression.text == atom else expression
    parts = [part for arg in expression.args if (part := remove_atom(arg, atom)) is not None]
    if not parts:
        return None
    if expression.op == "not":
        return ~parts[0]
    return reduce(and_ if expression.op == "and" else or_, parts)
