"""From a recipe to a trained model: batches, the run, development figures, the model card."""
