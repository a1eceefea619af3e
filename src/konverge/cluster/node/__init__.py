"""A node for the embedded control plane: it takes the pods that are bound to it and reports what becomes of them.

`simulated` runs nothing: it says what a kubelet would say. `process` runs pods as processes of this machine. Both are
konverge controllers, so they run against a real API server too.
"""
