from __future__ import annotations

import pytest

from konverge.client.config import proxy_from_environment
from konverge.errors import ConfigError

PROXY = "http://proxy:3128"


@pytest.mark.parametrize(
    ("server", "env", "chosen"),
    [
        ("https://a.example", {}, None),
        ("https://a.example", {"HTTPS_PROXY": PROXY}, PROXY),
        ("https://a.example", {"https_proxy": PROXY, "HTTPS_PROXY": "http://other"}, PROXY),
        ("https://a.example", {"HTTP_PROXY": PROXY}, None),
        ("http://a.example", {"HTTP_PROXY": PROXY}, PROXY),
        ("https://a.example", {"HTTPS_PROXY": "proxy:3128"}, PROXY),
        ("https://localhost:6443", {"HTTPS_PROXY": PROXY}, None),
        ("https://127.9.9.9", {"HTTPS_PROXY": PROXY}, None),
        ("https://[::1]:6443", {"HTTPS_PROXY": PROXY}, None),
    ],
)
def test_the_variables_choose_by_scheme(server: str, env: dict[str, str], chosen: str | None) -> None:
    """Lower case wins, the scheme of the server picks the variable, loopback is never proxied."""
    assert proxy_from_environment(server, env) == chosen


@pytest.mark.parametrize(
    ("server", "no_proxy", "direct"),
    [
        ("https://a.example", "*", True),
        ("https://a.example", "example", True),
        ("https://example", "example", True),
        ("https://anexample", "example", False),
        ("https://a.example", ".example", True),
        ("https://example", ".example", False),
        ("https://a.example", "*.example", True),
        ("https://example", "*.example", False),
        ("https://A.Example", " other , EXAMPLE ", True),
        ("https://a.example", "example:443", True),
        ("https://a.example:6443", "example:443", False),
        ("https://a.example:6443", "example:6443", True),
        ("https://10.1.2.3", "10.0.0.0/8", True),
        ("https://10.1.2.3", "10.1.0.0/24", False),
        ("https://10.1.2.3", "10.1.2.9/24", True),
        ("https://10.1.2.3", "10.1.2.3", True),
        ("https://10.1.2.3", "1.2.3", False),
        ("https://10.1.2.3:6443", "10.1.2.3:6443", True),
        ("https://10.1.2.3:6443", "10.1.2.3:443", False),
        ("https://[fd00::1]:6443", "fd00::/8", True),
        ("https://[fd00::1]:6443", "fd00::1", True),
        ("https://[fd00::1]:6443", "[fd00::1]:6443", True),
        ("https://[::ffff:10.1.2.3]", "10.1.2.3", True),
        ("https://a.example", "10.0.0.0/8,:443,,a/b", False),
    ],
)
def test_no_proxy_follows_gos_rules(server: str, no_proxy: str, direct: bool) -> None:
    """Names match with their subdomains, a leading dot only those; addresses and networks match addresses."""
    chosen = proxy_from_environment(server, {"HTTPS_PROXY": PROXY, "no_proxy": no_proxy})
    assert chosen == (None if direct else PROXY)


@pytest.mark.parametrize(
    ("value", "message"), [("socks5://u:s3cr3t@x", "SOCKS"), ("ftp://u:s3cr3t@x", "must be a URL")]
)
def test_an_unusable_variable_is_named_without_its_value(value: str, message: str) -> None:
    """A proxy URL may carry a password."""
    with pytest.raises(ConfigError, match=f"the environment variable HTTPS_PROXY .*{message}") as caught:
        proxy_from_environment("https://a.example", {"HTTPS_PROXY": value})
    assert "s3cr3t" not in str(caught.value)
