"""`load()`: find the configuration in the places and the order of controller-runtime."""

from __future__ import annotations

import os
from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from konverge.client.config.config import Config
from konverge.client.config.in_cluster import SERVICE_ACCOUNT, in_cluster
from konverge.client.config.kubeconfig import Kubeconfig, merge, read_kubeconfig
from konverge.client.config.resolve import resolve
from konverge.errors import ConfigError


def load(
    path: PathLike[str] | str | None = None,
    *,
    context: str | None = None,
    env: Mapping[str, str] | None = None,
    home: Path | None = None,
    service_account: Path = SERVICE_ACCOUNT,
) -> Config:
    """Return the first of: the file `path`; the files of KUBECONFIG, merged; the pod's own; ~/.kube/config.

    `context` chooses a context of a kubeconfig, so a pod's own configuration, which has none, is passed over then.
    """
    env = os.environ if env is None else env
    if path is not None and not os.fspath(path):
        raise ConfigError("the path of the kubeconfig is empty: name a file, or leave it out to find the default one")
    if path is not None:
        return resolve(_required(Path(path)), context=context, env=env)
    if env.get("KUBECONFIG"):
        return resolve(_merged(env["KUBECONFIG"]), context=context, env=env)
    if context is None and (config := in_cluster(env, folder=service_account)):
        return config
    return resolve(_of_home(env, home), context=context, env=env)


def _required(path: Path) -> Kubeconfig:
    try:
        return read_kubeconfig(path)
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: there is no such kubeconfig") from error


def _merged(variable: str) -> Kubeconfig:
    """Merge the files that are there; one that comes twice counts once."""
    found = [config for name in dict.fromkeys(variable.split(os.pathsep)) if name and (config := _optional(Path(name)))]
    if not found:
        raise ConfigError(f"KUBECONFIG names no file that exists: {variable}")
    return merge(found)


def _optional(path: Path) -> Kubeconfig | None:
    try:
        return read_kubeconfig(path)
    except FileNotFoundError:
        return None


def _of_home(env: Mapping[str, str], home: Path | None) -> Kubeconfig:
    path = (home or Path(env.get("HOME") or Path.home())) / ".kube" / "config"
    if config := _optional(path):
        return config
    raise ConfigError(
        f"no configuration was found: no file was given, KUBECONFIG is not set, this is not a pod with a service "
        f"account, and {path} does not exist"
    )
