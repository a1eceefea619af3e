"""Addresses and ranges that not everyone reads alike; the words are the real server's."""

from __future__ import annotations

import pytest

from konverge.cluster.apiserver.builtin.warnings.addresses import address_warnings, range_warnings


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("10.1.2.3", ""),
        ("2001:db8::1", ""),
        ("nothing", ""),
        ("010.1.2.3", 'x: non-standard IP address "010.1.2.3" is invalid: use "10.1.2.3"'),
        ("::ffff:1.2.3.4", 'x: non-standard IP address "::ffff:1.2.3.4" is invalid: use "1.2.3.4"'),
        ("2001:DB8::1", 'x: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")'),
    ],
)
def test_an_address_has_one_form(text: str, warning: str) -> None:
    """Leading zeros, IPv4 inside IPv6 and upper case are told."""
    assert address_warnings("x", text) == ([warning] if warning else [])


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("10.0.0.0/8", ""),
        ("nothing", ""),
        (
            "10.1.2.3/8",
            'x: CIDR value "10.1.2.3/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.1.2.3/32"?)',
        ),
        (
            "2001:DB8::/32",
            'x: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")',
        ),
    ],
)
def test_a_range_has_one_form(text: str, warning: str) -> None:
    """Bits after the prefix and upper case are told."""
    assert range_warnings("x", text) == ([warning] if warning else [])
