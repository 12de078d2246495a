"""From a recipe to a trained model: batches, the run, development figures, the model card.

A run trains a base model to make one named vector (a head). A task is all that depends on the head.
Its plan says which rows share a batch, and its collator makes a batch's tensors. Development
figures select the best checkpoint.
"""
