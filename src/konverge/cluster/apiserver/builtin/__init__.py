"""The built-in kinds: what Kubernetes 1.36 serves by default, captured from the real server.

`catalogue` is the way in; `tools/capture_apis.py` writes `captured.zip`.
"""
