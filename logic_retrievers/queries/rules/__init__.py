"""Rule packs: the families of cues that exclude something, one file for each language."""
