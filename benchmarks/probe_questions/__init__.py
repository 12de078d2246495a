"""Build question sets of the RAG probe from benchmark data; equal seeds give equal sets."""
