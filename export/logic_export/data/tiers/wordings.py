"""How a clause about another passage is joined to a question: eight relations, many wordings.

``{clause}`` is a statement, ``{named}`` a topic with its description beside it, ``{topic}`` the
topic alone. The question stands there word for word.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_SEQUENTIAL = {
    "train": (
        "After reading that {clause}, {question}",
        "I have just read that {clause}. Next question: {question}",
        "Having first learned that {clause}, I now want to know: {question}",
        "{clause}. The next thing to find out: {question}",
        "First I looked up {named}. Then I asked myself: {question}",
        "Yesterday I read about {topic}; today I ask: {question}",
        "We began with {named}, and now go on: {question}",
        "{question} I ask this right after learning that {clause}.",
    ),
    "dev": (
        "We have noted that {clause}. And now: {question}",
        "We are finished with {named}. Next: {question}",
    ),
    "test": (
        "Step one was to establish that {clause}. Step two: {question}",
        "Earlier on we heard that {clause}; after that we asked: {question}",
        "Following the chapter on {named}, {question}",
        "My last search was about {topic}. The one after it: {question}",
    ),
}
_TRANSITIONAL = {
    "train": (
        "Leaving aside that {clause}, {question}",
        "That {clause} is one matter; now to another: {question}",
        "{clause}. But to change the subject, {question}",
        "Moving on from the fact that {clause}, {question}",
        "Enough about {named}. {question}",
        "Turning away from {named}, {question}",
        "So much for {topic}. On to something else: {question}",
        "{question} I was told that {clause}, but let us move on from that.",
    ),
    "dev": (
        "We need not dwell on the fact that {clause}. Instead, {question}",
        "Setting {named}, aside, {question}",
    ),
    "test": (
        "I know that {clause}, which brings me to another matter: {question}",
        "It is settled that {clause}. Now a different point: {question}",
        "With {topic} out of the way, {question}",
        "Let us switch from {named}, to another topic: {question}",
    ),
}
_SUPPLEMENTARY = {
    "train": (
        "Besides knowing that {clause}, I would like to know: {question}",
        "{clause}. In addition, {question}",
        "I already know that {clause}. Furthermore, {question}",
        "As well as noting that {clause}, let me ask: {question}",
        "In addition to what is known about {named}, {question}",
        "On top of what I read about {topic}, {question}",
        "There is also {named}, in my notes. {question}",
        "{question} I also know that {clause}.",
    ),
    "dev": (
        "My notes say that {clause}. One more thing: {question}",
        "To add to my notes on {named}, {question}",
    ),
    "test": (
        "Further to the information that {clause}, {question}",
        "Over and above the fact that {clause}, {question}",
        "Alongside what has been said of {named}, {question}",
        "{question} What is more, {clause}.",
    ),
}
_CONTRASTIVE = {
    "train": (
        "While {clause}, {question}",
        "Although {clause}, {question}",
        "{clause}. However, {question}",
        "I do not doubt that {clause}, but {question}",
        "Unlike {named}, {question}",
        "In contrast to {named}, {question}",
        "I am not asking about {named}. {question}",
        "{question} I do not mean {named}.",
    ),
    "dev": (
        "Whereas {clause}, {question}",
        "Not to be confused with {named}: {question}",
    ),
    "test": (
        "Even though {clause}, {question}",
        "On the one hand, {clause}; on the other hand, {question}",
        "As opposed to {named}, {question}",
        "Never mind {topic}: {question}",
    ),
}
_CAUSAL = {
    "train": (
        "Because {clause}, I began to wonder: {question}",
        "Since {clause}, it occurred to me to ask: {question}",
        "{clause}, and therefore I ask: {question}",
        "As {clause}, the question arises: {question}",
        "I came across {named}, which is why I ask: {question}",
        "My interest in {topic} leads me to ask: {question}",
        "Thanks to a page on {named}, I now wonder: {question}",
        "{question} I ask because {clause}.",
    ),
    "dev": (
        "Given that {clause}, {question}",
        "It was reading about {topic} that made me ask: {question}",
    ),
    "test": (
        "Seeing that {clause}, I would like to know: {question}",
        "{clause}; hence my question: {question}",
        "An article on {named}, prompted me to ask: {question}",
        "{question} The reason for my question is that {clause}.",
    ),
}
_EXPLANATORY = {
    "train": (
        "For context, {clause}. {question}",
        "Some background: {clause}. My question is: {question}",
        "Let me explain where I come from: {clause}. {question}",
        "To be clear, {clause}; my question is: {question}",
        "I mention {named}, only to explain what I am reading. {question}",
        "This is about a list that includes {named}. {question}",
        "To explain: I have been reading about {topic}. {question}",
        "{question} For background, {clause}.",
    ),
    "dev": (
        "As is explained elsewhere, {clause}. {question}",
        "The page in front of me describes {named}. {question}",
    ),
    "test": (
        "To put it in context: {clause}. So, {question}",
        "{question} Just to explain, {clause}.",
        "By way of illustration, my source describes {named}. {question}",
        "What I have here is an explanation of {topic}. {question}",
    ),
}
_PARALLEL = {
    "test": (
        "{clause}, and likewise: {question}",
        "{clause}; in the same vein, {question}",
        "{clause}. Similarly, {question}",
        "Two things are on my list: that {clause}, and this: {question}",
        "While one of us notes that {clause}, the other asks: {question}",
        "It matters that {clause}, and it matters just as much: {question}",
        "Just as I looked up {named}, I am looking this up: {question}",
        "As with {named}, so here: {question}",
        "Side by side with {named}, I am studying this: {question}",
        "My colleague reads about {named}, and I in turn ask: {question}",
        "Along the same lines as a page on {topic}, {question}",
    )
}
_HYPOTHETICAL = {
    "test": (
        "If {clause}, {question}",
        "Suppose that {clause}. {question}",
        "Assuming that {clause}, {question}",
        "Imagine that {clause}. {question}",
        "Let us say that {clause}: {question}",
        "Provided it is true that {clause}, {question}",
        "Were somebody to tell me that {clause}, I would still ask: {question}",
        "If I had read about {named}, I might ask: {question}",
        "Had I not come across {named}, I would not be asking: {question}",
        "Even if I knew all about {topic}, I would ask: {question}",
        "{question} Suppose, if you like, that {clause}.",
    )
}

RELATIONS: Mapping[str, Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "sequential": _SEQUENTIAL,
        "transitional": _TRANSITIONAL,
        "supplementary": _SUPPLEMENTARY,
        "contrastive": _CONTRASTIVE,
        "causal": _CAUSAL,
        "parallel": _PARALLEL,
        "hypothetical": _HYPOTHETICAL,
        "explanatory": _EXPLANATORY,
    }
)
"""Relation -> part -> its wordings; no wording is in two parts."""

HELD_OUT = tuple(name for name, parts in RELATIONS.items() if "train" not in parts)
"""Relations that only the test has."""


def wordings(part: str) -> dict[str, tuple[str, ...]]:
    """Relation -> the wordings of a part; only relations that it has."""
    return {name: parts[part] for name, parts in RELATIONS.items() if part in parts}
