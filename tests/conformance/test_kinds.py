"""Every kind in every version that is served: objects made from its schema are answered alike by both servers."""

from __future__ import annotations

import json
from collections import Counter
from itertools import count
from random import Random
from typing import Any, Final

import pytest
from acceptance import accepted
from changed_objects import changed
from compared import MOVING, TESTER, Compared, refusals
from harness.masks import Mask
from harness.play import Player, play
from harness.script import PATCHES, Case, Script
from harness.servers import EmbeddedServer, RealServer
from harness.transcript import differences
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kind_objects import Kind, Maker, kinds
from schema_objects import schema_objects

_NUMBERS: Final = count()
_EXAMPLES: Final = 100  # of each kind; a tenth of it if not in a soak
_SLOW: Final = (HealthCheck.too_slow, HealthCheck.data_too_large)  # two servers are asked, and some kinds are large
_KINDS: Final = tuple(kinds())
# Names that say something.
_NAMES: Final = {
    "CustomResourceDefinition": "things.{ns}.example.com",
    "IPAddress": "10.96.77.77",
    "APIService": "v1.{ns}.example.com",
}

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
    s.post(kind.path, value, dryRun="All", headers=TESTER)
    s.post(kind.path, value, headers=TESTER)
    if kind.resource.kind in MOVING:
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


def _taken(kind: Kind, real: RealServer, *, is_full: bool) -> dict[str, Any]:
    """Return an object that the real server takes."""
    made, smallest = Maker(kind, is_full=is_full).object(_name(kind)), Maker(kind, is_full=False)
    player = Player(real, _MAKING)
    return accepted(made, lambda value: refusals(player, kind, value), smallest.at)


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
def test_made_objects_of_every_kind_are_answered_alike(
    kind: Kind, share: float, real: RealServer, embedded: EmbeddedServer, used: Counter[Mask]
) -> None:
    """What is made from the schema, and a good object broken here and there, are answered alike, new or as changes."""
    whole = _taken(kind, real, is_full=True)
    base = {**whole, "metadata": {"name": whole["metadata"]["name"]}}
    pair = Compared.of(kind, base, (real, embedded), f"kind-{next(_NUMBERS)}", used)
    counted = Counter[str]()

    @given(made=schema_objects(kind, base), random=st.randoms(use_true_random=False), count=st.integers(1, 3))
    @settings(max_examples=max(1, int(_EXAMPLES * share)), database=None, suppress_health_check=_SLOW)
    def judge(made: dict[str, Any], random: Random, count: int) -> None:
        broken = changed(base, random, count=count)
        taken = pair.mended(made)
        counted.update(made=1, taken=taken is not None)
        for value in (made, broken, *([taken] if taken else [])):
            _assert_alike(pair.as_new(value), value)
        for value in (taken or made, broken):
            _assert_alike(pair.as_change(value), value)

    with pair.stored():
        judge()
    assert 3 * counted["taken"] >= counted["made"], f"too many are refused to compare what is stored: {counted}"


def _assert_alike(found: str, value: dict[str, Any]) -> None:
    assert not found, f"{json.dumps(value)}\n{found}"
