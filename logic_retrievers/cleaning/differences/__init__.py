"""Compare two texts: align their words, read the values in them, say where they differ."""

from logic_retrievers.cleaning.differences.comparison import Change, Comparison, compare
from logic_retrievers.cleaning.differences.tokens import have_same_words

__all__ = ["Change", "Comparison", "compare", "have_same_words"]
