"""Question sets of the RAG probe, built from benchmark data; the same seed gives the same set."""
