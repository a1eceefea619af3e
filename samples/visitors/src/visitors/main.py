"""The operator: the kinds it defines, what it does about them, and how it runs.

`konverge create` adds lines to KINDS and to `add_to`; all of it is yours to change.
"""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import konverge as kv
from konverge import log

from visitors.api.v1.visitors_app import VisitorsApp as VisitorsAppV1
from visitors.controllers.visitors_app import VisitorsAppReconciler, add_visitors_app_controller
from visitors.directory import FolderDirectory

KINDS: list[type[kv.Object]] = [
    VisitorsAppV1,
]


def add_to(manager: kv.Manager, reconciler: VisitorsAppReconciler) -> kv.Manager:
    """Add the controller to a manager."""
    add_visitors_app_controller(manager, reconciler)
    return manager


def make_manager() -> kv.Manager:
    """Return the manager that runs in a cluster; `konverge run` and `konverge manifests` ask for it, too."""
    manager = kv.Manager(
        metrics_address=os.environ.get("METRICS_ADDRESS", ":8080"),
        health_address=os.environ.get("HEALTH_ADDRESS", ":8081"),
        leader_election=kv.LeaderElection(id="visitors.example.com"),
    )
    return add_to(manager, VisitorsAppReconciler(FolderDirectory(directory_folder(os.environ))))


def directory_folder(environ: Mapping[str, str]) -> Path:
    """Return where the directory is: as DIRECTORY says, else where anyone may write, whatever the working folder is.

    In a cluster mount a volume there: what is listed has to outlive the operator's pod.
    """
    return Path(environ.get("DIRECTORY") or Path(tempfile.gettempdir()) / "visitors-directory")


if __name__ == "__main__":
    log.setup()
    make_manager().run()
