"""User: who asks, as far as they have proved it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from konverge.cluster.apiserver.name_rules import dns_label, dns_subdomain

MASTERS: Final = "system:masters"
AUTHENTICATED: Final = "system:authenticated"
UNAUTHENTICATED: Final = "system:unauthenticated"
NODES: Final = "system:nodes"
CREDENTIAL_ID: Final = "authentication.kubernetes.io/credential-id"
_SERVICE_ACCOUNT: Final = "system:serviceaccount:"
_NODE: Final = "system:node:"


@dataclass(frozen=True, slots=True)
class User:
    """A name and what comes with it. Two users of one name and the same groups may do the same."""

    name: str
    groups: tuple[str, ...] = ()
    uid: str = ""
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    @property
    def is_administrator(self) -> bool:
        """Whether nothing is refused."""
        return MASTERS in self.groups

    def info(self) -> dict[str, object]:
        """Return the UserInfo of a review."""
        extra = {key: list(self.extra[key]) for key in sorted(self.extra)}
        known = {"username": self.name, "uid": self.uid, "groups": list(self.groups), "extra": extra}
        return {name: value for name, value in known.items() if value}


# Who holds the server itself: the same one as in the kubeconfig of a cluster.
ADMINISTRATOR: Final = User("kubernetes-admin", (MASTERS, AUTHENTICATED))
ANONYMOUS: Final = User("system:anonymous", (UNAUTHENTICATED,))


def account_name(namespace: str, name: str) -> str:
    """Return the user name of a service account."""
    return f"{_SERVICE_ACCOUNT}{namespace}:{name}"


def account_groups(namespace: str) -> tuple[str, str]:
    """Return the groups of a namespace's service accounts."""
    return "system:serviceaccounts", f"system:serviceaccounts:{namespace}"


def split_account(username: str) -> tuple[str, str] | None:
    """Return the namespace and the name of a service account, or None for another user."""
    if not username.startswith(_SERVICE_ACCOUNT):
        return None
    namespace, _, name = username.removeprefix(_SERVICE_ACCOUNT).partition(":")
    return None if ":" in name or dns_label(namespace) or dns_subdomain(name) else (namespace, name)


def node_of(username: str) -> str:
    """Return the name of the node that a user is; empty for another user."""
    name = username.removeprefix(_NODE) if username.startswith(_NODE) else ""
    return "" if not name or dns_subdomain(name) else name
