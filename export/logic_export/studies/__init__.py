"""Studies of the reproduction report whose data only this package can build.

Registered under the entry-point group ``logic_retrievers.studies``; what they load waits for a run.
"""
