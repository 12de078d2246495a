"""Queries with candidates in tiers (LORE): positives, distractors (named in the query), rest."""
