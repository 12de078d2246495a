"""The part of a long passage that a judge reads."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from logic_retrievers.judging.judge import nearest_sentences

words = st.sampled_from(
    ["tower", "garden", "garage", "garlic", "lake", "river", "castle", "of", "in", "no"]
)
sentences = st.lists(words, min_size=1, max_size=12).map(" ".join)
passages = st.lists(sentences, min_size=1, max_size=8)
gaps = st.sampled_from([". ", "! ", "?  ", "; ", "\n", ".\n\n"])
budgets = st.integers(1, 30)


def joined(parts, gap):
    return gap.join(parts) + "."


@given(st.text(max_size=60), st.text(max_size=20), st.integers(0, 40))
def test_a_short_text_is_unchanged(text, query, spare):
    """The text stays to the last blank: most are short, and evidence quotes them."""
    assert nearest_sentences(text, query, len(text.split()) + spare) == text


@given(passages, gaps, sentences, budgets)
def test_whole_sentences_in_their_order_within_the_budget(parts, gap, query, budget):
    """Half a sentence may lose its "not", and a changed order its meaning."""
    excerpt = nearest_sentences(joined(parts, gap), query, budget)
    ended = [f"{part}{gap.strip()}" for part in parts[:-1]] + [f"{parts[-1]}."]
    choices = {""}
    for sentence in ended:
        choices |= {f"{before} {sentence}".strip() for before in choices}
    assert " ".join(excerpt.split()) in choices
    longest = max(len(part.split()) for part in parts)
    assert len(excerpt.split()) <= max(budget, longest)


@given(passages, sentences, budgets)
def test_the_nearest_sentence_is_in_it(parts, query, budget):
    """It decides; of equals the first counts, which usually names the subject."""
    text = joined(parts, ". ")
    assume(len(text.split()) > budget)

    def shared(part):
        return len({word for word in part.split() if len(word) > 3} & set(query.split()))

    nearest = max(parts, key=shared)  # the first of the best
    excerpt = nearest_sentences(text, query, budget).removesuffix(".").split(". ")
    assert nearest in excerpt
    if len(nearest.split()) > budget:
        assert excerpt == [nearest]


def test_words_are_near_by_their_beginning():
    """A query asks for insurance, and the passage says what it insures."""
    text = "We sell cars. They are red. No fire is insured. They are cheap."
    assert nearest_sentences(text, "Insurance against flames", 4) == "No fire is insured."


def test_short_words_count():
    """Queries are about gas, nut or egg, but not about "the" or "not"."""
    passage = "The place is not far. " * 12 + "Cooking is by gas. " + "Nothing else is said. " * 12
    assert "gas" in nearest_sentences(passage, "a flat without gas, not the one", 20)
