"""KindName: a kind to be made: its names in Kubernetes, and those that follow from them in Python."""

from __future__ import annotations

import keyword
import re
from typing import Final

import msgspec

from konverge.api.plural import plural_of
from konverge.errors import ConfigError

_KIND: Final = re.compile(r"[A-Z][A-Za-z0-9]{0,62}")
_VERSION: Final = re.compile(r"v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?")
_LABEL: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_PLURAL: Final = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_WORDS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# Names that the templates use beside that of the object.
_USED: Final = (
    "client",
    "conditions",
    "ctx",
    "found",
    "kv",
    "labels",
    "manager",
    "name",
    "new",
    "obj",
    "old",
    "ready",
    "request",
)


class KindName(msgspec.Struct, frozen=True, kw_only=True):
    """A kind by its names."""

    kind: str
    version: str
    group: str = ""  # all of it; empty where it does not matter
    plural: str = ""  # empty: by the rules of English
    cluster_scoped: bool = False

    def __post_init__(self) -> None:
        _check(_KIND, self.kind, "--kind", "begins with a capital and has letters and digits alone, as MarkdownView")
        if keyword.iskeyword(self.kind):
            raise ConfigError(f"--kind {self.kind}: is a word of Python's own, so there can be no class of that name")
        _check(_VERSION, self.version, "--version", "is one as v1, v1beta1 or v2alpha1")
        if self.group:
            _check(_LABEL, self.group, "--group", "has a-z, 0-9, - and dots")
        if self.plural:
            _check(_PLURAL, self.plural, "--plural", "begins with a letter and has a-z, 0-9 and -")

    @property
    def module(self) -> str:
        """The name of its modules: markdown_view."""
        name = _WORDS.sub("_", self.kind).lower()
        return f"{name}_" if keyword.iskeyword(name) else name

    @property
    def resource(self) -> str:
        """Its plural."""
        return self.plural or plural_of(self.kind.lower())

    def values(self) -> dict[str, str]:
        """Return what templates need of it."""
        article = "An" if self.kind[0] in "AEIOU" else "A"
        return {
            "kind": self.kind,
            "version": self.version,
            "module": self.module,
            "variable": "obj" if self.module in _USED else self.module,
            "article": article,
            "article_lower": article.lower(),
            # Objects without a namespace are seen by all tests that share a cluster.
            "name_fixture": ", namespace: str" if self.cluster_scoped else "",
            "object_name": "namespace" if self.cluster_scoped else '"sample"',
        }


def _check(pattern: re.Pattern[str], value: str, option: str, rule: str) -> None:
    if not pattern.fullmatch(value):
        raise ConfigError(f"{option} {value}: a {option[2:]} {rule}")


def whole_group(group: str, domain: str) -> str:
    """Return the group of `--group`: below the domain, unless it has dots of its own."""
    return group if "." in group else f"{group}.{domain}" if group else domain
