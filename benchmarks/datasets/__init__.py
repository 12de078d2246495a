"""Readers of published benchmark sets in their original formats."""
