"""Protobuf: what Go's clients send of built-in kinds, read into JSON values, and answers written from them.

Nothing of it is loaded before the first such body. An answer is protobuf only for a client that takes nothing else:
JSON is what is stored, and is sent as it is.
"""
