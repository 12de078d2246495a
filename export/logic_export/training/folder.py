"""Names of the files that a run leaves in its folder."""

RECIPE = "recipe.json"
"""There from the start."""

DATA = "data.jsonl.gz"
"""The rows as they were drawn."""

CARD = "card.json"
"""There when the run is done."""

MODEL = "model"
