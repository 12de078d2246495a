"""Training data: builders of training rows from labelled or plain text, deterministic by seed.

A recipe (the settings of a training run) names the builders. A row is a triplet (a query, a passage
that satisfies it, one that violates its constraint), a contradiction group, a query with candidates
in tiers, or a set query. Mirrored triplets have the same two passages in exchanged roles. The parts
of a data set are its training, development and test rows.
"""
