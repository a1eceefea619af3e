"""HTTP/1.1 for the embedded server's HTTPS edge: `incoming` and `outgoing` are bytes without I/O, `connection` has it.

aiohttp's server in its place took two fifths of the CPU until the server was ready, and a third of its memory
(`bench/apiserver/README.md`).
"""
