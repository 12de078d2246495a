"""How people say what they do not want: many surface forms, so that no template is learnt."""

from __future__ import annotations

from random import Random

AFTER = (
    "{wanted}, but not {ruled_out}",
    "{wanted} but not {ruled_out}",
    "{wanted} except {ruled_out}",
    "{wanted}, except for {ruled_out}",
    "{wanted} excluding {ruled_out}",
    "{wanted}, excluding anything about {ruled_out}",
    "{wanted} other than {ruled_out}",
    "{wanted} apart from {ruled_out}",
    "{wanted} aside from {ruled_out}",
    "{wanted} besides {ruled_out}",
    "{wanted} beyond {ruled_out}",
    "{wanted} instead of {ruled_out}",
    "{wanted} rather than {ruled_out}",
    "{wanted}, not {ruled_out}",
    "{wanted} and not {ruled_out}",
    "{wanted} with the exception of {ruled_out}",
    "{wanted}, leaving out {ruled_out}",
    "{wanted}, leaving aside {ruled_out}",
    "{wanted}, ignoring {ruled_out}",
    "{wanted} without mentioning {ruled_out}",
    "{wanted} without considering {ruled_out}",
    "{wanted} that is not about {ruled_out}",
    "{wanted} that does not involve {ruled_out}",
    "{wanted}, unrelated to {ruled_out}",
    "{wanted}, minus {ruled_out}",
    "{wanted}; nothing on {ruled_out}, please",
    "{wanted}, no {ruled_out}",
    "{wanted} (not {ruled_out})",
    "{wanted}. Do not include {ruled_out}.",
    "{wanted}. I am not interested in {ruled_out}.",
    "{wanted}. Please skip {ruled_out}.",
    "{wanted}, and avoid {ruled_out}",
)
BEFORE = (
    "Apart from {ruled_out}, {wanted}",
    "Besides {ruled_out}, {wanted}",
    "Other than {ruled_out}, {wanted}",
    "Except for {ruled_out}, {wanted}",
    "Aside from {ruled_out}, {wanted}",
    "Leaving {ruled_out} aside, {wanted}",
    "Not {ruled_out}: {wanted}",
    "Ignoring {ruled_out}, {wanted}",
    "Unlike {ruled_out}, {wanted}",
    "Instead of {ruled_out}, {wanted}",
)
FORMS = AFTER + BEFORE
REQUESTS = (
    "{topic}",
    "information about {topic}",
    "what is known about {topic}",
    "tell me about {topic}",
    "can you tell me about {topic}",
    "I would like to read about {topic}",
    "find passages on {topic}",
    "details on {topic}",
    "what can you say about {topic}",
    "who or what is {topic}",
)

FILMS = (
    "which films did {name} act in",
    "a film with {name}",
    "what movie starred {name}",
    "movies featuring {name}",
    "what other films was {name} in?",
    "{name}'s films",
)


def exclusion_query(wanted: str, ruled_out: str, random: Random) -> str:
    """What is wanted and what is ruled out in one query, in a form drawn at random.

    A question mark or full stop at the end of ``wanted`` moves to the end of the query.
    """
    body = wanted.rstrip(" .?!")
    form = random.choice(FORMS)
    if form in BEFORE and body:
        body = body if body[:2].isupper() or body[0].isdigit() else body[0].lower() + body[1:]
    query = form.format(wanted=body, ruled_out=ruled_out.rstrip(" .?!"))
    question = wanted.rstrip().endswith("?") and not query.endswith(".")
    return query + "?" if question else query


def request(topic: str, random: Random) -> str:
    """Asks for a topic, in a form drawn at random."""
    return random.choice(REQUESTS).format(topic=topic)
