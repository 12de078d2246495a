"""Clean corpora: find conflicts, decide them, and hide the passages that lose. None is deleted.

A finding is two passages and how they relate. A decision says what follows for the two. Hidden
passages are in quarantine: they stay stored, with a flag that keeps them out of searches. The
ledger is a log of all decisions. To examine a passage is to compare it with its neighbours, the
passages that are topically nearest.
"""
