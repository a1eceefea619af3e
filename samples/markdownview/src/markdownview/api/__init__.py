"""The kinds of this operator, a package for each version."""
