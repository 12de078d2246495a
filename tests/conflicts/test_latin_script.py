"""Texts that cannot be judged for their script."""

# ruff: noqa: RUF001 - letters that look alike are the point

from __future__ import annotations

import pytest

from logic_retrievers.text import is_outside_latin


@pytest.mark.parametrize(
    ("text", "outside"),
    [
        ("Die Straße über den Fluß ist größer, à côté du café", False),
        ("Hà Nội là thủ đô của Việt Nam", False),
        ("这家旅馆很安静。", True),
        ("Το ξενοδοχείο είναι ήσυχο", True),
        ("", False),
        ("1984 — 42 %, ½ ☂", False),
        ("Tokyo (東京) is large.", False),
        ("ab αβ", False),
        ("ab αβγ", True),
        ("Ｔｈｅ ｉｎｎ 𝐢𝐬 𝐪𝐮𝐢𝐞𝐭", False),
        ("cafe\u0301 noe\u0308l", False),
    ],
)
def test_more_than_half_of_the_letters_decide(text, outside):
    """A judgement over tokens that the model has not seen would be noise with a figure on it."""
    assert is_outside_latin(text) is outside
