"""One collection for other programs: over the Model Context Protocol, or over HTTP.

``service`` has the three searches, with their requests and responses; ``mcp_server`` (extra `mcp`)
and ``rest`` (extra `rest`) are thin over it.
"""
