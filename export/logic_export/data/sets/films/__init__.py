"""Attributes that a film's text states, read by rules; unknown where the metadata disagree."""
