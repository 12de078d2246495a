"""Two sides of a question for training: labelled ones, and ones made by rules over any text.

What rules make is for training alone: a benchmark of it would measure the rules.
"""
