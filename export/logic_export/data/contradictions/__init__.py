"""Groups of contradicting texts: from labelled data, and by rules over any text."""

# Groups made by rules are for training only, since a benchmark on them would measure the rules.
