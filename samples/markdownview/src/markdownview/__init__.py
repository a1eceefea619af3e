"""The markdownview operator."""
