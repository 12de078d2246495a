"""Kinds of plots, one file each."""
