from __future__ import annotations

import asyncio
import base64
import threading
from typing import Any

import msgspec
import pytest

import konverge as kv
from konverge.api import json_patch
from konverge.errors import Cause, Conflict, Invalid, Operation, RequestError
from konverge.models import core_v1
from konverge.webhook import Denied, FieldErrors, admit, current_request, request_for
from konverge.webhook.admission import AdmissionHandler, answer
from konverge.webhook.defaulting import defaulter_handler
from konverge.webhook.validation import operations_of, validator_handler


class PageSpec(kv.Spec):
    """What a page shows."""

    text: str | None = None
    theme: str | None = None
    replicas: int | None = None


@kv.resource(group="pages.konverge.dev", version="v1")
class Page(kv.CustomResource[PageSpec, None]):
    """A page."""


class Defaults:
    """Gives every page a theme."""

    async def default(self, page: Page) -> None:
        """Fill it in."""
        page.spec.theme = page.spec.theme or "plain"


class Checks:
    """Refuses, warns and breaks."""

    async def validate_create(self, page: Page) -> list[str]:
        """Collect what is wrong."""
        found = FieldErrors()
        if (page.spec.replicas or 0) > 5:
            found.invalid("spec.replicas", page.spec.replicas, "must be 5 or less")
        if not page.spec.text:
            found.required("spec.text")
        found.raise_for(page)
        return ["pages are new"]

    def validate_update(self, old: Page, new: Page) -> str | None:
        """Run in a thread, and refuse a change."""
        assert threading.current_thread() is not threading.main_thread()
        if old.spec.theme != new.spec.theme:
            raise Denied(f"{current_request().user_info.username} may not change the theme")
        return None

    async def validate_delete(self, page: Page) -> None:
        """Break."""
        raise ZeroDivisionError(page.metadata.name)


def page(**spec: Any) -> Page:
    """Return a page."""
    return Page(metadata=kv.ObjectMeta(name="home", namespace="shop"), spec=PageSpec(**spec))


def question(obj: dict[str, Any], *, operation: str = "CREATE", version: str = "v1") -> bytes:
    """Return the bytes of a review, as kube-apiserver 1.36 sends them."""
    return msgspec.json.encode(
        {
            "kind": "AdmissionReview",
            "apiVersion": f"admission.k8s.io/{version}",
            "request": {
                "uid": "u-1",
                "kind": {"group": "pages.konverge.dev", "version": "v1", "kind": "Page"},
                "resource": {"group": "pages.konverge.dev", "version": "v1", "resource": "pages"},
                "requestKind": {"group": "pages.konverge.dev", "version": "v1", "kind": "Page"},
                "requestResource": {"group": "pages.konverge.dev", "version": "v1", "resource": "pages"},
                "name": "home",
                "namespace": "shop",
                "operation": operation,
                "userInfo": {"username": "jo", "groups": ["system:authenticated"]},
                "object": obj,
                "oldObject": None,
                "dryRun": False,
                "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"},
            },
        }
    )


def wire(**spec: Any) -> dict[str, Any]:
    """Return a page as it comes, with fields that the class does not know."""
    return {
        "apiVersion": "pages.konverge.dev/v1",
        "kind": "Page",
        "metadata": {"name": "home", "namespace": "shop", "managedFields": [{"manager": "kubectl"}]},
        "spec": {"unknown": {"deep": [1, 2]}, **spec},
    }


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
async def test_a_defaulter_answers_with_a_patch_of_what_it_changed(version: str) -> None:
    """Bytes in, bytes out: the patch has the one change, and unknown fields stay as they are."""
    before = wire(text="hi")
    review = msgspec.json.decode(await answer(question(before, version=version), defaulter_handler(Page, Defaults())))
    response = review["response"]
    assert review["apiVersion"] == f"admission.k8s.io/{version}"
    assert (response["uid"], response["allowed"], response["patchType"]) == ("u-1", True, "JSONPatch")
    patch = msgspec.json.decode(base64.b64decode(response["patch"]))
    assert patch == [{"op": "add", "path": "/spec/theme", "value": "plain"}]
    assert json_patch.apply(before, patch)["spec"] == {"unknown": {"deep": [1, 2]}, "text": "hi", "theme": "plain"}


async def test_a_defaulter_that_changes_nothing_sends_no_patch() -> None:
    """An answer without a patch has no patch type either."""
    review = msgspec.json.decode(await answer(question(wire(theme="dark")), defaulter_handler(Page, Defaults())))
    assert review["response"] == {"uid": "u-1", "allowed": True, "status": {"code": 200}}


async def test_a_defaulter_has_nothing_to_do_with_a_deletion() -> None:
    """A DELETE has no object to change."""
    assert (await admit(request_for("DELETE", old=page()), defaulter_handler(Page, Defaults()))).allowed


async def test_a_validator_warns() -> None:
    """What it returns reaches the user."""
    response = await admit(request_for("CREATE", page(text="hi")), validator_handler(Page, Checks()))
    assert response.allowed
    assert response.warnings == ("pages are new",)


async def test_mistakes_are_told_field_by_field() -> None:
    """Code, reason, message and causes are those of the API server's own validation."""
    response = await admit(request_for("CREATE", page(replicas=9)), validator_handler(Page, Checks()))
    assert not response.allowed
    assert response.status == {
        "status": "Failure",
        "code": 422,
        "reason": "Invalid",
        "message": 'Page.pages.konverge.dev "home" is invalid: [spec.replicas: Invalid value: 9: must be 5 or less, '
        "spec.text: Required value]",
        "details": {
            "name": "home",
            "group": "pages.konverge.dev",
            "kind": "Page",
            "causes": [
                {
                    "reason": "FieldValueInvalid",
                    "message": "Invalid value: 9: must be 5 or less",
                    "field": "spec.replicas",
                },
                {"reason": "FieldValueRequired", "message": "Required value", "field": "spec.text"},
            ],
        },
    }


async def test_a_plain_handler_runs_in_a_thread_and_knows_who_asks() -> None:
    """Denied is code 403 with the handler's words."""
    request = request_for("UPDATE", page(theme="dark"), old=page(theme="plain"), user="jo")
    response = await admit(request, validator_handler(Page, Checks()))
    assert response.status == {
        "status": "Failure",
        "code": 403,
        "reason": "Forbidden",
        "message": "jo may not change the theme",
    }


async def test_a_handler_that_breaks_is_an_answer(caplog: pytest.LogCaptureFixture) -> None:
    """It is refused with 500, counted, and the log names the object."""
    panics: list[None] = []
    request = request_for("DELETE", old=page())
    response = await admit(request, validator_handler(Page, Checks()), panicked=lambda: panics.append(None))
    assert response.status["code"] == 500
    assert response.status["message"] == "the webhook failed: ZeroDivisionError: home"
    assert len(panics) == 1
    (record,) = caplog.records
    assert record.fields["request"] == 'DELETE pages.konverge.dev/v1 Page "shop/home"'  # type: ignore[attr-defined]  # our log's


async def test_nothing_of_a_secret_is_shown(caplog: pytest.LogCaptureFixture) -> None:
    """An error that quotes a Secret reaches neither the user nor the log."""

    class Broken:
        async def validate_create(self, secret: core_v1.Secret) -> None:
            raise ValueError(secret.data)

    secret = core_v1.Secret(metadata=kv.ObjectMeta(name="s", namespace="shop"), data={"key": b"hunter2"})
    request = request_for("CREATE", secret)
    response = await admit(request, validator_handler(core_v1.Secret, Broken()))
    assert response.status["message"] == "the webhook failed: ValueError"
    assert "hunter2" not in caplog.text
    assert "aHVudGVyMg" not in f"{caplog.text}{request!r}"


@pytest.mark.virtual_time
async def test_a_slow_handler_is_ended_by_the_timeout_of_the_request() -> None:
    """The API server gets an answer when it stops waiting, and the handler is cancelled."""

    class Slow:
        async def default(self, _page: Page) -> None:
            await asyncio.sleep(3600)

    began = asyncio.get_running_loop().time()
    response = await admit(request_for("CREATE", page()), defaulter_handler(Page, Slow()), timeout=2.0)
    assert response.status["code"] == 504
    assert asyncio.get_running_loop().time() - began == pytest.approx(2.0)


async def test_a_timeout_of_the_handlers_own_is_a_failure_like_any_other() -> None:
    """Only the end of the request's time is a timeout to the API server."""

    class Impatient:
        async def default(self, _page: Page) -> None:
            raise TimeoutError

    response = await admit(request_for("CREATE", page()), defaulter_handler(Page, Impatient()), timeout=60.0)
    assert response.status["code"] == 500


async def test_errors_of_the_api_keep_their_code() -> None:
    """What a client raised in a handler is passed on as it is."""

    class Refusing:
        async def validate_create(self, _page: Page) -> None:
            raise Conflict("try again")

        async def validate_delete(self, _page: Page) -> None:
            call = Operation(verb="create", resource="pages", name="other")
            raise Invalid("no", causes=(Cause("FieldValueInvalid", "odd", "spec"),), operation=call)

    handler = validator_handler(Page, Refusing())
    assert (await admit(request_for("CREATE", page()), handler)).status["code"] == 409
    status = (await admit(request_for("DELETE", old=page()), handler)).status
    assert [cause["field"] for cause in status["details"]["causes"]] == ["spec"]
    assert "name" not in status["details"]  # it is about the object of that call
    assert (await admit(request_for("UPDATE", page(), old=page()), handler)).allowed  # it was not to be asked


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "request body is empty"),
        (b"\xff\xfe garbage", "the body is no AdmissionReview: "),
        (b"[" * 100_000, "the body is no AdmissionReview: "),
        (b"{}", "the body is no AdmissionReview of "),
        (b'{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v2","request":null}', "the body is no "),
    ],
)
async def test_garbage_is_refused_in_a_review(body: bytes, message: str) -> None:
    """Whatever comes, what goes out is an AdmissionReview with code 400."""
    review = msgspec.json.decode(await answer(body, defaulter_handler(Page, Defaults())))
    assert (review["kind"], review["apiVersion"]) == ("AdmissionReview", "admission.k8s.io/v1")
    assert review["response"]["status"]["code"] == 400
    assert review["response"]["status"]["message"].startswith(message)
    assert review["response"]["allowed"] is False


async def test_an_object_that_does_not_fit_its_class_is_the_users_mistake() -> None:
    """It is refused with 400, and is no panic."""
    handlers: list[AdmissionHandler] = [defaulter_handler(Page, Defaults()), validator_handler(Page, Checks())]
    for handler in handlers:
        review = msgspec.json.decode(await answer(question(wire(replicas="many")), handler))
        assert review["response"]["status"]["code"] == 400
        assert "replicas" in review["response"]["status"]["message"]


def test_a_validator_is_asked_what_it_has_methods_for() -> None:
    """One without any is refused when it is registered."""
    assert operations_of(Checks()) == ("CREATE", "UPDATE", "DELETE")
    with pytest.raises(RequestError, match="Defaults validates nothing"):
        operations_of(Defaults())


def test_outside_of_a_handler_there_is_no_request() -> None:
    """Asking for it says where it may be asked for."""
    with pytest.raises(RequestError, match="in a defaulter or validator"):
        current_request()


def test_questions_are_checked() -> None:
    """An UPDATE without the old object is a mistake of the test."""
    with pytest.raises(RequestError, match="UPDATE"):
        request_for("UPDATE", page())


def test_field_errors_speak_as_the_api_server_does() -> None:
    """Each sort has the text and the reason that apimachinery gives it; none at all raises nothing."""
    found = FieldErrors()
    found.raise_for(page())
    found.duplicate("spec.tags[1]", "a")
    found.not_supported("spec.theme", "loud", ["plain", "dark"])
    found.forbidden("spec.text", "it cannot change")
    assert len(found) == 3
    with pytest.raises(Invalid) as caught:
        found.raise_for(page())
    assert [cause.message for cause in caught.value.causes] == [
        'Duplicate value: "a"',
        'Unsupported value: "loud": supported values: "plain", "dark"',
        "Forbidden: it cannot change",
    ]
