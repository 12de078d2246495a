"""Rules that classify a pair of passages by their words, values and metadata.

A rule takes a :class:`~passage_pair.PassagePair` and returns its reason, a sentence for people. The
reason is empty if the rule does not apply. ``classification.py`` lists the rules in their order.
The scope of a passage is what it is true of: a product, region, year, person or unit.
"""
