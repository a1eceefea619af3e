"""The myresource operator."""
