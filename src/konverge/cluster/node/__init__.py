"""A node for the embedded control plane: it takes the pods that are bound to it and reports what becomes of them.

`simulated` runs nothing: it says what a kubelet would say. It is a konverge controller, so it runs against a real API
server too.
"""
