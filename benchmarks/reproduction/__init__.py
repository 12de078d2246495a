"""The reproduction report: every table and figure of the papers that the data allow, in one run.

Studies measure and give sections of tables and figures as data (artefacts.py); the runner keeps
each section in a file, so that a run that was cut off goes on; renderers draw them.
"""
