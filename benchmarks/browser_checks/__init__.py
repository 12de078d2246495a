"""Checks of the HTML reports in a real Chromium: overflow, scripts, filters."""
