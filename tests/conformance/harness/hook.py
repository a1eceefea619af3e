"""Hook: a scripted webhook on loopback that both servers ask; it keeps each review, and answers as its path says."""

from __future__ import annotations

import atexit
import base64
import json
import ssl
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from konverge.certificates import Authority

JSON = "application/json"


@dataclass(slots=True)
class Said:
    """What a path answers."""

    response: Any = None  # of a review: what beside the uid stands in it
    body: bytes | None = None  # in place of a review
    status: int = 200
    content_type: str = JSON
    seconds: float = 0.0  # to wait before
    lacking: int = 0  # bytes that it promises and does not send
    review: dict[str, Any] = field(default_factory=dict)  # what else stands in the review, and in place of what


Behaviour = Callable[[dict[str, Any]], Said]


def patch(*operations: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return an answer that changes the object."""
    encoded = base64.b64encode(json.dumps(operations).encode()).decode()
    return {"allowed": True, "patch": encoded, "patchType": "JSONPatch", **more}


class Hook:
    """Serves behaviours by path, and keeps the reviews in the order in which they came."""

    def __init__(self, behaviours: dict[str, Behaviour]) -> None:
        self.behaviours = behaviours
        self.reviews: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        self.authority = Authority.create("hooks")
        self._server = _Listening(("127.0.0.1", 0), _handler(self))
        self._server.socket = self._tls().wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def _tls(self) -> ssl.SSLContext:
        pair = self.authority.server("127.0.0.1")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "server.pem"
            file.write_bytes(pair.certificate + pair.key)
            context.load_cert_chain(file)
        return context

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"https://127.0.0.1:{self._server.server_address[1]}"

    @property
    def bundle(self) -> str:
        """Its authority, as a configuration has it."""
        return base64.b64encode(self.authority.certificate).decode()

    def taken(self) -> list[dict[str, Any]]:
        """Return the reviews since the last time."""
        with self._lock:
            found, self.reviews = self.reviews, []
        return found

    def note(self, path: str, review: dict[str, Any]) -> None:
        """Remember what admission asks, but for what only waits for a configuration.

        When objects are converted is a server's own affair: the real one does it for its watch cache, too.
        """
        # The embedded server's core is asked without a certificate, so its caller has none to name.
        review.get("request", {}).get("userInfo", {}).pop("extra", None)
        if "/probe" not in path and review["kind"] == "AdmissionReview":
            with self._lock:
                self.reviews.append({"path": path, **review})

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Listening(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that do not trust it go away in the middle."""


def _handler(hook: Hook) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["Content-Length"]))
            review, path = json.loads(data), self.path.partition("?")[0]
            hook.note(self.path, review)
            said = hook.behaviours[path](review)
            time.sleep(said.seconds)
            body = said.body if said.body is not None else _answer(review, said)
            self.send_response(said.status)
            if said.content_type:
                self.send_header("Content-Type", said.content_type)
            self.send_header("Content-Length", str(len(body) + said.lacking))
            self.end_headers()
            self.wfile.write(body)
            self.close_connection |= said.lacking > 0

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    return Handler


@cache
def shared_hook() -> Hook:
    """Return the webhook of all cases, which ends with the process."""
    # They need this module.
    from harness.behaviours import BEHAVIOURS  # noqa: PLC0415
    from harness.odd_answers import ODD_ANSWERS  # noqa: PLC0415

    hook = Hook(BEHAVIOURS | ODD_ANSWERS)
    atexit.register(hook.close)
    return hook


def _answer(review: dict[str, Any], said: Said) -> bytes:
    response = {"uid": review["request"]["uid"], **(said.response or {})}
    whole = {"apiVersion": review["apiVersion"], "kind": review["kind"], "response": response, **said.review}
    return json.dumps({name: value for name, value in whole.items() if value is not None}).encode()
