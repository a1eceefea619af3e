"""Kernel parameters of a pod: how they are named, and which are the host's where the pod shares its spaces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_SEGMENT: Final = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_PATTERN: Final = rf"^({_SEGMENT}[\./])*{_SEGMENT}$"
_LONGEST: Final = 253
_SWAPPED: Final = str.maketrans("./", "/.")
_OF_PROCESSES: Final = frozenset(
    {
        "kernel.sem",
        "kernel.shmall",
        "kernel.shmmax",
        "kernel.shmmni",
        "kernel.shm_rmid_forced",
        "kernel.shm",
        "kernel.msgmax",
        "kernel.msgmnb",
        "kernel.msgmni",
        "kernel.msg",
    }
)


def sysctl_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge the parameters that a pod's spec asks for."""
    names: set[str] = set()
    for index, sysctl in enumerate((spec.get("securityContext") or {}).get("sysctls") or ()):
        name, where = sysctl.get("name", ""), f"{path}[{index}].name"
        if not name:
            yield field_error.required(where)
        elif not _is_sysctl(name):
            wrong = f"must have at most {_LONGEST} characters and match regex {_PATTERN}"
            yield field_error.invalid(where, name, wrong)
        elif name in names:
            yield field_error.duplicate(where, name)
        if (sharing := _sharing(name)) and spec.get(sharing):
            yield field_error.invalid(where, name, f"may not be specified when '{sharing}' is true")
        names.add(name)


def _is_sysctl(name: str) -> bool:
    """Whether this is the name of a parameter."""
    return len(name) <= _LONGEST and re.search(_PATTERN[:-1] + r"\Z", name) is not None


def _sharing(name: str) -> str:
    """Return the setting of a pod by which a parameter would be the host's; empty where there is none."""
    first = re.search(r"[./]", name)
    dotted = name.translate(_SWAPPED) if first and first[0] == "/" else name
    known = dotted.partition("*")[0]
    if known in _OF_PROCESSES or known.startswith("fs.mqueue."):
        return "hostIPC"
    return "hostNetwork" if known.startswith("net.") else ""
