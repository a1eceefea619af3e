"""The kinds of version v1."""
