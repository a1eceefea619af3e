"""Owner references that stand twice: the server keeps one of each, and says so."""

from __future__ import annotations

from typing import Final

import msgspec

from konverge.cluster.apiserver.call import Call
from konverge.cluster.apiserver.repeated import repeated
from konverge.cluster.apiserver.strategy import JsonObject

_WORDS: Final = (
    ".metadata.ownerReferences contains duplicate entries{when}; API server dedups owner references in 1.20+, and may "
    "reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {uids}"
)
_AFTER_ADMISSION: Final = " after mutating admission happens"


def drop_repeated_owners(call: Call, metadata: JsonObject, *, is_after_admission: bool = False) -> None:
    """Keep the first of equal owner references."""
    owners = metadata.get("ownerReferences")
    if not owners or len(owners) == 1:
        return
    again = repeated(msgspec.json.encode(owner, order="sorted") for owner in owners)
    if again:
        metadata["ownerReferences"] = [owner for index, owner in enumerate(owners) if index not in again]
        when = _AFTER_ADMISSION if is_after_admission else ""
        uids = ", ".join(owners[index].get("uid", "") for index in sorted(again))
        call.warnings.append(_WORDS.format(when=when, uids=uids))
