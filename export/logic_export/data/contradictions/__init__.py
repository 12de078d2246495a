"""Groups of contradicting texts for training: from labelled data, and made by rules over any text.

Groups made by rules are for training alone: a benchmark of them would measure the rules.
"""
