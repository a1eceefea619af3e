"""What the server refuses to read, in the real server's words.

`data/refusals.jsonl` holds the answers of kube-apiserver 1.36.3 to a client that asks for what is
not there, or asks in the wrong way; to move a case elsewhere, take its line.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from konverge.cluster.apiserver.exchange import Response
from konverge.testing.virtual_time import run

if TYPE_CHECKING:
    from tests.cluster.apiserver.conftest import Served

LINES = Path(__file__).with_name("data").joinpath("refusals.jsonl").read_text().splitlines()


@pytest.mark.parametrize("line", LINES, ids=lambda line: " ".join(list(json.loads(line).values())[:2]))
def test_refusal(serving: type[Served], line: str) -> None:
    """A refusal has the real server's code, reason, message and details."""
    case = json.loads(line)
    answer = run(_answer(serving, case))
    assert answer.status == case["code"]
    if "text" in case:
        assert answer.body.decode() == case["text"]
    else:
        status = json.loads(answer.body)
        status["message"] = re.sub(r"current: \d+", "current: N", status["message"])
        assert {name: status[name] for name in ("reason", "message", "details") if name in status} == case["status"]


async def _answer(serving: type[Served], case: dict[str, Any]) -> Response:
    served = serving()
    await served.put(served.config_map("a", x="1"))
    await served.put(served.gadget("a", color="red", replicas=3, size=4, sel="a=b"))
    await served.put(served.gadget("b"))
    headers = {"accept": case["accept"]} if "accept" in case else {}
    answer = await served.ask(case["method"], case["path"], **headers)
    assert isinstance(answer, Response)
    return answer
