"""Experiments of the report, one file each; a study gives a section."""
