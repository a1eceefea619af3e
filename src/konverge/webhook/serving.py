"""Serving: where a manager's webhooks listen, which certificate they show, and who tells the API server."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

import msgspec

from konverge.errors import ConfigError
from konverge.webhook.registration import Target, WebhookService

_LOCAL: Final = ("localhost", "127.0.0.1", "::1")


class WebhookServing(msgspec.Struct, frozen=True, kw_only=True):
    """Options of a manager's webhooks.

    Without a `certificate_folder` konverge makes an authority and a certificate, renews both in time, and keeps them in
    the Secret `secret` of the Service's namespace, which all replicas share; with a URL as target, in memory.
    """

    address: str = ":9443"  # host:port
    target: Target | None = None  # where the API server finds them: a Service or a URL; a URL may end in ":0"
    certificate_folder: Path | None = None  # with tls.crt and tls.key, read again when they change; ca.crt if there
    # What the manager does with the configurations (and the conversion of CRDs): "inject" puts the CA bundle into those
    # that are there, "apply" writes them as a whole, "none" leaves them alone.
    configurations: Literal["inject", "apply", "none"] = "inject"
    name: str = "konverge"  # of the configurations: <name>-mutating-webhook-configuration, <name>-validating-…
    secret: str = "webhook-server-cert"  # noqa: S105 - the name of one
    look_every: float = 10.0  # seconds between two looks at files, certificates and configurations

    def __post_init__(self) -> None:
        if isinstance(self.target, str) and urlsplit(self.target).scheme != "https":
            raise ConfigError(f"webhooks are reached by https only, not by {self.target!r}")
        if self.target is None and self.configurations == "apply":
            raise ConfigError('configurations="apply" needs a target: a Service, or a URL')

    def names(self) -> tuple[str, ...]:
        """Return the names that a certificate of ours carries."""
        if self.target is None:
            return _LOCAL
        if isinstance(self.target, WebhookService):
            return (self.target.host, f"{self.target.host}.cluster.local")
        return _spelled(urlsplit(self.target).hostname or "")

    def target_at(self, port: int) -> Target | None:
        """Return the target; of a URL with port 0, with the port that was bound."""
        if isinstance(self.target, str) and (parts := urlsplit(self.target)).port == 0:
            return parts._replace(netloc=f"{parts.netloc.rpartition(':')[0]}:{port}").geturl()
        return self.target


def _spelled(host: str) -> tuple[str, ...]:
    try:
        return (str(ipaddress.ip_address(host)),)
    except ValueError:
        return (host,)
