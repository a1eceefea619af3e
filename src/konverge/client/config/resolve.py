"""From a kubeconfig and the name of a context to a `Config`, with everything checked that can be checked now."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from konverge.client.config.cluster import Cluster
from konverge.client.config.config import Config
from konverge.client.config.credentials import NoCredentials
from konverge.client.config.kubeconfig import Entry, Kubeconfig
from konverge.client.config.proxy import proxy_from_environment
from konverge.client.config.tls import Tls
from konverge.client.config.user import User
from konverge.errors import ConfigError


class _Context(msgspec.Struct):
    cluster: str | None = None
    user: str | None = None
    namespace: str | None = None


def resolve(kubeconfig: Kubeconfig, *, context: str | None, env: Mapping[str, str]) -> Config:
    """Return the configuration of a context, the current one if none is named."""
    entry = _context(kubeconfig, context)
    names = entry.read(_Context)
    if not names.cluster:
        raise ConfigError(f"{entry.where('cluster')} is missing")
    cluster_entry = _named(kubeconfig.clusters, names.cluster, context=entry, field="cluster")
    cluster = cluster_entry.read(Cluster)
    config = Config(
        server=(server := cluster.url(cluster_entry)),
        namespace=names.namespace or "default",
        context=entry.name,
        user=names.user or "",
        proxy_url=cluster.proxy(cluster_entry) or proxy_from_environment(server, env),
        disable_compression=bool(cluster.disable_compression),
        tls=cluster.trust(cluster_entry),
    )
    if not names.user:
        return config
    user_entry = _named(kubeconfig.users, names.user, context=entry, field="user")
    user = user_entry.read(User)
    config = config.with_(
        tls=user.present(user_entry, config.tls),
        credentials=user.credentials(user_entry, env=env, cluster_info=lambda: cluster.exec_info(cluster_entry)),
        impersonate=user.impersonate(user_entry),
    )
    # As kubectl: nothing secret goes over a connection that anyone can read.
    return config if server.startswith("https:") else config.with_(tls=Tls(), credentials=NoCredentials())


def _context(kubeconfig: Kubeconfig, name: str | None) -> Entry:
    known = ", ".join(sorted(kubeconfig.contexts)) or "none"
    name = name or kubeconfig.current_context
    if not name:
        raise ConfigError(f"{kubeconfig}: current-context is not set: name a context (there are: {known})")
    if name not in kubeconfig.contexts:
        raise ConfigError(f"{kubeconfig}: contexts has no {name!r} (there are: {known})")
    return kubeconfig.contexts[name]


def _named(entries: Mapping[str, Entry], name: str, *, context: Entry, field: str) -> Entry:
    if name not in entries:
        known = ", ".join(sorted(entries)) or "none"
        raise ConfigError(f"{context.where(field)} names {name!r}, and {field}s has no such entry (there are: {known})")
    return entries[name]
