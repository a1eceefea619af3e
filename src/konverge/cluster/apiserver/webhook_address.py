"""Where a webhook is: a URL, or a service with a path and a port. The rules of both, for all that name webhooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from konverge.cluster.apiserver.field_error import FieldError, invalid, required
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.name_rules import dns_subdomain

_FORM: Final = "; desired format: https://host[/path]"
_LAST_PORT: Final = 65535


def url_faults(url: str, path: str) -> Iterator[FieldError]:
    """Say what is wrong with the URL of a webhook."""
    try:
        parts = urlsplit(url)
    except ValueError:  # all that Python refuses there is a bracket without its other half
        yield required(path, f"url must be a valid URL: parse {quoted(url)}: missing ']' in host{_FORM}")
        return
    if parts.scheme != "https":
        yield invalid(path, parts.scheme, f"'https' is the only allowed URL scheme{_FORM}")
    user, _, host = parts.netloc.rpartition("@")
    if not host:
        yield invalid(path, host, f"host must be specified{_FORM}")
    if user:
        yield invalid(path, user, "user information is not permitted in the URL")
    if parts.fragment:
        yield invalid(path, parts.fragment, "fragments are not permitted in the URL")
    if parts.query:
        yield invalid(path, parts.query, "query parameters are not permitted in the URL")


def service_faults(service: Mapping[str, Any], path: str) -> Iterator[FieldError]:
    """Say what is wrong with the service of a webhook."""
    # The real server gives name and namespace in the wrong order here, so each is told under the other's field.
    if not service.get("namespace"):
        yield required(f"{path}.name")
    if not service.get("name"):
        yield required(f"{path}.namespace")
    port = service.get("port", 443)
    if not 1 <= port <= _LAST_PORT:
        yield invalid(f"{path}.port", port, "port is not valid: must be between 1 and 65535, inclusive")
    yield from _path_faults(service.get("path") or "", f"{path}.path")


def _path_faults(value: str, path: str) -> Iterator[FieldError]:
    if value in ("", "/"):
        return
    if value == "//":
        yield invalid(path, value, "segment[0] may not be empty")
        return
    if not value.startswith("/"):
        yield invalid(path, value, "must start with a '/'")
    rest = value.encode()[1:].decode(errors="replace")  # Go leaves out a byte
    for index, step in enumerate(rest.removesuffix("/").split("/")):
        if not step:
            yield invalid(path, value, f"segment[{index}] may not be empty")
        else:
            yield from (invalid(path, value, f"segment[{index}]: {text}") for text in dns_subdomain(step))
