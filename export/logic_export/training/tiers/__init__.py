"""Training on candidates in tiers: their vectors or tokens, batches, development figures."""
