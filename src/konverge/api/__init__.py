"""Pure values of the Kubernetes API: no I/O, no async."""
