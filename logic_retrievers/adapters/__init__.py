"""Code that the adapters of all frameworks share; it imports no framework."""
