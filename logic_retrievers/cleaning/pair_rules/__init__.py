"""Rules that classify a pair of passages by their words, values and metadata.

A rule takes a :class:`~passage_pair.PassagePair` and returns its reason, a sentence for people that
is empty where the rule does not apply; which of them count, and in what order, is decided where
they are called.

passage_pair.py      two passages and what the rules measure of them
metadata_rules.py    another scope, or a newer version, by the metadata
newer_version.py     one text states a newer version, a later date, a change
other_scope.py       the texts are about different things
contradiction.py     both cannot be true
"""
