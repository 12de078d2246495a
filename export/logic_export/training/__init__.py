"""From a recipe to a trained model: batches, the run, development figures, the model card.

A run trains a base model to make one named vector (a head). A task holds everything that depends on
the head: its plan says which rows share a batch, its collator makes a batch's tensors, and its
development figures select the best checkpoint.
"""
