"""The embedded API server: an `Exchange` in, an answer or a stream of bytes out, and no I/O of its own.

It reaches out only through ports that are injected: storage, ids and the clock. What it does is what the real
kube-apiserver does: the suite in `tests/conformance` runs on both and compares.
"""
