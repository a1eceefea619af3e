"""Transcript: two runs of a case made comparable, and their differences told in a way that a person can act on."""

from __future__ import annotations

import base64
import difflib
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from harness.masks import MASKS, Mask

_UID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
# What is drawn at random: names (`gen-` is the only generateName of cases), the addresses of services.
_GENERATED: Final = re.compile(
    r"\b(?:[Gg]en[-_]|kube-api-access-)[bcdfghjklmnpqrstvwxz2456789]{5}\b|\b10\.96\.\d+\.\d+\b"
)
# Where a message names a version, or quotes an object.
_IN_TEXT: Final = re.compile(r"""(record \(|object meta: |resourceVersion\\*":\\*")(\d+)""")
_MOMENT: Final = re.compile(r"20(?:2[6-9]|[3-9]\d)-\d\d-\d\dT\d\d:\d\d:\d\dZ")  # of the run; cases write older ones
_AGE: Final = re.compile(r"\d{1,3}s")  # in a table's cell: how long ago something was made
_NUMBERED: Final = frozenset({"resourceVersion"})
_TOKEN: Final = re.compile(r"eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+")
_MOMENTS: Final = ("exp", "nbf", "iat", "warnafter")
# What the real server has in no order: it goes through a map of roles.
_UNORDERED: Final = ("resourceRules", "nonResourceRules")
_CONFLICT: Final = "FieldManagerConflict"  # and of managers, where an apply conflicts with several


@dataclass(slots=True)
class Normal:
    """Turns the notes of one run into their comparable form."""

    used: Counter[Mask]
    _versions: dict[str, str] = field(default_factory=dict)
    _uids: dict[str, str] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)

    def of(self, value: Any, path: tuple[str, ...] = (), parents: tuple[Any, ...] = ()) -> Any:
        """Return a value with versions and uids numbered and masks applied."""
        for mask in MASKS:
            if mask.matches(path, parents):
                self.used[mask] += 1
                return f"<{mask.why}>"
        inside = (*parents, value)
        if isinstance(value, dict):
            return {self._text(name, ()): self.of(item, (*path, name), inside) for name, item in sorted(value.items())}
        if isinstance(value, list):
            value = sorted(value, key=_author) if path and path[-1] == "managedFields" else value
            value = sorted(value, key=json.dumps) if _has_no_order(value, path) else value
            return [self.of(item, (*path, str(index)), inside) for index, item in enumerate(value)]
        return self._text(value, path) if isinstance(value, str) else value

    def _text(self, text: str, path: tuple[str, ...]) -> str:
        if path and path[-1] in _NUMBERED and text not in ("", "0"):
            return self._versions.setdefault(text, f"version {len(self._versions) + 1}")
        if path[-2:-1] == ("cells",) and _AGE.fullmatch(text):
            return "<an age>"
        text = _TOKEN.sub(lambda found: _claims(found[0]), text)
        text = _UID.sub(lambda found: self._uids.setdefault(found[0], f"uid {len(self._uids) + 1}"), text)
        text = _GENERATED.sub(lambda found: self._names.setdefault(found[0], f"gen-{len(self._names) + 1}"), text)
        text = _IN_TEXT.sub(lambda found: found[1] + self._versions.get(found[2], found[2]), text)
        return _MOMENT.sub("<a moment>", text)


def _has_no_order(items: list[Any], path: tuple[str, ...]) -> bool:
    if path[-1:] == ("causes",):
        return all(item.get("reason") == _CONFLICT for item in items)
    return bool(path) and path[-1] in _UNORDERED


def _claims(token: str) -> str:
    """Return what a token says, and of its moments how far apart they are."""
    header, body = (json.loads(_decoded(part)) for part in token.split(".")[:2])
    own = {**body, **body.get("kubernetes.io", {})}
    apart = {name: own[name] - own["iat"] for name in _MOMENTS if name in own and "iat" in own}
    rest = {name: value for name, value in own.items() if name not in _MOMENTS and name != "kubernetes.io"}
    return f"<a token, {header['alg']}: {json.dumps({**rest, **apart}, sort_keys=True)}>"


def _decoded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def _author(entry: dict[str, Any]) -> list[str]:
    """Return what orders managedFields but for the time: a second may begin between two writes on one server only."""
    return [entry.get(name, "") for name in ("operation", "manager", "subresource", "apiVersion")]


def differences(real: list[dict[str, Any]], embedded: list[dict[str, Any]], used: Counter[Mask]) -> str:
    """Return how the embedded server's answers differ from the real one's; empty where they do not."""
    texts = [json.dumps(Normal(used).of(notes), indent=1, ensure_ascii=False) for notes in (real, embedded)]
    if texts[0] == texts[1]:
        return ""
    lines = difflib.unified_diff(texts[0].splitlines(), texts[1].splitlines(), "real", "embedded", lineterm="", n=6)
    return "\n".join(lines)
