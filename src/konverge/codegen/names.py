"""Names: from the wire's spelling to Python's, and the file a group and version go to.

Acronyms are one word, with their plural: clusterIPs is cluster_ips, nonResourceURLs is non_resource_urls.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Container, Iterable

_WORDS = re.compile(
    r"[A-Z]{2,}v[0-9]+(?![a-z])"  # IPv6
    r"|[A-Z]+(?=V[0-9])"  # the API of openAPIV3Schema
    r"|[A-Z]{2,}s(?![a-z])"  # CIDRs
    r"|[A-Z]+(?![a-z])[0-9]*"  # the HTTP of HTTPGet, V1
    r"|[A-Z]?[a-z][a-z0-9]*"
    r"|[0-9]+"
)
# Types that annotations are written with: as an attribute, one of these would hide the type in its own class.
_TYPES = frozenset({"bool", "bytes", "datetime", "dict", "float", "int", "list", "str"})


def snake(wire_name: str) -> str:
    """Return a wire name as a Python attribute: podCIDRs is pod_cidrs, continue is continue_."""
    name = "_".join(_WORDS.findall(wire_name)).lower()
    if not name or name[0].isdigit():
        name = f"field_{name}".rstrip("_")
    return f"{name}_" if keyword.iskeyword(name) or name in _TYPES else name


def camel(attribute: str) -> str:
    """Return the wire name that a model gives an attribute by itself."""
    first, *rest = (word for word in attribute.split("_") if word)
    return first + "".join(word.title() for word in rest)


def attributes(wire_names: Iterable[str], *, taken: Container[str] = ()) -> dict[str, str]:
    """Return the attribute of each wire name of one class, each one different."""
    found: dict[str, str] = {}
    used: set[str] = set()
    for wire_name in wire_names:
        name = snake(wire_name)
        name = f"{name}_" if name in taken else name
        found[wire_name] = unique(name, used, separator="_")
        used.add(found[wire_name])
    return found


def unique(name: str, taken: Container[str], *, separator: str = "") -> str:
    """Return the name, with a number after it if it is taken."""
    candidate, number = name, 1
    while candidate in taken:
        number += 1
        candidate = f"{name.rstrip('_')}{separator}{number}"
    return candidate


def pascal(wire_name: str) -> str:
    """Return a wire name as (part of) a class name: privateKey is PrivateKey, clusterIP is ClusterIP."""
    words = re.findall(r"[A-Za-z0-9]+", wire_name)
    return "".join(word[0].upper() + word[1:] for word in words) or "Field"


def class_name(kind: str) -> str:
    """Return the class of a kind: its own name, which the API lets be nearly any word."""
    name = pascal(kind)
    return f"{name}_" if keyword.iskeyword(name) else f"Kind{name}" if name[0].isdigit() else name


def module_names(group_versions: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return the module of each group and version: the group's first label and the version, apps_v1.

    Groups whose first labels are the same within one run are written out in full: db_example_com_v1.
    """
    pairs = sorted(set(group_versions))
    first = {group: _label(group.split(".")[0] or "core") for group, _ in pairs}
    shared = {label for label in first.values() if sum(other == label for other in first.values()) > 1}
    names = {group: _label(group) if first[group] in shared and group else first[group] for group in first}
    return {(group, version): f"{names[group]}_{_label(version)}" for group, version in pairs}


def _label(text: str) -> str:
    label = re.sub(r"\W", "_", text).lower()
    return f"group_{label}" if label[0].isdigit() else label
