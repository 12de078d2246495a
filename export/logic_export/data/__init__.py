"""Training data: builders that turn labelled or plain text into triplets, deterministic by seed."""
