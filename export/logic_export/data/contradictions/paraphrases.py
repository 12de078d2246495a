"""The same said otherwise by a rewriter, and the synonyms that rules may use."""

from __future__ import annotations

from collections.abc import Iterable

from logic_export.data.rewriter import Rewriter
from logic_export.data.wordnet import WordNet
from logic_retrievers.errors import InputError
from logic_retrievers.evaluation.paraphrases import WORD

REPHRASE = (
    "Say the same in other words. Change nothing about the facts, add nothing and leave nothing "
    "out; keep about the same length, style and form. Answer with the new text alone."
)


def rephrased(
    text: str, rewriter: Rewriter, *, copies: int = 3, instruction: str = REPHRASE
) -> list[str]:
    """What a language model makes of a text, as SparseCL's data were made.

    Answers that repeat the text or one another are left out, and so is a text to which the rewriter
    gives no usable answer.

    Args:
        text: to be said otherwise.
        rewriter: is asked ``copies`` times; a number is put under the instruction, or a model at
            temperature 0, and any cache, would say the same each time.
        copies: how many are asked for.
        instruction: what to do.
    """
    found: dict[str, None] = {}
    for copy in range(1, copies + 1):
        try:
            answer = rewriter.rewrite(f"{instruction}\nThis is version {copy}.", text).strip()
        except InputError:
            continue
        if answer and answer != text.strip():
            found[answer] = None
    return list(found)


def synonyms_of(texts: Iterable[str], wordnet: WordNet) -> dict[str, str]:
    """Words of the texts, in lower case, and a word of the texts that means the same.

    Taken only where little can be mistaken: the word has one sense in WordNet, and so has its
    synonym, which occurs in the texts too.
    """
    there = {word for text in texts for word in WORD.findall(text)}
    found = {}
    for word in sorted(there):
        synonym = _only_synonym(word, wordnet)
        if synonym in there:
            found[word] = str(synonym)
    return found


def _only_synonym(word: str, wordnet: WordNet) -> str | None:
    parts = wordnet.parts(word)
    if len(parts) != 1:
        return None
    senses = wordnet.senses[word, parts[0]]
    if len(senses) != 1:
        return None
    same = [s for s in wordnet.synonyms(word, parts[0]) if WORD.fullmatch(s)]
    return (
        same[0]
        if len(same) == 1 and len(wordnet.senses.get((same[0], parts[0]), ())) == 1
        else None
    )
