"""The visitors operator."""
