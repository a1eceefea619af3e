"""How a pod looks names up: servers, search paths and options, within what libc takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.address import address_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import underscored_subdomain
from konverge.cluster.apiserver.strategy import JsonObject

_MOST_SERVERS: Final = 3
_MOST_SEARCHES: Final = 32
_LONGEST_SEARCHES: Final = 2048  # with a space between each two


def dns_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge the configuration of a pod; where the policy is None, there is nothing else to go by."""
    config, path = spec.get("dnsConfig"), f"{path}.dnsConfig"
    if spec.get("dnsPolicy") == "None":
        if config is None:
            yield field_error.required(path, "must provide `dnsConfig` when `dnsPolicy` is None")
            return
        if not config.get("nameservers"):
            needed = "must provide at least one DNS nameserver when `dnsPolicy` is None"
            yield field_error.required(f"{path}.nameservers", needed)
            return
    config = config or {}
    yield from _server_errors(config.get("nameservers") or [], f"{path}.nameservers")
    yield from _search_errors(config.get("searches") or [], f"{path}.searches")
    for index, option in enumerate(config.get("options") or ()):
        if not option.get("name"):
            yield field_error.required(f"{path}.options[{index}]", "must not be empty")


def _server_errors(servers: list[str], path: str) -> Iterator[FieldError]:
    if len(servers) > _MOST_SERVERS:
        yield field_error.invalid(path, servers, f"must not have more than {_MOST_SERVERS} nameservers")
    for index, server in enumerate(servers):
        yield from address_errors(server, f"{path}[{index}]")


def _search_errors(searches: list[str], path: str) -> Iterator[FieldError]:
    if len(searches) > _MOST_SEARCHES:
        yield field_error.invalid(path, searches, f"must not have more than {_MOST_SEARCHES} search paths")
    if len(" ".join(searches).encode()) > _LONGEST_SEARCHES:
        wrong = f"must not have more than {_LONGEST_SEARCHES} characters (including spaces) in the search list"
        yield field_error.invalid(path, searches, wrong)
    for index, search in enumerate(searches):
        name = search.removesuffix(".")
        for wrong in underscored_subdomain(name) if search != "." else ():
            yield field_error.invalid(f"{path}[{index}]", name, wrong)
