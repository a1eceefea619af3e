"""Nothing that must stay secret is ever shown: not in a log, an error, a traceback or a repr."""

from __future__ import annotations

import base64
import logging
import traceback
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import konverge as kv
from konverge.certificates import Authority
from konverge.client.config import BasicAuth, StaticToken, Tls
from konverge.errors import KonvergeError
from konverge.log import JsonFormatter
from konverge.models import core_v1
from konverge.testing import Cluster

if TYPE_CHECKING:
    from tests.client.conftest import Loopback

AT_ONCE = kv.RetryPolicy(attempts=2, first_delay=0)


class Shown:
    """Collects everything that someone could come to see."""

    def __init__(self, log: pytest.LogCaptureFixture) -> None:
        self._log = log
        self._texts: list[str] = []
        log.set_level(logging.DEBUG)
        log.handler.setFormatter(JsonFormatter())

    def note(self, *values: Any) -> None:
        """Note how values look."""
        self._texts += [f"{value!r} {value!s}" for value in values]

    async def call(self, call: Awaitable[Any]) -> None:
        """Note what a call returns or raises, with its traceback and all that it was caused by."""
        try:
            self.note(await call)
        except KonvergeError as error:
            self._texts.append("".join(traceback.format_exception(error)))
            cause: BaseException | None = error
            while cause is not None:
                self.note(cause, cause.args)
                cause = cause.__cause__

    def text(self) -> str:
        """Return all of it, with what was logged, in its text form and in JSON."""
        formatter = JsonFormatter()
        records = [f"{record.getMessage()} {vars(record)!r} {formatter.format(record)}" for record in self._log.records]
        return "\n".join([*self._texts, *records, self._log.text])


@pytest.fixture
def shown(caplog: pytest.LogCaptureFixture) -> Shown:
    """Everything that this test lets anyone see."""
    return Shown(caplog)


def hidden_forms(secret: str) -> list[str]:
    """The secret and what it looks like in base64, alone or after a user name."""
    encoded = [base64.b64encode(part.encode()).decode().rstrip("=") for part in (secret, f"user:{secret}")]
    return [secret, *encoded]


async def test_credentials(loopback: Loopback, shown: Shown, secret_texts: dict[str, str]) -> None:
    """A token, a password and a proxy's password show in nothing that passing and failing calls leave behind."""
    token, password, proxy = (secret_texts[name] for name in ("token", "password", "proxy"))
    proxied = loopback.url.replace("//", f"//user:{proxy}@")
    configs = [
        loopback.config(credentials=StaticToken(token)),
        loopback.config(credentials=BasicAuth("user", password)),
        loopback.config(credentials=StaticToken(token), proxy_url=proxied),
        kv.Config(server="https://api.example.com", credentials=StaticToken(token), proxy_url=proxied),
        kv.Config(server="http://127.0.0.1:1", credentials=StaticToken(token)),
    ]
    faults = [
        loopback.json({}),
        loopback.CUT,
        loopback.MID_BODY,
        loopback.status(401),
        loopback.status(429, Retry_After="0"),
        loopback.status(503),
        loopback.text("<html>", 502),
        loopback.text("<html>"),
        loopback.text("", 407),
    ]
    for config in configs:
        for fault in faults:
            loopback.answers = [replace(fault, close=True)]  # else a TLS handshake through it would wait for ever
            async with kv.Client.connect(config, retry=AT_ONCE) as client:
                await shown.call(client.version())
                await shown.call(client.create(core_v1.ConfigMap(metadata=kv.ObjectMeta(name="a", namespace="x"))))
                await shown.call(anext(client.watch(core_v1.ConfigMap)))
                shown.note(config, client, client._engine, client._engine.transport, config.credentials)
                shown.note(vars(client._engine.transport))
    text = shown.text()
    assert "trying again" in text
    for secret in (token, password, proxy):
        assert not [form for form in hidden_forms(secret) if form in text]
    assert any(token in seen.header("Authorization")[0] for seen in loopback.seen if seen.header("Authorization"))


async def test_client_keys(shown: Shown, cluster: Cluster) -> None:
    """A client's private key shows nowhere, whether it is accepted or not."""
    config = kv.Config.load(cluster.kubeconfig)
    pair = Authority.create("other").client("alice")
    stranger = config.with_(tls=Tls(ca_data=config.tls.ca_data, certificate_data=pair.certificate, key_data=pair.key))
    for each in (config, stranger):
        async with kv.Client.connect(each, retry=AT_ONCE) as client:
            await shown.call(client.version())
            await shown.call(client.list(core_v1.ConfigMap)._all())
            shown.note(each, each.tls, client._engine.transport)
    text = shown.text()
    keys = [pair.key, config.tls.key_data or b""]
    lines = [line for key in keys for line in key.decode().splitlines()[1:-1]]
    assert lines
    assert not [line for line in lines if line in text]
    assert "PRIVATE KEY" not in text


async def test_secret_objects(own: kv.Client, shown: Shown, secret_texts: dict[str, str]) -> None:
    """The data of a Secret shows in no form of it, and in no error or log of any verb on it."""
    data = secret_texts["data"]

    def secret(name: str = "s") -> core_v1.Secret:
        return core_v1.Secret(metadata=kv.ObjectMeta(name=name), string_data={"key": data})

    await shown.call(own.create(secret()))
    await shown.call(own.create(secret()))
    await shown.call(own.create(secret("Not A Name")))
    await shown.call(own.create(secret("t"), field_validation="Strict"))
    await shown.call(own.apply(secret(), field_owner="other"))
    await shown.call(own.impersonate("bob").create(secret("u")))
    forms: list[Any] = [core_v1.Secret, kv.unstructured("v1", "Secret"), kv.metadata_only(core_v1.Secret)]
    for form in forms:
        await shown.call(own.get(form, "s"))
        await shown.call(own.list(form)._all())
        await shown.call(anext(own.watch(form)))
        await shown.call(own.extract(form, "s", field_owner="other"))
    read = await own.get(core_v1.Secret, "s")
    stale = await own.get(kv.unstructured("v1", "Secret"), "s")
    await shown.call(own.update(read))
    read.string_data = {"key": data + data}
    await shown.call(own.patch(read, kv.MergePatch(optimistic_lock=True)))
    stale["data"] = {"key": "not base64: " + data}
    await shown.call(own.update(stale))
    await shown.call(own.patch(stale, kv.JsonPatch([{"op": "test", "path": "/data/key", "value": data}])))
    shown.note(read, stale, [read], {"a": stale})
    await shown.call(own.delete(read))
    text = shown.text()
    with suppress(ValueError):
        print(text[text.index(data) - 600 : text.index(data) + 100])  # noqa: T201 - where it was, if it was
    assert not [form for form in hidden_forms(data) if form in text]


async def test_secrets_the_server_refuses(own: kv.Client, shown: Shown, secret_texts: dict[str, str]) -> None:
    """A Secret with text where bytes belong is refused, and neither what was there nor what was new is quoted."""
    old, new = secret_texts["data"], secret_texts["password"]
    await own.create(core_v1.Secret(metadata=kv.ObjectMeta(name="s"), data={"old": old.encode()}))
    made = await own.get(kv.unstructured("v1", "Secret"), "s")
    made["data"] = {**made["data"], "new": new}
    for patch in (None, kv.MergePatch(optimistic_lock=True), kv.JsonPatch(), kv.StrategicMergePatch()):
        await shown.call(own.patch(made, patch))
    await shown.call(own.update(made))
    applied = kv.Unstructured(api_version="v1", kind="Secret", metadata=kv.ObjectMeta(name="s"))
    applied["data"] = {"new": new}
    await shown.call(own.apply(applied, field_owner="other"))
    text = shown.text()
    assert 'patch secrets "' in text
    assert not [form for secret in (old, new) for form in hidden_forms(secret) if form in text]


async def test_secrets_that_do_not_fit(loopback: Loopback, shown: Shown, secret_texts: dict[str, str]) -> None:
    """A Secret that cannot be decoded, whole, in a list or in a watch, is quoted nowhere."""
    data = secret_texts["data"]
    broken = {"kind": "Secret", "apiVersion": "v1", "metadata": {"name": "s"}, "data": {"key": [data]}, "type": data}
    event = f'{{"type":"ADDED","object":{{"data":{{"key":7}},"stringData":{{"a":"{data}"}}}}}}\n'
    answers = [
        loopback.json(broken),
        loopback.json({"items": [broken], "metadata": {}}),
        loopback.json(broken | {"data": data}),
        loopback.text(event),
    ]
    async with kv.Client.connect(loopback.config()) as client:
        for answer in answers:
            loopback.answers = [answer]
            await shown.call(client.get(core_v1.Secret, "s", namespace="x"))
            await shown.call(client.list(core_v1.Secret)._all())
            await shown.call(anext(client.watch(core_v1.Secret)))
    assert data not in shown.text()
