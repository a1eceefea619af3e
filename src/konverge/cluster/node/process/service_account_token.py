"""Tokens of a pod's service account, asked for in time and kept in memory alone."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

import msgspec

import konverge as kv
from konverge.models import authentication_v1, core_v1

_USUAL_SECONDS: Final = 3600
_RENEW_AT: Final = 0.8  # of its life, as a kubelet does
_OLDEST: Final = timedelta(hours=24)  # a long-lived one is renewed each day


class _Token(msgspec.Struct, frozen=True):
    text: str
    renew_at: datetime

    def __repr__(self) -> str:
        return f"_Token(renewed at {self.renew_at})"


class PodTokens:
    """The tokens of one pod's projected volumes, by (volume name, path)."""

    def __init__(self) -> None:
        self._tokens: dict[tuple[str, str], _Token] = {}

    async def refresh(self, client: kv.Client, pod: core_v1.Pod, now: datetime) -> dict[tuple[str, str], str]:
        """Ask for those that are missing or soon too old; return all. Raises `ApiError`."""
        for volume in pod.spec.volumes or ():
            for source in (volume.projected.sources or ()) if volume.projected else ():
                if (wanted := source.service_account_token) is not None:
                    key = (volume.name, wanted.path)
                    known = self._tokens.get(key)
                    if known is None or known.renew_at <= now:
                        self._tokens[key] = await _request(client, pod, wanted, now)
        return {key: token.text for key, token in self._tokens.items()}

    def renew_in(self, now: datetime) -> float | None:
        """Return the seconds until the next of them is to be renewed; None without any."""
        moments = [token.renew_at for token in self._tokens.values()]
        return max((min(moments) - now).total_seconds(), 0.0) if moments else None


async def _request(
    client: kv.Client, pod: core_v1.Pod, wanted: core_v1.ServiceAccountTokenProjection, now: datetime
) -> _Token:
    meta = pod.metadata
    account = core_v1.ServiceAccount(
        metadata=kv.ObjectMeta(name=pod.spec.service_account_name or "default", namespace=meta.namespace)
    )
    bound = authentication_v1.BoundObjectReference(kind="Pod", api_version="v1", name=meta.name, uid=meta.uid)
    spec = authentication_v1.TokenRequestSpec(
        audiences=[wanted.audience] if wanted.audience else [],
        expiration_seconds=wanted.expiration_seconds or _USUAL_SECONDS,
        bound_object_ref=bound,
    )
    request = authentication_v1.TokenRequest(spec=spec)
    answer = await client.subresource("token").create(account, request)
    life = (answer.status.expiration_timestamp or now) - now
    return _Token(answer.status.token or "", now + min(life * _RENEW_AT, _OLDEST))
