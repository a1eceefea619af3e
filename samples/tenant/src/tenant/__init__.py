"""The tenant operator."""
