"""Webhooks on a bad day: answers of wrong types, too deep, too much, or sent elsewhere, and what becomes of a write."""

from __future__ import annotations

from typing import Any

from harness.odd_answers import PATCHES, RESPONSES
from harness.script import Cases, Script

from cases import policy_objects as policies
from cases.objects import CONFIG_MAPS, config_map
from cases.webhook_objects import entry, hooked, unhooked

case = Cases("bad webhook")
_AT_ONCE = 12  # answers in one case


def _odd(name: str, policy: str = "Fail", **more: Any) -> dict[str, Any]:
    """Return a webhook that gives an odd answer about the objects that are labelled with its name."""
    chosen = {"matchLabels": {"odd": f"{name}-{policy}"}}
    odd = f"{name}-{policy}.hooks.dev".lower()
    return entry(f"/odd/{name}", **{"name": odd, "objectSelector": chosen, "failurePolicy": policy, **more})


def _labelled(name: str, policy: str) -> dict[str, Any]:
    metadata = {"labels": {"odd": f"{name}-{policy}"}}
    return config_map(f"{name}-{policy}".lower(), metadata=metadata, data={"a": "1"})


def _play(s: Script, phase: str, names: list[str]) -> None:
    """Ask every webhook once, as a failure is to be told, and once as it is to be passed over."""
    both = [(name, policy) for name in names for policy in ("Fail", "Ignore")]
    hooked(s, phase, *(_odd(name, policy) for name, policy in both))
    for name, policy in both:
        s.post(CONFIG_MAPS, _labelled(name, policy))
    unhooked(s, phase)


for _phase, _all in (("validating", [*RESPONSES]), ("mutating", [*RESPONSES, *PATCHES])):
    for _start in range(0, len(_all), _AT_ONCE):
        _some = _all[_start : _start + _AT_ONCE]

        @case(f"{_phase}: {_some[0]} to {_some[-1]}")
        def _(s: Script, phase: str = _phase, names: list[str] = _some) -> None:
            _play(s, phase, names)


@case("that cannot be reached as its configuration says")
def _(s: Script) -> None:
    places: dict[str, dict[str, str]] = {
        "bundle": {"url": "{hook}/allow", "caBundle": "bm90IGEgY2VydGlmaWNhdGU="},
        "port": {"url": "https://127.0.0.1:99999/allow", "caBundle": "{ca}"},
        "zero": {"url": "https://127.0.0.1:0/allow", "caBundle": "{ca}"},
    }
    hooked(s, "validating", *(_odd(name, clientConfig=client) for name, client in places.items()))
    for name in places:
        s.post(CONFIG_MAPS, _labelled(name, "Fail"))
    unhooked(s, "validating")


@case("policies that are about policies are not asked about them")
def _(s: Script) -> None:
    about = [policies.rule("*", group="*", version="*", operations=("CREATE", "UPDATE"))]
    wall = policies.validating("wall", "false", matchConstraints=policies.constraints("wall", *about))
    change = policies.applying("Object{metadata: Object.metadata{annotations: {'by': 'policy'}}}")
    brush = policies.mutating("brush", change, matchConstraints=policies.constraints("brush", *about))
    with policies.bound(s, wall, brush):
        for label in ("wall", "brush"):
            another = policies.validating("another", "true")
            metadata = {"name": f"{{ns}}-another-{label}", "labels": {"policy": label}}
            path = f"{policies.GROUP}/{policies.plural(another)}"
            s.post(path, {**another, "metadata": metadata})
            s.delete(f"{path}/{{ns}}-another-{label}")
            s.post(policies.MAPS, policies.labelled(label, label))
