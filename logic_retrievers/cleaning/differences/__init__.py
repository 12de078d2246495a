"""Where two texts differ, one idea a file.

words.py       a text as words with their places
numbers.py     quantities; numerals.py: figures and number words; clock.py: times of day;
               units.py: what one unit is in another
dates.py       dates as they are written in a text
versions.py    versions of software and documents
entities.py    names and codes
polarity.py    words that negate
antonyms.py    pairs of opposites
facts.py       what words state, and when two state the same
reading.py     a text read once
aligning.py    which words stand for each other
comparing.py   all of it for two texts
"""

from logic_retrievers.cleaning.differences.comparing import Change, Comparison, compare
from logic_retrievers.cleaning.differences.words import same_words

__all__ = ["Change", "Comparison", "compare", "same_words"]
