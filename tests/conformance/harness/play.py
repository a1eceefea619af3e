"""Play: one case on one server, and the transcript of what came back."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from harness import in_protobuf
from harness.hook import shared_hook
from harness.script import CRDS, JSON, Ask, Case, Given, Reference, Reviews, Sign, Step, Until, Watch
from harness.servers import Opened, Reply, Server, target

_PATIENCE = 30.0
_PAUSE = 0.02
_COMPARED = ("allow", "cache-control", "location", "retry-after", "vary", "x-content-type-options")
USER_AGENT = "conformance/1.0 (tests)"


@dataclass(slots=True)
class Player:
    """Plays steps in order and notes the answers."""

    server: Server
    namespace: str
    notes: list[dict[str, Any]] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)

    def play(self, step: Step) -> None:
        """Do one step."""
        match step:
            case Ask():
                self._ask(step)
            case Watch():
                self._watch(step)
            case Until():
                self._until(step)
            case Given():
                self._send(Ask(method="POST", path=CRDS, body=step.crd))
            case Sign():
                self._sign(step)
            case Reviews():
                self.notes.append({"asked": "reviews", "body": shared_hook().taken()})

    def _ask(self, step: Ask) -> None:
        title = f"{step.method} {target(step.path, step.query)}"
        reply = self._send(step)
        content = _content(reply)
        self.answers.append(content)
        self.headers.append(reply.headers)
        self.notes.append({"asked": title, **_note(reply, content)})

    def _sign(self, step: Sign) -> None:
        moments = {name: int(time.time()) + seconds for name, seconds in step.moments.items()}
        self.answers.append(self.server.sign({**self._filled(step.claims), **moments}))
        self.headers.append({})

    def _send(self, step: Ask) -> Reply:
        body = self._filled(step.body)
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        headers = {"User-Agent": USER_AGENT, "Accept": JSON, **({"Content-Type": JSON} if data else {})}
        headers |= self._filled(step.headers)
        asked = target(self._filled(step.path), self._filled(step.query))
        return self.server.ask(step.method, asked, headers, data, bare=step.bare)

    def _watch(self, step: Watch) -> None:
        asked = target(self._filled(step.path), {"watch": "true", **self._filled(step.query)})
        opened = self.server.watch(asked, {"User-Agent": USER_AGENT, "Accept": JSON, **step.headers})
        try:
            self._during(step, opened, f"WATCH {target(step.path, step.query)}")
        finally:
            opened.close()

    def _during(self, step: Watch, opened: Opened, title: str) -> None:
        place = len(self.notes)
        for inner in step.during:
            self.play(inner)
        lines = opened.lines.wait(step.events, step.last.encode()) if opened.reply.status == 200 else []
        events = [in_protobuf.event(line) if opened.lines.has_frames else json.loads(line) for line in lines]
        note = {"asked": title, **_note(opened.reply, _content(opened.reply)), "events": events}
        self.notes.insert(place, note)

    def _until(self, step: Until) -> None:
        deadline = time.monotonic() + _PATIENCE
        while True:
            reply = self._send(step.ask)
            if _is_awaited(reply, step):
                return
            assert time.monotonic() < deadline, f"{step.ask.path}: {reply.status} {reply.body[:500]!r}"
            time.sleep(_PAUSE)

    def _filled(self, value: Any) -> Any:
        """Return a value with its references looked up and the namespace put in."""
        match value:
            case Reference():
                found = self._look_up(value)
                return f"{value.before}{found}" if value.before else found
            case str():
                return _with_hook(value.replace("{ns}", self.namespace))
            case Mapping():
                return {self._filled(name): self._filled(item) for name, item in value.items()}
            case list() | tuple():
                return [self._filled(item) for item in value]
        return value

    def _look_up(self, reference: Reference) -> Any:
        if reference.header:
            return self.headers[reference.step].get(reference.header, "<no such header>")
        found = self.answers[reference.step]
        for key in reference.path:
            try:
                found = found[key]
            except (KeyError, IndexError, TypeError):
                return f"<nothing at {'.'.join(map(str, reference.path))}>"
        return found


def _with_hook(text: str) -> str:
    if "{hook}" not in text and "{ca}" not in text:
        return text
    return text.replace("{hook}", shared_hook().url).replace("{ca}", shared_hook().bundle)


def _is_awaited(reply: Reply, step: Until) -> bool:
    lacks = not step.lacking or step.lacking.encode() not in reply.body
    return reply.status == step.status and step.holding.encode() in reply.body and lacks


def _content(reply: Reply) -> Any:
    kind = reply.headers.get("content-type", "")
    if "protobuf" in kind and reply.body.startswith(in_protobuf.PREFIX):
        return in_protobuf.content(reply.body)
    if "json" in kind and reply.body:
        return json.loads(reply.body)
    if "yaml" in kind:
        return {"in YAML": yaml.safe_load(reply.body)}
    return reply.body.decode(errors="replace")


def _note(reply: Reply, content: Any) -> dict[str, Any]:
    return {
        "status": reply.status,
        "content-type": reply.headers.get("content-type", ""),
        "warnings": list(reply.warnings),
        "headers": {name: reply.headers[name] for name in _COMPARED if name in reply.headers},
        "body": content,
    }


def prepare(cases: Iterable[Case], server: Server) -> None:
    """Make the CRDs that cases share, all at once: the real server lets the first create of a new kind wait a while."""
    player = Player(server, "")
    for step in (step for case in cases for step in case.steps if isinstance(step, Given)):
        player.play(step)


def play(case: Case, server: Server, namespace: str) -> list[dict[str, Any]]:
    """Play a case in a new namespace and return the transcript."""
    player = Player(server, namespace)
    made = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    player._send(Ask(method="POST", path="/api/v1/namespaces", body=made))
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}
    player._send(Ask(method="POST", path=f"/api/v1/namespaces/{namespace}/serviceaccounts", body=account))
    if any(isinstance(step, Reviews) for step in case.steps):
        shared_hook().taken()  # of cases that did not ask
    for step in case.steps:
        player.play(step)
    return player.notes
