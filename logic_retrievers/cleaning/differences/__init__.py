"""Compare two texts: align their words, read the values in them, say where they differ.

tokens.py       words of a text and their places
numerals.py     numbers without units, in figures and words
quantities.py   numbers with their units, times of day
dates.py        dates
versions.py     versions of software and documents
entities.py     names and codes
annotation.py   all of these values, and negations, in one text
comparison.py   two annotated texts, aligned; antonyms
"""

from logic_retrievers.cleaning.differences.comparison import Change, Comparison, compare
from logic_retrievers.cleaning.differences.tokens import have_same_words

__all__ = ["Change", "Comparison", "compare", "have_same_words"]
