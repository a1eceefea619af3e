from __future__ import annotations

import pytest

from konverge.client.config import Config, Tls
from konverge.client.http1.route import Place, Route


@pytest.mark.parametrize(
    ("server", "address", "authority", "prefix"),
    [
        ("https://api.example.com", "api.example.com:443", "api.example.com", ""),
        ("https://api.example.com:6443/k8s/c", "api.example.com:6443", "api.example.com:6443", "/k8s/c"),
        ("https://[::1]:443", "[::1]:443", "[::1]", ""),
        ("http://[::1]:8080", "[::1]:8080", "[::1]:8080", ""),
        ("https://bücher.example", "xn--bcher-kva.example:443", "xn--bcher-kva.example", ""),
    ],
)
def test_where_a_server_is(server: str, address: str, authority: str, prefix: str) -> None:
    """A server's URL gives the place to connect to, the Host of its requests and what their paths begin with."""
    route = Route.of(Config(server=server))
    assert (route.first.address, route.request_headers(), route.prefix) == (address, [("Host", authority)], prefix)
    assert not route.tunnelled


def test_the_name_in_the_certificate() -> None:
    """It is the host without a last dot, or what the config says."""
    assert Route.of(Config(server="https://a.example.:1")).server_name == "a.example"
    assert Route.of(Config(server="https://10.0.0.1", tls=Tls(tls_server_name="api"))).server_name == "api"


def test_proxies() -> None:
    """Connections go to the proxy; its password goes to it alone and is not shown."""
    proxy = "https://u:h%C3%BCsh@proxy:1"
    tunnel, plain = (Route.of(Config(server=f"{scheme}://a/b", proxy_url=proxy)) for scheme in ("https", "http"))
    assert tunnel.first == plain.first == Place("proxy", 1, tls=True)
    assert (tunnel.tunnelled, tunnel.prefix, tunnel.request_headers()) == (True, "/b", [("Host", "a")])
    password = ("Proxy-Authorization", "Basic dTpow7xzaA==")
    assert (plain.tunnelled, plain.prefix) == (False, "http://a/b")
    assert (tunnel.proxy_headers(), plain.request_headers()) == ([password], [("Host", "a"), password])
    assert not [secret for secret in ("sh@", "hüsh", "dTpow") if secret in f"{tunnel!r}{plain!r}"]
