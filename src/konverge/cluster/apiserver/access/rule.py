"""PolicyRule: what one rule of a role allows."""

from __future__ import annotations

import msgspec

from konverge.cluster.apiserver.access.attempt import Attempt
from konverge.cluster.apiserver.go_text import quoted

ALL = "*"


class PolicyRule(
    msgspec.Struct,
    frozen=True,
    rename={"non_resource_urls": "nonResourceURLs", "api_groups": "apiGroups", "resource_names": "resourceNames"},
):
    """Verbs on resources, or on paths that are none."""

    verbs: tuple[str, ...] = ()
    api_groups: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    resource_names: tuple[str, ...] = ()  # empty: all names
    non_resource_urls: tuple[str, ...] = ()

    def allows(self, attempt: Attempt) -> bool:
        """Whether an attempt is allowed, whatever object it names."""
        if not _has(self.verbs, attempt.verb):
            return False
        if not attempt.is_resource:
            return any(url_covers(url, attempt.path) for url in self.non_resource_urls)
        return _has(self.api_groups, attempt.group) and self._has_resource(attempt)

    def allows_name(self, name: str) -> bool:
        """Whether the objects that it is about include this one."""
        return not self.resource_names or name in self.resource_names

    def _has_resource(self, attempt: Attempt) -> bool:
        if _has(self.resources, attempt.combined):
            return True
        return bool(attempt.subresource) and f"*/{attempt.subresource}" in self.resources

    def __str__(self) -> str:
        parts = {
            "APIGroups": self.api_groups,
            "Resources": self.resources,
            "NonResourceURLs": self.non_resource_urls,
            "ResourceNames": self.resource_names,
            "Verbs": self.verbs,
        }
        return "{" + ", ".join(f"{title}:{go_list(names)}" for title, names in parts.items() if names) + "}"


def _has(names: tuple[str, ...], name: str) -> bool:
    return name in names or ALL in names


def url_covers(pattern: str, path: str) -> bool:
    """Whether a path is one that a pattern means."""
    return pattern in (ALL, path) or (pattern.endswith(ALL) and path.startswith(pattern.rstrip(ALL)))


def go_list(names: tuple[str, ...]) -> str:
    """Return texts as Go's `%q` prints a slice of them."""
    return f"[{' '.join(quoted(name) for name in names)}]"
