"""Which HTTP proxy leads to the API server: by the rules of Go's net/http, which kubectl follows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from konverge.errors import ConfigError

_PORTS = {"http": 80, "https": 443}
_HOST_AND_PORT = re.compile(r"\[(?P<v6>[^\]]*)\]:(?P<v6port>\w*)|(?P<name>[^:\[\]]*):(?P<port>\w*)")
_Address = IPv4Address | IPv6Address


def check_proxy_url(url: str, *, source: str) -> str:
    """Return the URL if it can be used; errors name the source, never the URL, which may carry a password."""
    try:
        parts = urlsplit(url)
        usable = bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise ConfigError(f"{source} is not a URL") from None
    if parts.scheme.startswith("socks"):
        raise ConfigError(f"{source} is a SOCKS proxy, which konverge does not support yet: use an http or https proxy")
    if parts.scheme not in _PORTS or not usable:
        raise ConfigError(f"{source} must be a URL that begins with http:// or https://")
    return url


def proxy_from_environment(server: str, env: Mapping[str, str]) -> str | None:
    """Return the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY choose for the server, or None for none.

    A lower-case variable wins over its upper-case form, and loopback addresses are never proxied.
    """
    target = urlsplit(server)
    name = f"{target.scheme}_proxy"
    value = env.get(name) or env.get(name.upper())
    if not value or _direct(target, env.get("no_proxy") or env.get("NO_PROXY") or ""):
        return None
    url = value if "://" in value else f"http://{value}"
    return check_proxy_url(url, source=f"the environment variable {name if env.get(name) else name.upper()}")


def _direct(target: SplitResult, no_proxy: str) -> bool:
    host = (target.hostname or "").lower()
    port = str(target.port or _PORTS[target.scheme])
    address = _address(host)
    if host == "localhost" or (address and address.is_loopback):
        return True
    return any(_matches(rule.strip().lower(), host=host, port=port) for rule in no_proxy.split(","))


def _matches(rule: str, *, host: str, port: str) -> bool:
    if rule == "*":
        return True
    address = _address(host)
    if "/" in rule:
        return address is not None and _contains(rule, address)
    name, rule_port = _split(rule)
    if not name or rule_port not in ("", port):
        return False
    if address or _address(name):
        return address == _address(name)
    name = name.removeprefix("*")
    return host.endswith(name) if name.startswith(".") else host == name or host.endswith(f".{name}")


def _split(rule: str) -> tuple[str, str]:
    """Split `host:port` and `[v6]:port`; anything else is a host, a bare IPv6 address too."""
    match = _HOST_AND_PORT.fullmatch(rule)
    if not match:
        return rule, ""
    return match["v6"] or match["name"] or "", match["v6port"] or match["port"] or ""


def _contains(rule: str, address: _Address) -> bool:
    try:
        return address in ip_network(rule, strict=False)
    except ValueError:
        return False


def _address(host: str) -> _Address | None:
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
