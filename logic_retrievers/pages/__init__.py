"""What the reports have in common: templates, text that hides nothing, cells that run nothing."""
