"""The embedded control plane: Kubernetes' API, and later its controllers and a node, in one Python process.

`apiserver/` is the server itself, without I/O; `http.py` and `transport.py` are the two thin edges through which
requests reach it.
"""
