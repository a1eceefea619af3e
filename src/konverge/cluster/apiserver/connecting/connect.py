"""The verb of connections: what the real server checks before it dials a kubelet, in its order and words."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from konverge.cluster.apiserver.access.attempt import attempt_of
from konverge.cluster.apiserver.call import Call
from konverge.cluster.apiserver.connecting.connector import Command, Forward, Logs, PodTarget, Refused, Wanted
from konverge.cluster.apiserver.connecting.log_options import log_options
from konverge.cluster.apiserver.connecting.log_state import check_log, is_running
from konverge.cluster.apiserver.connecting.proxy_location import proxied
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.exchange import Answer, Response
from konverge.cluster.apiserver.failure import Failure, bad_request, forbidden, not_found
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.reading.decode import stored_object
from konverge.cluster.apiserver.reading.options import truth
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.route import Route
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.admission import judge_connection

_CONNECTIONS: Final = ("attach", "exec", "log", "portforward", "proxy")
_HIGHEST_PORT: Final = 65535
_CONTAINERS: Final = ("initContainers", "containers", "ephemeralContainers")


def is_connection(resource: Resource, route: Route) -> bool:
    """Say whether a request is for what runs, not for what is stored."""
    return route.subresource in _CONNECTIONS and not resource.is_custom and not resource.group


async def connect(context: Context, call: Call) -> Answer:
    """Check a connection and have it made."""
    if call.route.subresource == "log":
        logs = _logs(context, call)
        return Response(status=204, content_type="") if logs is None else await _dial(context, call, logs)
    if call.request.parameters("dryRun"):
        raise bad_request("dryRun is not supported")
    await judge_connection(context, call)
    if call.route.subresource == "proxy":
        return await _dial(context, call, proxied(context, call))
    _check_create(context, call)
    try:
        wanted = _forward(context, call) if call.route.subresource == "portforward" else _command(context, call)
        return await _dial(context, call, wanted)
    except Refused as refused:
        text = f"{refused}\n".encode()
        headers = (("X-Content-Type-Options", "nosniff"),)
        return Response(status=refused.code, body=text, content_type="text/plain; charset=utf-8", headers=headers)


async def _dial(context: Context, call: Call, wanted: Wanted) -> Answer:
    return await context.connector.connect(wanted, call.request)


def _check_create(context: Context, call: Call) -> None:
    """Raise (403) for someone who may only get: what a websocket does is no reading, though it begins with a GET."""
    attempt = attempt_of(call.request, call.route)
    if attempt.verb == "create":
        return
    decision = context.access.authorization.decide(call.user, replace(attempt, verb="create"))
    if not decision.is_allowed:
        raise forbidden(attempt.resource, attempt.group, attempt.name, decision.reason)


def _check_upgrade(call: Call) -> None:
    if "upgrade" not in call.request.header("connection").lower() or not call.request.header("upgrade"):
        raise bad_request("Upgrade request required")


# --- pods ---


def _logs(context: Context, call: Call) -> Logs | None:
    """Return the log that is wanted; None of a pod that is on no node yet."""
    options = log_options(call.request, call.route.name)
    pod = _pod(context, call)
    container = _container(pod, call.request.parameter("container"))
    if not _is_placed(context, pod):
        return None
    check_log(pod, container, previous=options["previous"])
    return Logs(pod=_target(pod), container=container, **options)


def _command(context: Context, call: Call) -> Command:
    request, pod = call.request, _pod(context, call)
    container = _container(pod, request.parameter("container"))
    _check_placed(context, pod)
    tty = truth(request, "tty") or False
    wanted = Command(
        pod=_target(pod),
        container=container,
        command=request.parameters("command") if call.route.subresource == "exec" else None,
        stdin=truth(request, "stdin") or False,
        stdout=truth(request, "stdout") or False,
        stderr=(truth(request, "stderr") or False) and not tty,  # a terminal has one output
        tty=tty,
    )
    _check_upgrade(call)
    _check_command(pod, wanted)
    return wanted


def _check_command(pod: JsonObject, wanted: Command) -> None:
    """Raise what a kubelet would say."""
    if not (wanted.stdin or wanted.stdout or wanted.stderr):
        raise Refused(400, "you must specify at least 1 of stdin, stdout, stderr")
    if not is_running(pod, wanted.container):
        raise Refused(500, f"container not found ({quoted(wanted.container)})")


def _forward(context: Context, call: Call) -> Forward:
    pod = _pod(context, call)
    _check_placed(context, pod)
    _check_upgrade(call)
    if (pod.get("status") or {}).get("phase") != "Running":
        raise Refused(500, "unable to do port forwarding: pod is not running")
    return Forward(pod=_target(pod), ports=_ports(call))


def _ports(call: Call) -> tuple[int, ...]:
    texts = [text for value in call.request.parameters("ports") for text in value.split(",")]
    if not all(text.isascii() and text.isdigit() and 0 < int(text) <= _HIGHEST_PORT for text in texts):
        raise Refused(400, f"unable to parse {quoted(','.join(texts))} as ports")
    return tuple(map(int, texts))


def _pod(context: Context, call: Call) -> JsonObject:
    route, resource = call.route, call.resource
    stored = context.storage.get(resource.key(route.namespace, route.name))
    if stored is None:
        raise not_found(resource.plural, resource.group, route.name)
    return stored_object(resource, stored.value)


def _target(pod: JsonObject) -> PodTarget:
    metadata = pod["metadata"]
    annotations = metadata.get("annotations") or {}
    return PodTarget(
        namespace=metadata["namespace"], name=metadata["name"], uid=metadata["uid"], annotations=annotations
    )


def _container(pod: JsonObject, asked: str) -> str:
    """Return the container that is asked for, or the only one."""
    pod_name = pod["metadata"]["name"]
    names = [each["name"] for kind in _CONTAINERS for each in pod["spec"].get(kind) or ()]
    if asked:
        if asked not in names:
            raise bad_request(f"container {asked} is not valid for pod {pod_name}")
        return asked
    own = [each["name"] for each in pod["spec"]["containers"]]
    if len(own) == 1:
        return str(own[0])
    choice = f"choose one of: [{' '.join(names)}]"
    raise bad_request(f"a container name must be specified for pod {pod_name}, {choice}")


def _check_placed(context: Context, pod: JsonObject) -> None:
    if not _is_placed(context, pod):
        raise bad_request(f"pod {pod['metadata']['name']} does not have a host assigned")


def _is_placed(context: Context, pod: JsonObject) -> bool:
    """Say whether a pod is on a node; raise where that node is not there, or cannot be reached."""
    name = pod["spec"].get("nodeName", "")
    if not name:
        return False
    nodes = context.resources.find("", "v1", "nodes")
    stored = None if nodes is None else context.storage.get(nodes.key("", name))
    if nodes is None or stored is None:
        raise not_found("pods", "", name)  # the real server names the resource of the request
    addresses = (stored_object(nodes, stored.value).get("status") or {}).get("addresses") or []
    if not addresses:
        raise Failure(500, "", "no preferred addresses found; known addresses: []")
    return True
