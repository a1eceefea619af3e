"""Quotas under many writers at once; what they answer is compared with the real server in `tests/conformance`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cluster.apiserver.admission.conftest import Asked

NS = "/api/v1/namespaces/default"


async def _quota(asked: Asked, hard: dict[str, str], used: dict[str, str]) -> None:
    await asked.make(f"{NS}/resourcequotas", "q", spec={"hard": hard})
    status, _ = await asked.ask("PATCH", f"{NS}/resourcequotas/q/status", {"status": {"hard": hard, "used": used}})
    assert status == 200


async def _used(asked: Asked) -> dict[str, str]:
    used: dict[str, str] = (await asked.ask("GET", f"{NS}/resourcequotas/q"))[1]["status"]["used"]
    return used


async def test_many_writers_never_exceed_a_quota(asked: Asked) -> None:
    """Of thirty creates at once exactly as many pass as there is room for, and the quota says so."""
    await _quota(asked, {"configmaps": "12"}, {"configmaps": "2"})
    bodies = [{"metadata": {"name": f"a{index}"}} for index in range(30)]
    answers = await asyncio.gather(*[asked.ask("POST", f"{NS}/configmaps", body) for body in bodies])
    assert sorted(status for status, _ in answers) == [201] * 10 + [403] * 20
    assert await _used(asked) == {"configmaps": "12"}


async def test_what_is_not_stored_is_not_charged(asked: Asked) -> None:
    """Neither a dry run, nor a name that is taken, nor an object that is refused."""
    await _quota(asked, {"configmaps": "5"}, {"configmaps": "0"})
    await asked.make(f"{NS}/configmaps", "a")
    assert (await asked.ask("POST", f"{NS}/configmaps", {"metadata": {"name": "a"}}))[0] == 409
    assert (await asked.ask("POST", f"{NS}/configmaps", {"metadata": {"name": "b"}}, dryRun="All"))[0] == 201
    assert (await asked.ask("POST", f"{NS}/configmaps", {"metadata": {"name": "A b"}}))[0] == 422
    assert await _used(asked) == {"configmaps": "1"}


async def test_other_namespaces_are_not_limited(asked: Asked) -> None:
    """A quota is about its own namespace."""
    await _quota(asked, {"configmaps": "0"}, {"configmaps": "0"})
    assert (await asked.ask("POST", f"{NS}/configmaps", {"metadata": {"name": "a"}}))[0] == 403
    await asked.make("/api/v1/namespaces/kube-public/configmaps", "a")
