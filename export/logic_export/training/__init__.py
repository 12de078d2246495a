"""From a recipe to a trained model: batches, the run, development figures, the model card.

A recipe holds the settings of a run, which trains a base model to make one named vector (a head).
What depends on the head is its task: the rows, the plan (which rows share a batch), the collator
(makes a batch's tensors) and the development figures (measurements that select the best
checkpoint).
"""
