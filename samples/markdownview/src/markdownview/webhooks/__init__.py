"""What the API server asks this operator before it stores its kinds, a module for each."""
