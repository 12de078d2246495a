"""Turn a query and its candidates into hits: check, plan, encode, order, leave passages out."""
