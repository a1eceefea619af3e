"""The vcap operator."""
