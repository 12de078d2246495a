"""Training data: builders of training rows from labelled or plain text, deterministic by seed.

A recipe (the settings of a training run) names the builders. A triplet is a query, a passage that
satisfies it and one that violates its constraint. Other rows are contradiction groups, queries with
candidates in tiers, and set queries. Mirrored triplets have the same two passages in exchanged
roles. The parts of a data set are its training, development and test rows.
"""
