from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from konverge import errors
from konverge.errors import ApiError, ApplyConflict, Cause, FieldConflict, Forbidden, Invalid, Operation, from_status

GET = Operation(verb="get", group="apps", resource="deployments", namespace="shop", name="web")


@pytest.mark.parametrize(
    ("code", "reason", "expected"),
    [
        (400, "BadRequest", errors.BadRequest),
        (401, "Unauthorized", errors.Unauthorized),
        (403, "Forbidden", errors.Forbidden),
        (404, "NotFound", errors.NotFound),
        (405, "MethodNotAllowed", errors.MethodNotAllowed),
        (406, "NotAcceptable", errors.NotAcceptable),
        (408, "", errors.Timeout),
        (409, "Conflict", errors.Conflict),
        (409, "AlreadyExists", errors.AlreadyExists),
        (409, "", errors.Conflict),
        (410, "Gone", errors.Expired),
        (410, "Expired", errors.Expired),
        (413, "RequestEntityTooLarge", errors.TooLarge),
        (415, "UnsupportedMediaType", errors.UnsupportedMediaType),
        (422, "Invalid", errors.Invalid),
        (429, "TooManyRequests", errors.TooManyRequests),
        (500, "InternalError", errors.InternalError),
        (500, "ServerTimeout", errors.Timeout),
        (500, "StorageReadError", errors.InternalError),
        (502, "", errors.Unavailable),
        (503, "ServiceUnavailable", errors.Unavailable),
        (504, "Timeout", errors.Timeout),
        (418, "", ApiError),
        (418, "Teapot", ApiError),
    ],
)
def test_each_status_has_its_class(code: int, reason: str, expected: type[ApiError]) -> None:
    """A Status becomes the error of its reason, else of its code; one without a reason is known by the code."""
    for status in ({"code": code, "reason": reason}, {"reason": reason}):
        error = from_status(status | {"message": "no"}, operation=GET, code=code)
        assert type(error) is expected
        assert error.code == code
        assert str(error).startswith('get deployments.apps "shop/web": no (')


def test_every_class_has_a_code_of_its_own() -> None:
    """An error made by hand has the code of its class."""
    for cls in errors._BY_REASON.values():
        assert cls("no").code == cls.default_code > 0


def test_as_much_as_a_proxy_left() -> None:
    """A Status with nothing in it, or with nulls, still makes a sentence."""
    for status in ({}, {"details": None, "message": None, "reason": None}, {"details": {"causes": None}}):
        assert "the server answered 500 and said no more (500 InternalError)" in str(from_status(status, code=500))


def test_operations_read_like_sentences() -> None:
    """An operation names the verb, the resource with its group and the object, as far as there is one."""
    assert str(GET) == 'get deployments.apps "shop/web"'
    assert str(Operation(verb="list", resource="pods")) == "list pods"
    assert str(Operation(verb="get", resource="nodes", name="n")) == 'get nodes "n"'
    assert str(Operation(verb="update", resource="pods/status", namespace="x", name="p")) == 'update pods/status "x/p"'


def test_causes() -> None:
    """Each cause is a reason, a message and a field."""
    causes = [{"reason": "FieldValueRequired", "message": "Required value", "field": "spec.x"}, {}]
    error = from_status({"reason": "Invalid", "details": {"causes": causes}})
    assert isinstance(error, Invalid)
    assert error.causes == (Cause("FieldValueRequired", "Required value", "spec.x"), Cause("", ""))


def test_retry_after() -> None:
    """The time in the Status goes before the one in the header."""
    status = {"code": 429, "details": {"retryAfterSeconds": 7}}
    assert from_status(status, retry_after=1).retry_after == 7
    assert from_status({"code": 429}, retry_after=0).retry_after == 0
    assert from_status({"code": 429}).retry_after is None


def conflict() -> ApiError:
    """What a server-side apply answers when fields are owned by others."""
    messages = {
        ".spec.replicas": 'conflict with "hpa" with subresource "scale" using apps/v1 at 2026-01-01T00:00:00Z',
        ".spec.image": 'conflict with "kubectl" using apps/v1',
        ".spec.odd": "someone",
    }
    causes = [
        {"reason": "FieldManagerConflict", "message": message, "field": field} for field, message in messages.items()
    ]
    return from_status({"code": 409, "reason": "Conflict", "message": "no", "details": {"causes": causes}})


def test_apply_conflict() -> None:
    """An apply's conflict is told from the others, and lists fields and owners."""
    error = conflict()
    assert isinstance(error, ApplyConflict)
    assert error.conflicts == (
        FieldConflict(".spec.replicas", "hpa"),
        FieldConflict(".spec.image", "kubectl"),
        FieldConflict(".spec.odd", "someone"),
    )
    assert ".spec.replicas (owned by hpa)" in str(error)


@pytest.mark.parametrize(
    ("message", "remedy"),
    [
        (
            'User "bob" cannot list resource "pods" in API group "" in the namespace "shop"',
            'a Role in namespace "shop" with the rule {apiGroups: [""], resources: ["pods"], verbs: ["list"]}',
        ),
        (
            'User "bob" cannot patch resource "deployments/status" in API group "apps" at the cluster scope',
            'a ClusterRole with the rule {apiGroups: ["apps"], resources: ["deployments/status"], verbs: ["patch"]}',
        ),
        (
            'User "bob" cannot get path "/metrics"',
            'a ClusterRole with the rule {nonResourceURLs: ["/metrics"], verbs: ["get"]}',
        ),
        ("exceeded quota: you cannot have more pods", ""),
        ("", ""),
    ],
)
def test_forbidden_gives_the_missing_rule(message: str, remedy: str) -> None:
    """The rule is the one the authorizer missed; a refusal by others has none."""
    assert Forbidden(message).remedy() == (f"allow it by {remedy}" if remedy else "")


@pytest.mark.parametrize("again", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy, copy.deepcopy])
def test_copies(again: Any) -> None:
    """An error survives pickling and copying with everything it knows."""
    first = from_status({"code": 429, "message": "busy", "details": {"retryAfterSeconds": 3}}, operation=GET)
    for error in (first, conflict(), Forbidden("no", operation=GET)):
        copied = again(error)
        assert type(copied) is type(error)
        assert str(copied) == str(error)
        assert vars(copied) == vars(error)
    for cls in (errors.ConnectionFailed, errors.DecodeError, errors.RequestError, errors.ConfigError):
        assert str(again(cls("why"))) == "why"


@pytest.mark.parametrize(
    "status",
    [
        {"details": "x"},
        {"details": {"retryAfterSeconds": "5", "causes": 3}},
        {"details": {"causes": [3, None, {"field": 1, "message": [], "reason": {}}]}},
        {"code": "x"},
        {"reason": ["x"]},
        {"message": {"a": 1}},
    ],
)
def test_a_status_of_the_wrong_types(status: dict[str, Any]) -> None:
    """What a Status cannot have in a field counts as left out: the error is the one of the HTTP code."""
    error = from_status(status, code=503, retry_after=2.0, operation=GET)
    assert type(error) is errors.Unavailable
    assert (error.code, error.retry_after) == (503, 2.0)
    assert "the server answered 503" in str(error)
    assert all(cause == Cause("", "") for cause in error.causes)


@pytest.mark.parametrize("resource", ["secrets", "serviceaccounts/token", "tokenreviews"])
@pytest.mark.parametrize(
    "quoting",
    [
        'Secret "s" is invalid: patch: Invalid value: "{\\"data\\":{\\"p\\":\\"hunter2\\"}}": illegal base64',
        'error when patching "{\\"p\\":\\"hunter2\\"}"',
        'cannot decode {"p": "hunter2"}',
        "cannot convert map[p:hunter2]",
        'Secret "A" is invalid: [metadata.name: Invalid value: "A": no, data[p]: Invalid value: "hunter2": no]',
    ],
)
def test_what_the_server_quotes_of_secrets(resource: str, quoting: str) -> None:
    """The server's quotation of a secret or a token is cut off, in the message and in the causes."""
    status = {"message": quoting, "details": {"causes": [{"field": "patch", "message": quoting}]}}
    error = from_status(status, code=422, operation=errors.Operation(verb="patch", resource=resource, name="s"))
    assert "hunter2" not in f"{error} {error.causes}"
    assert "[hidden: it may quote a secret]" in str(error)
    other = errors.Operation(verb="patch", resource="configmaps", name="s")
    assert "hunter2" in str(from_status(status, code=422, operation=other))


def test_names_of_secrets_are_shown() -> None:
    """A name that breaks the rules is no secret, and its author needs the rule."""
    message = 'Secret "A" is invalid: metadata.name: Invalid value: "A": must be lower case'
    cause = {"field": "metadata.name", "message": 'Invalid value: "A": must be lower case'}
    status = {"message": message, "details": {"causes": [cause]}}
    error = from_status(status, code=422, operation=errors.Operation(verb="create", resource="secrets"))
    assert error.message == message
    assert error.causes[0].message == cause["message"]
