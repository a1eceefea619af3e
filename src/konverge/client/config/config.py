"""`Config`: everything the HTTP transport needs to reach one API server as one user, as a frozen value.

`Config.load()` finds it where kubectl and controller-runtime would; a script may as well write it down::

    Config(server="https://127.0.0.1:6443", tls=Tls(ca_file=Path("ca.crt")), credentials=StaticToken(token))
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from konverge.client.config.credentials import Credentials, NoCredentials
from konverge.client.config.impersonate import Impersonate
from konverge.client.config.proxy import check_proxy_url
from konverge.client.config.tls import Tls
from konverge.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Config:
    """Where the server is and who asks. Its repr shows no secret and can be logged."""

    server: str  # a URL, without a slash at the end; a path in it comes before every API path
    namespace: str = "default"  # of the context, for who wants it: client.in_namespace(config.namespace)
    context: str = ""  # the kubeconfig context it came from, if any
    user: str = ""  # the kubeconfig user it came from, if any
    proxy_url: str | None = None  # decided already: the proxy variables are not looked at again
    disable_compression: bool = False  # True: answers are asked for as they are, which a fast network may like better
    tls: Tls = field(default_factory=Tls)
    credentials: Credentials = field(default_factory=NoCredentials)
    impersonate: Impersonate | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "server", server_url(self.server, source="server"))
        if self.proxy_url is not None:
            check_proxy_url(self.proxy_url, source="proxy_url")

    def __repr__(self) -> str:
        names = ("server", "namespace", "context", "user")
        shown = [f"{name}={value!r}" for name in names if (value := getattr(self, name))]
        return f"Config({', '.join([*shown, f'auth={self.auth!r}'])})"

    @property
    def auth(self) -> str:
        """Return the kind of credentials in words, never the credentials."""
        kinds = ["client certificate"] if self.tls.has_certificate else []
        if self.credentials.kind != "none" or not kinds:
            kinds.append(self.credentials.kind)
        return " and ".join(kinds)

    def with_(self, **changes: Any) -> Self:
        """Return a copy with the changes; credentials that are not replaced are shared with the original."""
        return dataclasses.replace(self, **changes)

    @classmethod
    def load(
        cls,
        path: PathLike[str] | str | None = None,
        *,
        context: str | None = None,
        env: Mapping[str, str] | None = None,
        home: Path | None = None,
    ) -> Config:
        """Find the configuration; see `konverge.client.config.load`."""
        from konverge.client.config.load import load  # noqa: PLC0415 - the loader makes Configs, so it imports this

        return load(path, context=context, env=env, home=home)


def server_url(server: str, *, source: str) -> str:
    """Return the URL in its normal form, or raise a ConfigError that names the source."""
    try:
        parts = urlsplit(server)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        usable = usable and not any(character.isspace() for character in server)
    except ValueError:
        usable, parts = False, urlsplit("")
    if not usable:
        raise ConfigError(f"{source} must be a URL such as https://10.0.0.1:6443")
    if parts.username is not None or parts.password is not None:
        raise ConfigError(f"{source} must not carry a user and password: give them as credentials")
    return parts._replace(path=parts.path.rstrip("/"), query="", fragment="").geturl()
