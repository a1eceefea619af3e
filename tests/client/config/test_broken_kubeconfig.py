from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from konverge.client.config import load
from konverge.errors import ConfigError

Write = Callable[..., Path]
PLUGIN = {"command": "x", "apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never"}
HUNTER = "aHVudGVyMg=="
SERVER = {"server": "https://10.0.0.1"}

TEXTS = [
    ("a: [b", "is not valid YAML: look at line 2, column 1"),
    ("users: *s3cret", "is not valid YAML: look at line 1, column 8"),
    ("a: \x01", "is not valid YAML"),
    ("a: !!int ''", "is not valid YAML"),
    ("a: !!python/object:os.system {}", "is not valid YAML: look at line 1"),
    ("- a", "it must be a mapping, not a list"),
    ("1: 2", "it has a key that is not a string: put it in quotes"),
    ("users: [{name: a, user: {1: 2}}]", r"users\[0\].user has a key that is not a string"),
    ("kind: Deployment", "kind must be Config"),
    ("users: {}", "users must be a list, not a mapping"),
    ("users: [{user: {}}]", "has no name"),
    ("users: [{name: 1}]", "must be a string, not a number; put it in quotes"),
    ("users: [{name: a}, {name: a}]", "users holds the name 'a' twice"),
    ("current-context: on", "current-context must be a string, not true or false; put it in quotes"),
    ("", r"current-context is not set: name a context \(there are: none\)"),
    ("current-context: x\ncontexts: [{name: a, context: {}}]", r"contexts has no 'x' \(there are: a\)"),
    ("current-context: a\ncontexts: [{name: a}]", r"contexts\[a\].context.cluster is missing"),
]

PARTS: list[tuple[dict[str, Any], str]] = [
    ({"context": {"cluster": "lost"}}, r"contexts\[dev\].context.cluster names 'lost'.*there are: kind"),
    ({"context": {"cluster": "kind", "user": "lost"}}, r"contexts\[dev\].context.user names 'lost'"),
    ({"cluster": {}}, r"clusters\[kind\].cluster.server is missing"),
    ({"cluster": {"server": "ftp://x"}}, r"cluster.server must be a URL"),
    ({"cluster": {"server": "https://u:p@x"}}, r"cluster.server must not carry a user and password"),
    ({"cluster": {"server": 6443}}, r"cluster.server must be a string, not a number; put it in quotes"),
    ({"cluster": {**SERVER, "certificate-authority-data": "%%"}}, "certificate-authority-data is not valid base64"),
    ({"cluster": {**SERVER, "certificate-authority": "no.crt"}}, "certificate-authority: the file .*no.crt cannot be"),
    (
        {"cluster": {**SERVER, "certificate-authority": "x", "certificate-authority-data": "eA=="}},
        "certificate-authority and certificate-authority-data are both given",
    ),
    (
        {"cluster": {**SERVER, "insecure-skip-tls-verify": True, "certificate-authority-data": "eA=="}},
        "insecure-skip-tls-verify and a certificate-authority are both given",
    ),
    ({"cluster": {**SERVER, "insecure-skip-tls-verify": "yes"}}, "must be true or false, not a string"),
    ({"cluster": {**SERVER, "proxy-url": "socks5://x"}}, "proxy-url is a SOCKS proxy.*not support yet"),
    ({"cluster": {**SERVER, "proxy-url": "x:1"}}, "proxy-url must be a URL that begins with"),
    ({"user": {"token": 123}}, r"users\[admin\].user.token must be a string, not a number; put it in quotes"),
    ({"user": {"token": "a\nb"}}, r"user.token cannot be sent"),
    ({"user": {"tokenFile": "none"}}, "user.tokenFile: the file .*none cannot be read"),
    ({"user": {"token": "x", "username": "y"}}, "user.token and username are both given"),
    ({"user": {"client-certificate-data": "eA=="}}, "user.client-key is missing"),
    ({"user": {"client-certificate-data": "eA==", "client-key-data": "x"}}, "client-key-data is not valid base64"),
    ({"user": {"client-certificate-data": "eA==", "client-key": "no.key"}}, "client-key: the file .*no.key cannot"),
    ({"user": {"auth-provider": {"name": "gcp"}}}, "auth-provider is no longer supported.*use an exec plugin"),
    ({"user": {"as-groups": ["x"]}}, "user.as is missing"),
    ({"user": {"as": "bob\r\nX: y"}}, "user.as: impersonation cannot send Impersonate-User"),
    ({"cluster": {"server": "foo bar"}}, r"clusters\[kind\].cluster.server must be a URL"),
    ({"cluster": {**SERVER, "tls-server-name": "a b"}}, "cluster.tls-server-name must be a host name"),
    ({"user": {"as-groups": "x"}}, "user.as-groups must be a list, not a string"),
    ({"user": {"exec": {}}}, "user.exec.command is missing"),
    ({"user": {"exec": {"command": "x"}}}, "user.exec.apiVersion is missing"),
    ({"user": {"exec": {**PLUGIN, "interactiveMode": None}}}, "user.exec.interactiveMode is missing"),
    ({"user": {"exec": {**PLUGIN, "interactiveMode": "Often"}}}, "interactiveMode must be one of Never"),
    ({"user": {"exec": {**PLUGIN, "apiVersion": "v7"}}}, "user.exec: apiVersion must be .* not 'v7'"),
    ({"user": {"exec": {**PLUGIN, "args": [1]}}}, r"user.exec.args\[0\] must be a string, not a number"),
    ({"user": {"exec": {**PLUGIN, "env": [{"value": "x"}]}}}, r"user.exec.env\[0\] has no name"),
]


@pytest.mark.parametrize(("text", "message"), TEXTS)
def test_a_broken_file_is_named_with_its_field(tmp_path: Path, text: str, message: str) -> None:
    """What is wrong with the file as a whole is one sentence that begins with its path."""
    path = tmp_path / "config"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message) as caught:
        load(path, env={})
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("parts", "message"), PARTS)
def test_a_broken_entry_is_named_with_its_field(kubeconfig: Write, parts: dict[str, Any], message: str) -> None:
    """What is wrong with an entry is one sentence that begins with the file and names the entry."""
    path = kubeconfig(**parts)
    with pytest.raises(ConfigError, match=message) as caught:
        load(path, env={})
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (
            {"cluster": {**SERVER, "certificate-authority-data": HUNTER}},
            "clusters[kind].cluster.certificate-authority-data: the certificate authority holds no PEM certificate",
        ),
        (
            {"user": {"client-certificate-data": HUNTER, "client-key-data": HUNTER}},
            "users[admin].user.client-certificate-data: the client certificate or its key is not PEM",
        ),
    ],
)
def test_what_is_no_pem_is_named_with_its_field(kubeconfig: Write, parts: dict[str, Any], message: str) -> None:
    """PEM is looked at when a connection is made, and an error then still names the file and the field."""
    path = kubeconfig(**parts)
    with pytest.raises(ConfigError) as caught:
        load(path, env={}).tls.ssl_context()
    assert str(caught.value) == f"{path}: {message}"


async def test_a_plugin_that_fails_is_named_with_its_field(kubeconfig: Write) -> None:
    """A plugin runs when a connection is made, and an error then still names the file and the field."""
    path = kubeconfig(user={"exec": {**PLUGIN, "command": "no-such-plugin", "installHint": "get it"}})
    with pytest.raises(ConfigError) as caught:
        await load(path, env={}).credentials.authorization()
    assert str(caught.value) == f"{path}: users[admin].user.exec: exec plugin no-such-plugin was not found: get it"


def test_an_empty_path() -> None:
    """An empty path is a mistake (an unset variable), and not the current folder."""
    with pytest.raises(ConfigError, match="the path of the kubeconfig is empty"):
        load("", env={})


def test_only_the_chosen_context_must_be_right(kubeconfig: Write) -> None:
    """A broken user of another context does not stop anybody."""
    path = kubeconfig()
    content = yaml.safe_load(path.read_text())
    content["users"].append({"name": "broken", "user": {"token": 1}})
    path.write_text(yaml.safe_dump(content))
    assert load(path, env={}).user == "admin"


def test_a_timestamp_is_a_string(kubeconfig: Write) -> None:
    """What YAML takes for a date stays the text it was written as."""
    path = kubeconfig()
    path.write_text(path.read_text().replace("name: dev", "name: 2026-01-31").replace(": dev", ": 2026-01-31"))
    assert load(path, env={}).context == "2026-01-31"


def test_a_folder_is_not_a_kubeconfig(tmp_path: Path) -> None:
    """Other reasons for not reading a file are told as well."""
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        load(tmp_path, env={})


SECRET = st.text("abcdefXYZ0123456789+/=%*&!@#: \n\x01é", min_size=1).map(lambda text: f"s3cr3t{text}s3cr3t")
BREAKS: list[Callable[[str], dict[str, Any]]] = [
    lambda s: {"token": s},
    lambda s: {"token": [s]},
    lambda s: {"token": {s: s}},
    lambda s: {"token": s, "username": s},
    lambda s: {"username": "x", "password": s},
    lambda s: {"client-certificate-data": s, "client-key-data": s},
    lambda s: {"client-certificate-data": "eA==", "client-key-data": [s]},
    lambda s: {"exec": {**PLUGIN, "args": [s], "env": [{"name": "A", "value": s}]}},
    lambda s: {"exec": {**PLUGIN, "env": [{"name": "A", "value": [s]}]}},
    lambda s: {"exec": s},
    lambda s: {"auth-provider": {"name": "x", "config": {"token": s}}},
]


@settings(max_examples=60, deadline=None)
@given(secret=SECRET, make=st.sampled_from(BREAKS), cut=st.integers(0, 40), tail=st.sampled_from(["", "[", '"', "*"]))
def test_no_secret_in_a_repr_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, secret: str, make: Callable[[str], dict[str, Any]], cut: int, tail: str
) -> None:
    """Whatever is wrong with a kubeconfig, its secrets stay in it: in messages, reprs and chained tracebacks."""
    path = tmp_path_factory.mktemp("kube") / "config"
    content = {
        "current-context": "c",
        "clusters": [{"name": "c", "cluster": {"server": "https://x", "proxy-url": f"http://u:{'s3cr3t'}@p"}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}],
        "users": [{"name": "c", "user": make(secret)}],
    }
    text = yaml.safe_dump(content, allow_unicode=True, sort_keys=False)
    path.write_text((text[:-cut] if cut and tail else text) + tail)
    try:
        config = load(path, env={})
    except ConfigError as error:
        shown = "".join(traceback.format_exception(error))
    else:
        shown = f"{config!r} {config} {config.credentials!r} {config.tls!r}"
    assert "s3cr3t" not in shown
