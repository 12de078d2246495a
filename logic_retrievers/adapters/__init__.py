"""What the adapters of both frameworks share; it knows neither of them.

evidence_metadata.py  evidence in a document's metadata
descriptions.py       settings in JSON types, and back
settings.py           settings that both frameworks' classes have
"""
