"""Serves one collection over the Model Context Protocol (extra `mcp`) or HTTP (extra `rest`)."""
