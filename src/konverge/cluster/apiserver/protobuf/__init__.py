"""Protobuf bodies: what Go's clients send of built-in kinds, read into the JSON values that the server knows.

Nothing of it is loaded before the first such body. Answers are JSON: every client that writes protobuf reads that too.
"""
