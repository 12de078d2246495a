"""Training and export of the encoders; needs the `train` extra."""
