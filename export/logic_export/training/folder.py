"""Names of the files that a run leaves in its folder."""

RECIPE = "recipe.json"
"""There from the start."""

CARD = "card.json"
"""There when the run is done."""

MODEL = "model"
