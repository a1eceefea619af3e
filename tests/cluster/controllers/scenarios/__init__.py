"""The scenarios: a module per theme, a few lines each."""
