"""Compared: both servers are asked about an object of a kind, as a new one and as a change, and their answers compared.

Nothing is stored but the object that is there to be changed: all that is asked is a dry run, which the real server
takes through defaults, conversion, admission, rules and the owners of fields like any other write.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from acceptance import Refusal
from grafting import grafted
from harness.masks import Mask
from harness.play import Player, play
from harness.script import Ask, Case
from harness.servers import Server
from harness.transcript import differences
from kind_objects import Kind

# What the real server changes by itself a moment after it was made: only the answers to its making are compared.
MOVING: Final = {"APIService", "CustomResourceDefinition", "FlowSchema", "ServiceCIDR", "PriorityLevelConfiguration"}
# The core of the embedded server is asked without a certificate, so the caller is named: some objects keep it.
TESTER: Final = {"Impersonate-User": "tester", "Impersonate-Group": "system:masters"}
_OTHER_NAMES: Final = {"IPAddress": "10.96.77.78"}
_DRY: Final = {"dryRun": "All"}
_EMPTY: Final = re.compile(r"(?<=: )(?:\[\]|\{\})(?=[:,\n]|$)|(?<=\":)\[\](?=[,}])")
_CLAIMED: Final = re.compile(r"\bvolumes\[\d+\]")
_BROKEN: Final = 500


def refusals(player: Player, kind: Kind, value: dict[str, Any]) -> list[Refusal] | None:
    """Return what a server has against a new object: nothing where it takes it, None where it names no field."""
    reply = player._send(Ask(method="POST", path=kind.path, body=value, query=_DRY, headers=TESTER))
    if reply.status < 300:
        return []
    causes = (json.loads(reply.body).get("details") or {}).get("causes")
    if not causes:
        return None
    return [Refusal(each["reason"], each.get("field", ""), each.get("message", "")) for each in causes]


@dataclass(slots=True)
class Compared:
    """One kind on both servers."""

    kind: Kind
    good: dict[str, Any]  # one that the real server takes
    real: Player
    embedded: Player
    used: Counter[Mask]

    @classmethod
    def of(
        cls, kind: Kind, good: dict[str, Any], servers: tuple[Server, Server], namespace: str, used: Counter[Mask]
    ) -> Compared:
        """Return a kind on the real and on the embedded server."""
        real, embedded = (Player(server, namespace) for server in servers)
        return cls(kind, good, real, embedded, used)

    @contextmanager
    def stored(self) -> Iterator[None]:
        """Have the good object stored, in a namespace of its own, for as long as others are asked about."""
        ask = Ask(method="POST", path=self.kind.path, body=self.good, headers=TESTER)
        case = Case(str(self.kind), (ask,) if self._is_kept else ())
        for player in self._players:
            player.answers = [note["body"] for note in play(case, player.server, player.namespace)]
        try:
            yield
        finally:
            for player in self._players if self._is_kept else ():
                player.play(Ask(method="DELETE", path=self._place, query={"gracePeriodSeconds": 0}))

    @property
    def _players(self) -> tuple[Player, Player]:
        return self.real, self.embedded

    @property
    def _is_kept(self) -> bool:
        return self.kind.resource.kind not in MOVING

    @property
    def _name(self) -> str:
        return str(self.good["metadata"]["name"])

    @property
    def _place(self) -> str:
        return f"{self.kind.path}/{self._name}"

    def as_new(self, value: dict[str, Any]) -> str:
        """Return how the answers to a new object differ."""
        new = self._new(value)
        return self._asked((new, new), "POST", self.kind.path)

    def _new(self, value: dict[str, Any]) -> dict[str, Any]:
        name = _OTHER_NAMES.get(self.kind.resource.kind, f"{self._name}-new") if self._is_kept else self._name
        return {**value, "metadata": {**value["metadata"], "name": name}}

    def as_change(self, value: dict[str, Any]) -> str:
        """Return how the answers to a change of the stored object differ."""
        if not self._is_kept:
            return ""
        stored = [player.answers[0]["metadata"] for player in self._players]
        own = [{"name": self._name, "resourceVersion": each["resourceVersion"]} for each in stored]
        bodies = [{**value, "metadata": {**value["metadata"], **each}} for each in own]
        return self._asked(bodies, "PUT", self._place)

    def _asked(self, bodies: Sequence[dict[str, Any]], method: str, path: str) -> str:
        notes = []
        for player, body in zip(self._players, bodies, strict=True):
            player.play(Ask(method=method, path=path, body=body, query=_DRY, headers=TESTER))
            notes.append([_comparable(player.notes.pop())])
            player.answers.pop()
            player.headers.pop()
        is_real_fault = notes[0][0]["status"] >= _BROKEN > notes[1][0]["status"]  # of ports that it has drawn twice
        return "" if is_real_fault else differences(notes[0], notes[1], self.used)

    def mended(self, value: dict[str, Any]) -> dict[str, Any] | None:
        """Return an object like this one that the real server takes; None where it does not say what is wrong."""
        good = self._new(self.good)
        return grafted(self._new(value), good, lambda each: refusals(self.real, self.kind, each))


def _comparable(note: dict[str, Any]) -> dict[str, Any]:
    """Return an answer without what may differ in a refusal: see docs/embedded-differences.md.

    Causes are sorted, since many rules of the real server go through a map; so do the claims of a StatefulSet, which
    count as volumes there. And an empty list or map is shown like none at all, which what is stored here does not
    tell apart: as a value, and as a change of one.
    """
    body = note["body"]
    causes = (body.get("details") or {}).get("causes") if isinstance(body, dict) else None
    if not causes:
        return note
    if body["details"].get("kind") == "StatefulSet":
        causes = [{**cause, "field": _CLAIMED.sub("volumes[]", cause["field"])} for cause in causes]
        body = {**body, "message": _CLAIMED.sub("volumes[]", body["message"])}
    begin, _, listed = body["message"].partition(" is invalid: ")
    for cause in causes:
        listed = listed.replace(cause["message"], _plain(cause["message"]))
    said = [begin, *sorted(_plain(listed).removeprefix("[").removesuffix("]").split(", "))]
    causes = [{**cause, "message": _plain(cause["message"])} for cause in causes]
    details = {**body["details"], "causes": sorted(causes, key=lambda cause: json.dumps(cause, sort_keys=True))}
    return {**note, "body": {**body, "message": said, "details": details}}


def _plain(text: str) -> str:
    """Return a text with nothing for what is empty, and of a difference that it shows the lines that really differ."""
    said, marker, shown = _EMPTY.sub("null", text).partition("\n@@ ")
    if not marker:
        return said
    lines = shown.split("\n")
    gone, come = (Counter(line[1:] for line in lines if line.startswith(sign)) for sign in "-+")
    return f"{said}\n{sorted((gone - come).elements())} -> {sorted((come - gone).elements())}"
