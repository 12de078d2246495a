"""Rules that classify a pair of passages by their words, values and metadata.

A rule takes a :class:`~passage_pair.PassagePair` and returns its reason, a sentence for people that
is empty where the rule does not apply; which of them count, and in what order, is decided where
they are called.

passage_pair.py      two passages and what the rules measure of them
sentence_parts.py    the subject of a sentence, the text before a word
metadata_keys.py     what kind of thing a metadata key names
metadata_rules.py    another scope, or a newer version, by the metadata
newer_version.py     one text states a newer version, a later date, a change
change_notices.py    phrases that announce a change: "no longer", "was replaced by"
other_scope.py       the texts are about different things
number_labels.py     numbers that name one of a kind: "size 38", "week 12"
short_text_scope.py  different things in two short texts that share few words
person_groups.py     different groups of people
contradiction.py     both cannot be true
"""
