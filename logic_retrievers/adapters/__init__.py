"""What the adapters of the frameworks share; it knows none of them.

evidence_metadata.py  evidence in a document's metadata
descriptions.py       settings in JSON types, and back
settings.py           settings that the frameworks' classes have
built.py              the core object behind an adapter's object
"""
