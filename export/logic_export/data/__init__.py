"""Training data: builders of training rows from labelled or plain text, deterministic by seed."""
