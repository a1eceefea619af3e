"""Limit ranges beyond what the cases of `tests/conformance` show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.cluster.apiserver.admission.conftest import Asked

NS = "/api/v1/namespaces/default"


def _pod(**resources: Any) -> dict[str, Any]:
    return {"metadata": {"name": "a"}, "spec": {"containers": [{"name": "c", "image": "i", "resources": resources}]}}


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"cpu": "2"}, "maximum cpu usage per Container is 1, but limit is 2"),
        ({"cpu": "10m"}, "minimum cpu usage per Container is 100m, but request is 10m"),
        ({"cpu": "9E"}, "maximum cpu usage per Container is 1, but limit is 9E"),
    ],
)
async def test_bounds(asked: Asked, limits: dict[str, str], message: str) -> None:
    """Amounts are compared in thousandths, and as whole numbers where they are too large for that."""
    bounds = {"type": "Container", "min": {"cpu": "100m"}, "max": {"cpu": "1"}}
    await asked.make(f"{NS}/serviceaccounts", "default")
    await asked.make(f"{NS}/limitranges", "l", spec={"limits": [bounds]})
    status, body = await asked.ask("POST", f"{NS}/pods", _pod(limits=limits))
    assert (status, body["message"]) == (403, f'pods "a" is forbidden: {message}')


async def test_several_ranges(asked: Asked) -> None:
    """The first range by name gives its default; the next finds the place taken."""
    await asked.make(f"{NS}/serviceaccounts", "default")
    for name, amount in (("a", "1"), ("b", "2")):
        spec = {"limits": [{"type": "Container", "default": {"cpu": amount}, "defaultRequest": {"cpu": amount}}]}
        await asked.make(f"{NS}/limitranges", name, spec=spec)
    _, pod = await asked.ask("POST", f"{NS}/pods", _pod())
    assert pod["spec"]["containers"][0]["resources"] == {"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}
