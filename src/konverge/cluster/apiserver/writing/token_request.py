"""TokenRequest: a POST to `serviceaccounts/token` gives out a token of the account."""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING, Final

import msgspec

from konverge.api.time import format_time, parse_time
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.access.tokens import AUDIENCES, BadToken, Bound, Wanted
from konverge.cluster.apiserver.call import Call, Outcome
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.failure import bad_request, conflict, internal, invalid, not_found
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.admission import judge, mutate_part
from konverge.cluster.apiserver.writing.decode import decode_object
from konverge.cluster.apiserver.writing.expected import built_in
from konverge.cluster.apiserver.writing.live import find_live
from konverge.cluster.apiserver.writing.namespaces import check_namespace, set_namespace
from konverge.cluster.apiserver.writing.object_meta import metadata_of
from konverge.cluster.apiserver.writing.options import WriteOptions

if TYPE_CHECKING:
    from konverge.cluster.apiserver.builtin.strategy import BuiltinStrategy

_GROUP, _VERSION, _KIND = "authentication.k8s.io", "v1", "TokenRequest"
_REQUEST: Final = built_in("io.k8s.api.authentication.v1.TokenRequest", f"{_GROUP}/{_VERSION}")
_CREATED: Final = 201
_SHORTEST, _LONGEST = 10 * 60, 1 << 32  # seconds
_DEFAULT: Final = 60 * 60
# What a projected volume asks for by default. Programs that never read the file again would fail after an hour, so such
# a token lives a year, and says when it should have been replaced.
_PROJECTED, _EXTENDED = 60 * 60 + 7, 365 * 24 * 60 * 60
_REPLACED: Final = "does not match the UID in record. The object might have been deleted and then recreated"


async def request_token(context: Context, call: Call, options: WriteOptions) -> Outcome:
    """Answer a TokenRequest."""
    value = decode_object(call, options.field_validation, _REQUEST)
    metadata, spec = metadata_of(value), value.setdefault("spec", {})
    spec["expirationSeconds"] = spec.get("expirationSeconds") or _DEFAULT
    set_namespace(call, metadata)
    value = _recorded(value, options)
    metadata, spec = value["metadata"], value["spec"]
    check_namespace(context, call, call.route.name, is_create=True)
    await mutate_part(context, call, value, options)
    metadata, spec = value["metadata"], value["spec"]
    account = _account(context, call, metadata)
    spec["audiences"] = spec.get("audiences") or list(AUDIENCES)
    metadata |= {"name": account["name"], "namespace": account["namespace"], "uid": account["uid"]}
    metadata["creationTimestamp"] = options.time
    _check_seconds(spec["expirationSeconds"])
    spec.setdefault("boundObjectRef", None)
    await judge(context, call, value, options)
    token = _issued(context, call, account, spec)
    return Outcome(status=_CREATED, value=_answer(value, token, options), is_own_kind=False)


@cache
def _strategy() -> BuiltinStrategy:
    # The rules of some kinds need the write side's own, so they cannot be imported from here.
    from konverge.cluster.apiserver.builtin import strategy  # noqa: PLC0415 - see above

    return strategy.BuiltinStrategy(_GROUP, _VERSION, _KIND)


def _recorded(value: JsonObject, options: WriteOptions) -> JsonObject:
    manager = _strategy().field_manager
    return manager.update(None, value, manager=options.manager, subresource="token", time=options.time)


def _account(context: Context, call: Call, metadata: JsonObject) -> JsonObject:
    """Return the metadata of the account, where the request means it."""
    name = call.route.name
    if metadata.get("name", name) != name:
        wrong = "must match the service account name if specified"
        raise invalid(_KIND, _GROUP, name, [field_error.invalid("metadata.name", metadata["name"], wrong)])
    live = find_live(context, call)
    if live is None:
        raise not_found("serviceaccounts", "", name)
    wanted, uid = metadata.get("uid", ""), live.metadata["uid"]
    if wanted and wanted != uid:
        why = f"the UID in the token request ({wanted}) does not match the UID of the service account ({uid})"
        raise conflict(_KIND, _GROUP, name, why)
    return live.metadata


def _check_seconds(seconds: int) -> None:
    wrong = ""
    if seconds < _SHORTEST:
        wrong = "may not specify a duration less than 10 minutes"
    elif seconds > _LONGEST:
        wrong = "may not specify a duration larger than 2^32 seconds"
    if wrong:
        raise invalid(_KIND, _GROUP, "", [field_error.invalid("spec.expirationSeconds", seconds, wrong)])


def _issued(context: Context, call: Call, account: JsonObject, spec: JsonObject) -> str:
    bound = _bound(context, call, spec.get("boundObjectRef"))
    seconds, warn_after = spec["expirationSeconds"], None
    if "pod" in bound and seconds == _PROJECTED and set(spec["audiences"]) <= set(AUDIENCES):
        seconds, warn_after = _EXTENDED, seconds
    wanted = Wanted(
        namespace=call.route.namespace,
        account=Bound(account["name"], account["uid"]),
        audiences=spec["audiences"],
        seconds=seconds,
        jti=context.ids.uid(),
        warn_after=warn_after,
        **bound,
    )
    try:
        return context.access.tokens.issue(wanted)
    except BadToken as error:
        raise internal(f"failed to generate token: {error}") from None


def _bound(context: Context, call: Call, reference: JsonObject | None) -> dict[str, Bound]:
    """Return the objects that a token is to depend on, by their kinds."""
    if reference is None:
        return {}
    kind, api_version, name = (reference.get(part, "") for part in ("kind", "apiVersion", "name"))
    group, _, version = api_version.rpartition("/")
    if group or kind not in ("Pod", "Node", "Secret"):
        raise bad_request(f"cannot bind token to object of type {group}/{version}, Kind={kind}")
    if not name:
        raise bad_request("Name parameter required.")
    plural = f"{kind.lower()}s"
    found = _find(context, plural, "" if kind == "Node" else call.route.namespace, name)
    if found is None:
        raise not_found(plural, "", name)
    bound = {kind.lower(): Bound(name, found["metadata"]["uid"])}
    if kind == "Pod":
        bound |= _node_of_pod(context, call, found)
    _check_uid(reference, found["metadata"]["uid"], kind)
    return bound


def _node_of_pod(context: Context, call: Call, pod: JsonObject) -> dict[str, Bound]:
    if pod["spec"].get("serviceAccountName") != call.route.name:
        what = f"cannot bind token for serviceaccount {quoted(call.route.name)}"
        raise bad_request(f"{what} to pod running with different serviceaccount name.")
    name = pod["spec"].get("nodeName", "")
    node = _find(context, "nodes", "", name) if name else None
    return {"node": Bound(name, node["metadata"]["uid"] if node else "")} if name else {}


def _check_uid(reference: JsonObject, uid: str, kind: str) -> None:
    wanted = reference.get("uid", "")
    if wanted and wanted != uid:
        why = f"the UID in the bound object reference ({wanted}) {_REPLACED}"
        raise conflict(kind, "", reference.get("name", ""), why)


def _find(context: Context, plural: str, namespace: str, name: str) -> JsonObject | None:
    stored = context.storage.get(f"/core/{plural}/{namespace}/{name}" if namespace else f"/core/{plural}/{name}")
    if stored is None:
        return None
    found: JsonObject = msgspec.json.decode(stored.value)
    return found


def _answer(value: JsonObject, token: str, options: WriteOptions) -> JsonObject:
    until = parse_time(options.time) + timedelta(seconds=value["spec"]["expirationSeconds"])
    return {**value, "status": {"token": token, "expirationTimestamp": format_time(until)}}
