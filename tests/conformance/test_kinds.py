"""Every kind in every version that is served: objects made from its schema are answered alike by both servers."""

from __future__ import annotations

import json
from collections import Counter
from itertools import count
from typing import Any, Final

import pytest
from acceptance import Refusal, accepted
from harness.masks import Mask
from harness.play import Player, play
from harness.script import Ask, Case, Reference, Script
from harness.servers import EmbeddedServer, RealServer
from harness.transcript import differences
from kind_objects import Kind, Maker, kinds

_NUMBERS: Final = count()
_KINDS: Final = tuple(kinds())
# What the real server changes by itself a moment after it was made: only the answers to its making are compared.
_MOVING: Final = {"APIService", "CustomResourceDefinition", "FlowSchema", "ServiceCIDR", "PriorityLevelConfiguration"}
# Names that say something.
_NAMES: Final = {"CustomResourceDefinition": "things.{ns}.example.com", "IPAddress": "10.96.77.77", "APIService": "v1.{ns}.example.com"}


_MAKING: Final = "kind-made"


@pytest.fixture(scope="module", autouse=True)
def _making(real: RealServer) -> None:
    """Give the objects a namespace in which the real server judges them."""
    play(Case("a namespace", ()), real, _MAKING)


def _name(kind: Kind) -> str:
    return _NAMES.get(kind.resource.kind, "a" if kind.resource.namespaced else "{ns}-a")


def _life(kind: Kind, value: dict[str, Any]) -> Case:
    """Return what is done to an object: made twice, read, replaced, applied, deleted."""
    s, place = Script(), f"{kind.path}/{value['metadata']['name']}"
    s.post(kind.path, value, dryRun="All")
    made = s.post(kind.path, value)
    if "update" in kind.resource.verbs and kind.resource.kind not in _MOVING:
        s.get(place)
        version = {"resourceVersion": made["metadata"]["resourceVersion"]}
        s.put(place, {**value, "metadata": {**value["metadata"], **version, "labels": {"c": "d"}}})
        s.apply(place, value, force="true")
        s.get(place)
    if "delete" in kind.resource.verbs:
        s.patch(place, {"metadata": {"finalizers": None}})
        s.delete(place, gracePeriodSeconds=0)
        s.get(place)
    return Case(str(kind), tuple(s.steps))


def _refusals(kind: Kind, server: RealServer, namespace: str, value: dict[str, Any]) -> list[Refusal] | None:
    player = Player(server, namespace)
    reply = player._send(Ask(method="POST", path=kind.path, body=value, query={"dryRun": "All"}))
    if reply.status < 300:
        return []
    answer = json.loads(reply.body)
    causes = (answer.get("details") or {}).get("causes")
    if not causes:
        return None
    return [Refusal(each["reason"], each.get("field", ""), each.get("message", "")) for each in causes]


def _compare(case: Case, real: RealServer, embedded: EmbeddedServer, used: Counter[Mask]) -> None:
    namespace = f"kind-{next(_NUMBERS)}"
    found = differences(play(case, real, namespace), play(case, embedded, namespace), used)
    assert not found, f"\n{found}"


@pytest.mark.parametrize("is_full", [False, True], ids=["minimal", "full"])
@pytest.mark.parametrize("kind", _KINDS, ids=str)
def test_objects_of_every_kind_live_alike(
    kind: Kind, is_full: bool, real: RealServer, embedded: EmbeddedServer, used: Counter[Mask]
) -> None:
    """The smallest object, and one as full as the real server takes, go through the same life on both servers."""
    made = Maker(kind, is_full=is_full).object(_name(kind))
    taken = accepted(made, lambda value: _refusals(kind, real, _MAKING, value), Maker(kind, is_full=False).at)
    print(json.dumps(taken))
    _compare(_life(kind, taken), real, embedded, used)
