"""Prepared: a container as a command of this machine: its arguments, environment and folder; pure.

Asking whether a working folder is there is the one look at the disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from konverge.cluster.node.process.downward import Whereabouts
from konverge.cluster.node.process.environment import environment
from konverge.cluster.node.process.expansion import expand
from konverge.cluster.node.process.image import Image
from konverge.cluster.node.process.path_mapping import PathMapping
from konverge.cluster.node.process.pod_folder import PodFolder
from konverge.cluster.node.process.pod_kubeconfig import ACCOUNT_PATH, account_folder, kubeconfig
from konverge.cluster.node.process.pod_sources import ConfigProblem, PodSources
from konverge.cluster.node.process.process import Command
from konverge.cluster.node.process.volumes import Mounts
from konverge.models import core_v1

# What a program needs of this machine to run at all. The rest of the environment of whoever started the node is theirs.
INHERITED: Final = ("PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "TZ", "LD_LIBRARY_PATH", "SYSTEMROOT")


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What a container's command is made from beside the container."""

    pod: core_v1.Pod
    sources: PodSources
    where: Whereabouts
    folder: PodFolder
    inherited: Mapping[str, str]
    server: str  # the API server's URL; empty: pods cannot reach it


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """A container that can be started."""

    command: Command
    places: PathMapping
    mounts: Mounts
    kubeconfig: bytes | None  # to be written for it

    def __repr__(self) -> str:
        return f"Prepared({self.command!r})"


def prepare(container: core_v1.Container, image: Image, around: Surroundings) -> Prepared:
    """Return a container as a command; raises `ConfigProblem` where it cannot be one."""
    pod, where = around.pod, around.where
    placeholders = {
        "ip": where.pod_ip,
        "pod": pod.metadata.name or "",
        "namespace": pod.metadata.namespace or "",
        "node": where.node,
    }
    image = image.filled(placeholders)
    given = {**around.inherited, **image.env, "HOSTNAME": pod.metadata.name or "", "POD_IP": where.pod_ip}
    if around.server and any(each.mount_path == ACCOUNT_PATH for each in container.volume_mounts or ()):
        given["KUBECONFIG"] = str(around.folder.kubeconfig(container.name))
    variables = environment(pod, container, around.sources, where=where, given=given)
    mounts = Mounts(
        pod=pod, container=container, folder=around.folder, claims=around.sources.claims, variables=variables
    )
    places = mounts.mapping()
    argv = _argv(container, image, variables)
    account = account_folder(places) if around.server else None
    return Prepared(
        command=Command(
            argv=tuple(places(each) for each in argv),
            env={name: places(value) for name, value in variables.items()},
            folder=_folder(container, image, places=places, own=around.folder.work(container.name)),
        ),
        places=places,
        mounts=mounts,
        kubeconfig=kubeconfig(around.server, pod.metadata.namespace or "", account) if account else None,
    )


def _argv(container: core_v1.Container, image: Image, variables: Mapping[str, str]) -> list[str]:
    """A container's own command takes the place of its image's, and its own arguments that of the usual ones."""
    if container.command:
        found = [*container.command, *(container.args or ())]
    elif container.args:
        found = [*image.command, *container.args]
    else:
        return _checked([*image.command, *image.args], container)  # the catalogue's own: nothing is to be expanded
    own = len(found) - len(container.command or ()) - len(container.args or ())
    return _checked([*found[:own], *(expand(each, variables) for each in found[own:])], container)


def _checked(argv: list[str], container: core_v1.Container) -> list[str]:
    if not argv:
        raise ConfigProblem(
            f'no command specified: image "{container.image}" has none in the catalogue, so the container must name one'
        )
    return argv


def _folder(container: core_v1.Container, image: Image, *, places: PathMapping, own: Path) -> str:
    """Where it works: in a volume, in a folder of this machine, or in one of its own."""
    wanted = container.working_dir or ""
    mapped = places(wanted)
    if mapped != wanted or (wanted and Path(wanted).is_dir()):
        return mapped
    return image.folder or str(own)
