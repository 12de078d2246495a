"""Code that all framework adapters share; it imports no framework."""
