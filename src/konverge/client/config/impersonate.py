"""`Impersonate`: act as another user, as `kubectl --as` does; the value becomes request headers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from konverge.errors import ConfigError

# What a header name may hold besides letters and digits, less "%", which the encoding itself needs (RFC 9110, token).
_HEADER_NAME = "!#$&'*+-.^_`|~"


@dataclass(frozen=True, slots=True)
class Impersonate:
    """The user to act as; groups, uid and extra only go along with a user, never alone."""

    user: str
    groups: tuple[str, ...] = ()
    uid: str = ""
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", tuple(self.groups))
        if not self.user:
            raise ConfigError("impersonation needs a user: groups, uid and extra are asked for together with one")
        for name, value in self.headers():
            if not value.isprintable():
                raise ConfigError(
                    f"impersonation cannot send {name}: its value holds a line break or control character"
                )

    def headers(self) -> tuple[tuple[str, str], ...]:
        """Return the headers in order; a name comes once per value, so this is no mapping."""
        return tuple(self._pairs())

    def _pairs(self) -> Iterator[tuple[str, str]]:
        yield "Impersonate-User", self.user
        if self.uid:
            yield "Impersonate-Uid", self.uid
        for group in self.groups:
            yield "Impersonate-Group", group
        for key, values in self.extra.items():
            for value in values:
                yield f"Impersonate-Extra-{quote(key, safe=_HEADER_NAME)}", value
