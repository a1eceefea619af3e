"""What this operator does about its kinds, a module for each."""
