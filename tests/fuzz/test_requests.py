"""Whatever is asked, the core of the embedded server answers, and none of its own code fails."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from random import Random
from typing import cast

from edge import failures, is_as_the_real_one
from hypothesis import given, note, settings
from hypothesis import strategies as st
from odd_requests import Requests

from konverge.cluster.apiserver.exchange import Request, Response, Upgrade
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage

_PATIENCE = 30.0  # seconds for one answer


async def _ask(server: ApiServer, request: Request) -> None:
    async with asyncio.timeout(_PATIENCE):
        answer = await server.handle(request)
    if isinstance(answer, Upgrade):
        return
    if not isinstance(answer, Response):
        await cast("AsyncGenerator[bytes]", answer.chunks).aclose()
        return
    assert answer.status < 500 or is_as_the_real_one(answer.body), answer.body.decode()
    if answer.content_type == "application/json" and answer.body:
        json.loads(answer.body)


@given(random=st.randoms(use_true_random=False), count=st.integers(1, 20))
@settings(print_blob=True)
def test_any_request_is_answered(random: Random, count: int) -> None:
    """Twenty requests in a row, of any kind and with anything in them: an answer each, and no failure in the log."""

    async def play() -> None:
        server = ApiServer(Storage.in_memory())
        await server.start()
        made = Requests(random)
        for _ in range(count):
            request = made.one()
            note(f"{request.method} {request.path} {request.query} {dict(request.headers)} {request.body!r}")
            await _ask(server, request)
        await server.close()

    with failures() as failed:
        asyncio.run(play())
    assert not failed
