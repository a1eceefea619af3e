"""Controller revisions: the templates that a stateful set or a daemon set has had, kept as objects.

By them pods of an older template are told from those of the newest, and an older one can be brought back.

The data is a patch that puts the template back. For stateful sets its bytes, as Go writes JSON, give the name: so a
revision has the same name here and in a cluster.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import konverge as kv
from konverge.api.model import decode, encode
from konverge.cluster.controllers.claim import claim
from konverge.cluster.controllers.owned import candidates
from konverge.errors import AlreadyExists
from konverge.models import apps_v1, core_v1

HASH: Final = "controller-revision-hash"
"""The label of pods that names their revision."""
_HTML: Final = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_LONGEST_PREFIX: Final = 223
_ALPHABET: Final = "bcdfghjklmnpqrstvwxz2456789"  # no vowels, no word can come of it; nothing that looks like another
_FNV_OFFSET, _FNV_PRIME = 0x811C9DC5, 0x01000193
_NEVER = datetime.min.replace(tzinfo=UTC)


def data_of(owner: kv.Object) -> dict[str, Any]:
    """Return what a revision keeps of a stateful set or a daemon set: a patch that replaces the template."""
    template = owner.to_dict()["spec"]["template"]
    return {"spec": {"template": {**template, "$patch": "replace"}}}


def template_in(revision: apps_v1.ControllerRevision) -> core_v1.PodTemplateSpec:
    """Return the template that a revision keeps."""
    template = {key: value for key, value in revision.data["spec"]["template"].items() if key != "$patch"}
    return decode(core_v1.PodTemplateSpec, encode(template))


def go_json(value: Any) -> bytes:
    """Return a value as Go writes maps: keys in order, no blanks, and what HTML could take for a tag escaped."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "".join(_HTML.get(char, char) for char in text).encode()


def hash_of(data: Any, collisions: int) -> str:
    """Return the hash that names a revision of a stateful set; a collision changes it."""
    found = _FNV_OFFSET
    for byte in go_json(data) + str(collisions).encode():
        found = (found * _FNV_PRIME & 0xFFFFFFFF) ^ byte
    return safe_text(str(found))


def safe_text(digits: str) -> str:
    """Return a number in letters that make no words."""
    return "".join(_ALPHABET[ord(char) % len(_ALPHABET)] for char in digits)


def name_of(owner: kv.Object, hash_: str) -> str:
    """Return the name of a revision."""
    return f"{(owner.metadata.name or '')[:_LONGEST_PREFIX]}-{hash_}"


def next_number(revisions: Iterable[apps_v1.ControllerRevision]) -> int:
    """Return the number of the revision after these."""
    return max((revision.revision for revision in revisions), default=0) + 1


def surplus(
    revisions: Sequence[apps_v1.ControllerRevision], limit: int, *, live: Iterable[str | None]
) -> list[apps_v1.ControllerRevision]:
    """Return the revisions beyond the limit, the oldest first; live ones are neither counted nor returned."""
    used = frozenset(live)
    idle = [revision for revision in revisions if revision.metadata.name not in used]
    return idle[: max(len(idle) - limit, 0)]


async def revisions_of(
    ctx: kv.Context, owner: kv.Object, selector: kv.LabelSelector
) -> list[apps_v1.ControllerRevision]:
    """Return the owner's revisions, the oldest first, orphans adopted."""
    found = await candidates(ctx.client, owner, apps_v1.ControllerRevision)
    ours = await claim(ctx, owner, found, matches=lambda revision: selector.matches(revision.metadata.labels))
    return sorted(ours, key=_age)


def _age(revision: apps_v1.ControllerRevision) -> tuple[int, datetime, str]:
    metadata = revision.metadata
    return revision.revision, metadata.creation_timestamp or _NEVER, metadata.name or ""


def new_revision(
    owner: kv.Object, data: dict[str, Any], number: int, *, hash_: str, label: str
) -> apps_v1.ControllerRevision:
    """Return a revision to create; `label` is where its hash stands."""
    template = data["spec"]["template"].get("metadata") or {}
    made = apps_v1.ControllerRevision(
        metadata=kv.ObjectMeta(
            name=name_of(owner, hash_),
            namespace=owner.metadata.namespace,
            labels={**(template.get("labels") or {}), label: hash_},
            annotations=dict(owner.metadata.annotations) if owner.metadata.annotations else None,
        ),
        data=data,
        revision=number,
    )
    kv.set_controller_reference(owner, made)
    return made


async def create_or_find(ctx: kv.Context, revision: apps_v1.ControllerRevision) -> apps_v1.ControllerRevision | None:
    """Create a revision; one of its name and data will do as well. None: the name is taken by other data."""
    try:
        return await ctx.client.create(revision)
    except AlreadyExists:
        there = await ctx.live.get(apps_v1.ControllerRevision, revision.metadata)
        return there if there.data == revision.data else None
