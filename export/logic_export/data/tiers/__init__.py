"""Queries with candidates in tiers (LORE): positives, distractors and other negatives."""
