"""Excluded texts as whole words of a passage: matches and non-matches."""

from __future__ import annotations

import pytest

from logic_retrievers.ranking.excluded_words import ExcludedWords


@pytest.mark.parametrize(
    ("excluded", "text"),
    [
        ("nuts", "Oil of a nut, cold pressed."),
        ("berries", "a berry"),
        ("peanut butter", "with peanut-butter"),
        ("hotels by the sea", "The hotel by the sea"),
        ("nut", "nut-free"),
        ("O\u2019Brien", "O'Brien's pub"),
        ("café", "Cafe\u0301s"),
        ("C++", "written in C++."),
        ("花生", "我对花生过敏"),
        ("iPhone", "我的iPhone手机"),
        ("ถั่ว", "แพ้ถั่วลิสง"),
        ("œufs", "an oeuf"),
        ("فول", "فُول"),
        ("peanut", "pea\u200bnuts, \ufeffpea\u2060nut"),
        ("pea\u200dnut", "peanut"),
        ("ถั่วลิสง", "ถั่ว\u200bลิสง"),
        ("nuts", "\uff4e\uff55\uff54\uff53"),
        ("knife", "knives"),
    ],
)
def test_found(excluded, text):
    """The caller said explicitly that it must not be there."""
    assert ExcludedWords([excluded]).found_in(text) == [excluded]
    assert ExcludedWords(["zebra", excluded]).found_in("Hm.", f"Well: {text}") == [excluded]


@pytest.mark.parametrize(
    ("excluded", "text"),
    [
        ("nut", "donuts, nutmeg, walnut"),
        ("princes", "a princess"),
        ("news", "a new car"),
        ("peanut butter", "butter with a peanut"),
        ("peanut butter", "peanut. Butter"),
        ("नट", "नटी"),
        ("a.b", "a-b axb"),
        ("か", "が"),
        ("\u0301", "nothing to see"),
    ],
)
def test_not_found(excluded, text):
    """A passage dropped for a different word vanishes silently."""
    assert not ExcludedWords([excluded]).found_in(text)
