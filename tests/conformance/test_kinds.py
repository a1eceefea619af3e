"""Every kind in every version that is served: objects made from its schema are answered alike by both servers."""

from __future__ import annotations

import json
from collections import Counter
from itertools import count
from random import Random
from typing import Any, Final

import pytest
from acceptance import Refusal, accepted
from changed_objects import changed
from harness.masks import Mask
from harness.play import Player, play
from harness.script import PATCHES, Ask, Case, Script
from harness.servers import EmbeddedServer, RealServer
from harness.transcript import differences
from hypothesis import given, note, settings
from hypothesis import strategies as st
from kind_objects import Kind, Maker, kinds

_NUMBERS: Final = count()
_EXAMPLES: Final = 100  # of each kind; a tenth of it if not in a soak
_KINDS: Final = tuple(kinds())
# What the real server changes by itself a moment after it was made: only the answers to its making are compared.
_MOVING: Final = {"APIService", "CustomResourceDefinition", "FlowSchema", "ServiceCIDR", "PriorityLevelConfiguration"}
# Names that say something.
_NAMES: Final = {
    "CustomResourceDefinition": "things.{ns}.example.com",
    "IPAddress": "10.96.77.77",
    "APIService": "v1.{ns}.example.com",
}


# The core of the embedded server is asked without a certificate, so the caller is named: some objects keep it.
_TESTER: Final = {"Impersonate-User": "tester", "Impersonate-Group": "system:masters"}
_DRY: Final = {"dryRun": "All"}
# What may be taken here though the real server refuses it: see docs/embedded-differences.md.
_LOOSE: Final = ("DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice")
_NO_FINALIZERS: Final = {"metadata": {"finalizers": None}}
_MAKING: Final = "kind-made"


@pytest.fixture(scope="module", autouse=True)
def _making(real: RealServer) -> None:
    """Give the objects a namespace in which the real server judges them."""
    play(Case("a namespace", ()), real, _MAKING)


def _name(kind: Kind) -> str:
    return _NAMES.get(kind.resource.kind, "a" if kind.resource.namespaced else "{ns}-a")


def _life(kind: Kind, value: dict[str, Any]) -> Case:
    """Return what is done to an object: made twice, read, replaced, changed, applied, deleted."""
    s, place = Script(), f"{kind.path}/{value['metadata']['name']}"
    s.post(kind.path, value, dryRun="All", headers=_TESTER)
    s.post(kind.path, value, headers=_TESTER)
    if kind.resource.kind in _MOVING:
        s.until(place, method="PATCH", body=_NO_FINALIZERS, headers={"Content-Type": PATCHES["merge"]})
        s.until(place, method="DELETE", status=404)
        return Case(str(kind), tuple(s.steps))
    s.get(place)
    s.put(place, s.patch(place, {"metadata": {"labels": {"c": "d"}}}))
    s.apply(place, value, force="true")
    s.patch(place, _NO_FINALIZERS)
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


def _taken(kind: Kind, real: RealServer, *, is_full: bool) -> dict[str, Any]:
    """Return an object that the real server takes."""
    made, smallest = Maker(kind, is_full=is_full).object(_name(kind)), Maker(kind, is_full=False)
    return accepted(made, lambda value: _refusals(kind, real, _MAKING, value), smallest.at)


@pytest.mark.parametrize("is_full", [False, True], ids=["minimal", "full"])
@pytest.mark.parametrize("kind", _KINDS, ids=str)
def test_objects_of_every_kind_live_alike(
    kind: Kind, is_full: bool, real: RealServer, embedded: EmbeddedServer, used: Counter[Mask]
) -> None:
    """The smallest object, and one as full as the real server takes, go through the same life on both servers."""
    case, namespace = _life(kind, _taken(kind, real, is_full=is_full)), f"kind-{next(_NUMBERS)}"
    found = differences(play(case, real, namespace), play(case, embedded, namespace), used)
    assert not found, f"\n{found}"


@pytest.mark.parametrize("kind", _KINDS, ids=str)
def test_changed_objects_of_every_kind_are_judged_alike(
    kind: Kind, share: float, real: RealServer, embedded: EmbeddedServer
) -> None:
    """What is broken here and there is taken or refused by both servers, as a new object and as a change."""
    whole = _taken(kind, real, is_full=True)
    base, namespace = {**whole, "metadata": {"name": whole["metadata"]["name"]}}, f"kind-{next(_NUMBERS)}"
    is_kept = kind.resource.kind not in _MOVING
    made = Case(str(kind), (Ask(method="POST", path=kind.path, body=base, headers=_TESTER),) if is_kept else ())
    players = [Player(server, namespace) for server in (real, embedded)]
    for player in players:
        player.answers = [note["body"] for note in play(made, player.server, namespace)]

    @given(random=st.randoms(use_true_random=False), count=st.integers(1, 3))
    @settings(max_examples=max(1, int(_EXAMPLES * share)), database=None)
    def judge(random: Random, count: int) -> None:
        value = changed(base, random, count=count)
        note(json.dumps(value))
        _judge(kind, value, players)

    judge()
    place = f"{kind.path}/{base['metadata']['name']}"
    for player in players if is_kept else ():
        player.play(Ask(method="DELETE", path=place, query={"gracePeriodSeconds": 0}))


def _judge(kind: Kind, value: dict[str, Any], players: list[Player]) -> None:
    name, verdicts = value["metadata"]["name"], []
    for player in players:
        new = {**value, "metadata": {"name": _other_name(name)}}
        player.play(Ask(method="POST", path=kind.path, body=new, query=_DRY, headers=_TESTER))
        if player.answers[0].get("metadata", {}).get("uid") and kind.resource.kind not in _MOVING:
            version = player.answers[0]["metadata"]["resourceVersion"]
            put = {**value, "metadata": {"name": name, "resourceVersion": version}}
            player.play(Ask(method="PUT", path=f"{kind.path}/{name}", body=put, query=_DRY))
        verdicts.append([(note["status"], note["body"].get("message", "")[:500]) for note in player.notes])
        player.notes.clear()
    for (status, said), (own, own_said) in zip(*verdicts, strict=True):
        is_loose = kind.resource.kind in _LOOSE and status >= 300 > own
        is_real_fault = status >= 500 > own >= 400  # of ports that it has itself drawn twice
        assert status == own or is_loose or is_real_fault, f"real: {status} {said}\nembedded: {own} {own_said}"


def _other_name(name: str) -> str:
    return name if "." in name else f"{name}-new"
