"""Where the real etcd, kube-apiserver, kube-controller-manager and kubectl are, and which versions they have.

`tools/kube/build.py` puts them into `cache_folder()`; `find` looks there after the two variables that point
elsewhere. One folder must hold all that is asked for: programs of different versions are never mixed.
Standard library only: pytest loads this at its start, and the build script before anything else is there.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping
from pathlib import Path

from konverge import version
from konverge.errors import KonvergeError

KUBERNETES = version.KUBERNETES
ETCD = "v3.7.3"
PROGRAMS = ("etcd", "kubectl", "kube-apiserver", "kube-controller-manager")

# The sentence that says why the last build ended without programs; it lies in the cache folder, beside them.
FAILURE_FILE = "failure.txt"


class MissingBinaries(KonvergeError):
    """The real Kubernetes programs are not on this machine; the message is one sentence that says how to get them."""


def cache_root(environ: Mapping[str, str] = os.environ, system: str = sys.platform) -> Path:
    """Return the folder of the user that holds all that konverge caches."""
    if xdg := environ.get("XDG_CACHE_HOME"):
        return Path(xdg, "konverge")
    home = Path(environ.get("HOME") or Path.home())
    return home / ("Library/Caches" if system == "darwin" else ".cache") / "konverge"


def cache_folder(environ: Mapping[str, str] = os.environ, system: str = sys.platform) -> Path:
    """Return the folder that holds the programs of exactly these versions, for this kind of machine."""
    key = f"kubernetes-{KUBERNETES}-etcd-{ETCD}-{system}-{platform.machine()}"
    return cache_root(environ, system) / "kube" / key


def find(*programs: str, environ: Mapping[str, str] = os.environ) -> dict[str, Path]:
    """Return the path of each program.

    Looks into KONVERGE_KUBE_ASSETS alone if it is set, else into KUBEBUILDER_ASSETS (which as a rule has no
    controller manager), then into the cache folder. Raises `MissingBinaries`.
    """
    if own := environ.get("KONVERGE_KUBE_ASSETS"):
        folders = [Path(own)]
    else:
        foreign = environ.get("KUBEBUILDER_ASSETS")
        folders = [*([Path(foreign)] if foreign else []), cache_folder(environ)]
    for folder in folders:
        if not missing(folder, programs):
            return {program: folder / program for program in programs}
    raise MissingBinaries(_sentence(folders[-1], programs))


def missing(folder: Path, programs: tuple[str, ...] = PROGRAMS) -> tuple[str, ...]:
    """Return the programs that the folder does not have."""
    return tuple(program for program in programs if not os.access(folder / program, os.X_OK))


def _sentence(folder: Path, programs: tuple[str, ...]) -> str:
    absent = ", ".join(missing(folder, programs))
    try:
        reason = f" (the last build failed: {(folder / FAILURE_FILE).read_text().strip()})"
    except OSError:
        reason = ""
    return (
        f"a real Kubernetes is needed, but {folder} has no {absent}{reason}: run `make kube` in a checkout of "
        "konverge, or set KONVERGE_KUBE_ASSETS to a folder that has them (the one of setup-envtest will do)"
    )
