"""Acting: as whom one reaches the server in process, where nobody shows a credential."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from konverge.cluster.apiserver.access.user import ANONYMOUS, account_groups, split_account
from konverge.cluster.apiserver.exchange import Peer

ADMINISTRATOR: Final = Peer(is_trusted=True)


def peer_of(user: str, groups: Iterable[str] = ()) -> Peer:
    """Return the peer that is this user, in these groups."""
    if user == ANONYMOUS.name:
        return Peer()
    account = split_account(user)
    own = account_groups(account[0]) if account else ()
    return Peer(common_name=user, organizations=(*own, *groups))
