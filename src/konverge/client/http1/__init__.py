"""HTTP/1.1 as a client of the API server needs it, and no more; `client/http.py` is its only user.

`wire` and `body` turn a request into bytes and bytes into an answer, without I/O. `connection` carries one request at
a time over asyncio, `dial` opens one (TLS, proxies), `pool` keeps them for the next request, `route` says where to.
"""
