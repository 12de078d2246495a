"""How questions on films are asked: half of them in a plain form, half as people talk."""

from __future__ import annotations

from collections.abc import Mapping

WORDINGS: Mapping[str, tuple[str, ...]] = {
    "title": (
        "Which film starring {person} is not {ruled_out}?",
        "Apart from {ruled_out}, which film has {person} in it?",
        "Which film other than {ruled_out} does {person} star in?",
        "I don't want to see {ruled_out} again. What else is there with {person}?",
    ),
    "year": (
        "Which film starring {person} is not from {ruled_out}?",
        "I want a film with {person}, but nothing from {ruled_out}. Which one is there?",
        "Excluding films of {ruled_out}, which film stars {person}?",
        "What film did {person} make in any year except {ruled_out}?",
    ),
    "not_released": (
        "Which film starring {person} was not released in the {ruled_out}?",
        "Which of the films with {person} didn't come out in the {ruled_out}?",
        "Which film starring {person} does not date from the {ruled_out}?",
        "Is there a film with {person} that wasn't made in the {ruled_out}? What is it called?",
    ),
    "fellow_actor": (
        "Which film stars {person} but not {ruled_out}?",
        "I'm looking for a film with {person} that {ruled_out} isn't in. What is it called?",
        "Which film starring {person} does not star {ruled_out}?",
        "What did {person} star in without {ruled_out}?",
    ),
    "director": (
        "Which film starring {person} was not directed by {ruled_out}?",
        "I'd like a film with {person}, just not one that {ruled_out} directed. Which is there?",
        "Which film starring {person} has a director other than {ruled_out}?",
        "What did {person} star in when someone other than {ruled_out} was directing?",
    ),
}
"""Kind of a question -> its forms, plain and natural by turns."""
