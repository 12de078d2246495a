"""Turn a query and candidates into hits: check, plan, encode, order, leave passages out."""
