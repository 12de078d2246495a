"""Rule packs: families of cues that exclude something, one file per language."""
