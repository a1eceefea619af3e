"""What an IPAddress and a ServiceCIDR may not be: names, parents, ranges, and what may not change."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

case = Cases("address rules")
ADDRESSES: Final = "/apis/networking.k8s.io/v1/ipaddresses"
RANGES: Final = "/apis/networking.k8s.io/v1/servicecidrs"
PARENT: Final = {"group": "g", "resource": "rs", "namespace": "n", "name": "x"}


def _address(name: str, parent: dict[str, Any] | None = PARENT) -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": {} if parent is None else {"parentRef": parent}}


@case("names of addresses")
def _(s: Script) -> None:
    for name in (
        "a",
        "1.2.3",
        "010.1.2.3",
        "::ffff:1.2.3.4",
        "FE80::1",
        "fe80:0:0:0:0:0:0:1",
        "1.2.3.4/24",
        "fe80::1%a",
    ):
        s.post(ADDRESSES, _address(name), dryRun="All")
    s.post(ADDRESSES, _address("255.255.255.1"), dryRun="All")
    s.post(ADDRESSES, _address("fe80::42:1dff:fe84:f9e2"), dryRun="All")


@case("parents of addresses")
def _(s: Script) -> None:
    for parent in (
        None,
        {},
        {**PARENT, "group": "A_"},
        {**PARENT, "group": ""},
        {**PARENT, "resource": "a/b"},
        {**PARENT, "name": ".."},
        {**PARENT, "namespace": "a%b"},
        {"group": "A_", "resource": "", "name": "a/b", "namespace": "."},
    ):
        s.post(ADDRESSES, _address("255.255.255.2", parent), dryRun="All")


@case("an address keeps its parent")
def _(s: Script) -> None:
    one = f"{ADDRESSES}/255.255.255.3"
    s.post(ADDRESSES, _address("255.255.255.3"))
    s.patch(one, {"metadata": {"annotations": {"a": "b"}}})
    s.patch(one, {"spec": {"parentRef": {"name": "y"}}})
    s.patch(one, {"spec": {"parentRef": None}})
    s.delete(one)


@case("ranges of services")
def _(s: Script) -> None:
    for ranges in (
        None,
        [],
        ["10.99.0.0"],
        ["10.99.0.1/16"],
        ["010.99.0.0/16"],
        ["FD00::/108"],
        ["10.99.0.0/16", "10.98.0.0/16"],
        ["10.99.0.0/16", "x"],
        ["10.99.0.0/16", "fd00:1::/108", "10.98.0.0/16"],
        ["fd00:1::/108", "10.99.0.0/16"],
    ):
        s.post(RANGES, {"metadata": {"name": "{ns}"}, "spec": {"cidrs": ranges}}, dryRun="All")
    s.post(RANGES, {"metadata": {"name": "A_b"}, "spec": {"cidrs": ["10.99.0.0/16"]}}, dryRun="All")
