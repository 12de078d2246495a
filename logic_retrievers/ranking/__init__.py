"""From a query and its candidates to hits: checks, encoding, order, and what is left out."""
