"""HTTP/1.1 for the embedded server's HTTPS edge: `incoming` and `outgoing` are bytes without I/O, `connection` has it.

aiohttp, which did this before, took half of the time until the server was ready and a fifth of its memory
(`bench/apiserver/README.md`).
"""
