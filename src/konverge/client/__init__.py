"""The client: reads and writes of any Kubernetes, typed, over one `Transport`."""
