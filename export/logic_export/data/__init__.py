"""Training data: builders of training rows from labelled or plain text, deterministic by seed.

A recipe (the settings of a training run) names the builders. Rows are triplets, contradiction
groups, queries with candidates in tiers, and set queries. Mirrored triplets have the same two
passages in exchanged roles. A data set has training, development and test rows as its parts.
"""
