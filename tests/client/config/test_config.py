from __future__ import annotations

import dataclasses

import pytest

from konverge.client import config as package
from konverge.client.config import BasicAuth, Config, Credentials, Impersonate, NoCredentials, StaticToken, Tls
from konverge.errors import ConfigError


def test_a_config_by_hand_is_one_line() -> None:
    """A script needs a server and a token."""
    config = Config(server="https://127.0.0.1:6443/", credentials=StaticToken("s3cr3t"))
    assert config.server == "https://127.0.0.1:6443"
    assert repr(config) == "Config(server='https://127.0.0.1:6443', namespace='default', auth='token')"


def test_the_repr_names_who_asks_and_how() -> None:
    """Context, user and the kinds of credentials are shown, and nothing that is secret."""
    config = Config(
        server="https://x/prefix",
        context="dev",
        user="admin",
        proxy_url="http://u:s3cr3t@proxy:1",
        tls=Tls(certificate_data=b"s3cr3t", key_data=b"s3cr3t"),
        credentials=BasicAuth("u", "s3cr3t"),
    )
    shown = "server='https://x/prefix', namespace='default', context='dev', user='admin'"
    assert repr(config) == f"Config({shown}, auth='client certificate and basic')"
    assert "s3cr3t" not in f"{config.tls!r}{config.credentials!r}"


def test_a_copy_keeps_what_is_not_changed() -> None:
    """with_ and dataclasses.replace do the same."""
    config = Config(server="https://x", credentials=StaticToken("t"))
    other = config.with_(namespace="prod")
    assert (other.namespace, other.credentials) == ("prod", config.credentials)
    assert other == dataclasses.replace(config, namespace="prod")


@pytest.mark.parametrize("server", ["", "x", "ftp://x", "https://", "https://x:port", "https://[x", "https://u:p@x"])
def test_a_server_must_be_a_plain_url(server: str) -> None:
    """Anything else is refused at once."""
    with pytest.raises(ConfigError, match=r"^server must"):
        Config(server=server)


def test_a_proxy_must_be_usable() -> None:
    """SOCKS is not supported yet, and the error does not show the URL."""
    with pytest.raises(ConfigError, match=r"^proxy_url is a SOCKS proxy.*[^3]$") as caught:
        Config(server="https://x", proxy_url="socks5://u:s3cr3t@x")
    assert "s3cr3t" not in str(caught.value)


async def test_the_fixed_credentials() -> None:
    """None, a token and basic auth give their header; nothing can be fetched anew."""
    forms: list[tuple[Credentials, str | None]] = [
        (NoCredentials(), None),
        (StaticToken(" t\n"), "Bearer t"),
        (BasicAuth("Aladdin", "open sesame"), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
    ]
    for credentials, header in forms:
        credentials.invalidate(header)
        assert await credentials.authorization() == header
        assert await credentials.client_certificate() is None


@pytest.mark.parametrize("token", ["", " ", "a\nb", "é"])
def test_a_token_that_cannot_be_sent_is_refused(token: str) -> None:
    """The error does not show it."""
    with pytest.raises(ConfigError, match=r"^the token (is empty|cannot be sent: it holds)"):
        StaticToken(token)


def test_impersonation_encodes_the_keys_of_extra() -> None:
    """A key may hold what a header name may not."""
    headers = Impersonate("jane", extra={"example.com/a%é": ("x",)}).headers()
    assert headers == (("Impersonate-User", "jane"), ("Impersonate-Extra-example.com%2Fa%25%C3%A9", "x"))


def test_impersonation_needs_a_user_and_values_without_line_breaks() -> None:
    """Groups alone would be refused by the server, and a line break would be a header of its own."""
    with pytest.raises(ConfigError, match="needs a user"):
        Impersonate("", groups=("dev",))
    with pytest.raises(ConfigError, match="cannot send Impersonate-Group"):
        Impersonate("jane", groups=("dev\nX: y",))


def test_the_public_names() -> None:
    """The exact exports are a promise."""
    assert package.__all__ == [
        "BasicAuth", "ClientCertificate", "Config", "Credentials", "ExecCommand", "ExecPlugin", "Impersonate",
        "NoCredentials", "StaticToken", "Tls", "TokenFile", "in_cluster", "load", "proxy_from_environment",
    ]  # fmt: skip
