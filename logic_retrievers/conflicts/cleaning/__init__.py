"""Clean corpora: find conflicts, decide them, and hide the losing passages. None is deleted.

A finding is two passages and how they relate. A decision says which of the two stay. Hidden
passages are in quarantine: they stay stored, with a flag that keeps them out of searches. The
ledger is a log of all decisions. Examining a passage means comparing it with its neighbours, the
topically nearest passages.
"""
