"""Set queries in the manner of QUEST and LogiCoL: Boolean expressions with computed answers."""
