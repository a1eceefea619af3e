"""The names of a CRD: what they may be, and whether another CRD of the group has them already."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from konverge.cluster.apiserver.field_error import FieldError, invalid
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.name_rules import dns_1035_label

Names = Mapping[str, Any]


def name_faults(names: Names, path: str) -> Iterator[FieldError]:
    """Say which names are malformed; an empty one is another rule's matter."""
    for field in ("plural", "singular"):
        name = names.get(field) or ""
        if name and (wrong := dns_1035_label(name)):
            yield invalid(f"{path}.{field}", name, ",".join(wrong))
    kind, list_kind = names.get("kind") or "", names.get("listKind") or ""
    for field, name in (("kind", kind), ("listKind", list_kind)):
        if name and (wrong := dns_1035_label(name.lower())):
            text = "may have mixed case, but should otherwise match: " + ",".join(wrong)
            yield invalid(f"{path}.{field}", name, text)
    yield from _list_faults(names.get("shortNames") or (), f"{path}.shortNames")
    if kind and kind == list_kind:
        yield invalid(f"{path}.listKind", list_kind, "kind and listKind may not be the same")
    yield from _list_faults(names.get("categories") or (), f"{path}.categories")


def _list_faults(names: Iterable[str], path: str) -> Iterator[FieldError]:
    for index, name in enumerate(names):
        if wrong := dns_1035_label(name):
            yield invalid(f"{path}[{index}]", name, ",".join(wrong))


def accept_names(
    wanted: Names, accepted: Names, others: Iterable[Names]
) -> tuple[dict[str, Any], tuple[str, str] | None]:
    """Return the names that a CRD gets, and the reason and text of the last conflict, if there is one.

    `accepted` are those it has, `others` those that the other CRDs of its group have.
    """
    others = list(others)
    taken = {other.get(field) for other in others for field in ("plural", "singular")}
    taken |= {name for other in others for name in other.get("shortNames") or ()}
    kinds = {other.get(field) for other in others for field in ("kind", "listKind")}
    got = dict(accepted)
    conflict: tuple[str, str] | None = None
    for field, used in (
        ("plural", taken),
        ("singular", taken),
        ("shortNames", taken),
        ("kind", kinds),
        ("listKind", kinds),
    ):
        text = (
            _short_conflict(wanted, accepted, taken)
            if field == "shortNames"
            else _conflict(wanted, accepted, field, used)
        )
        if text:
            conflict = (f"{field[0].upper()}{field[1:]}Conflict", text)
        else:
            got[field] = wanted.get(field)
    got["categories"] = wanted.get("categories")
    shown = {name: value for name, value in got.items() if value}
    return {"plural": "", "kind": "", **shown}, conflict


def _conflict(wanted: Names, accepted: Names, field: str, used: set[Any]) -> str:
    name = wanted.get(field) or ""
    if name == (accepted.get(field) or "") or name not in used:
        return ""
    return f"{quoted(name)} is already in use"


def _short_conflict(wanted: Names, accepted: Names, used: set[Any]) -> str:
    own = accepted.get("shortNames") or ()
    texts = [
        f"{quoted(name)} is already in use"
        for name in wanted.get("shortNames") or ()
        if name not in own and name in used
    ]
    texts = list(dict.fromkeys(texts))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]" if texts else ""
