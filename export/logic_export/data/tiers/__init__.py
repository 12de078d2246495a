"""Questions whose candidates stand in tiers: right passages, distractors, other wrong ones."""
