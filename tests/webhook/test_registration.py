from __future__ import annotations

import pytest

import konverge as kv
from konverge.api.kind import GroupVersionKind
from konverge.errors import ConfigError, RequestError
from konverge.models import core_v1
from konverge.webhook import MatchCondition, WebhookService, WebhookServing, configurations, conversion_config
from konverge.webhook.registration import (
    WebhookChanges,
    WebhookOptions,
    mutate_path,
    options_of,
    register,
    validate_path,
    webhook_options,
)

SERVICE = WebhookService(namespace="shop", name="webhooks")


@webhook_options(
    failure_policy="Ignore",
    timeout_seconds=3,
    match_conditions=(MatchCondition("not-nodes", '!("system:nodes" in request.userInfo.groups)'),),
    object_selector={"matchLabels": {"checked": "yes"}},
)
class Checks:
    """A validator whose class says how it is treated."""


def test_paths_are_those_of_controller_runtime() -> None:
    """Dots become dashes; the core group is empty."""
    assert mutate_path(GroupVersionKind("view.konverge.dev", "v1", "MarkdownView")) == (
        "/mutate-view-konverge-dev-v1-markdownview"
    )
    assert validate_path(GroupVersionKind("", "v1", "Pod")) == "/validate--v1-pod"


def test_registrations_become_configurations() -> None:
    """One object for the mutating ones and one for the validating ones, with all that was said of them."""
    found = [
        register(core_v1.Pod, mutating=True, operations=("CREATE", "UPDATE"), options=WebhookOptions()),
        register(core_v1.Pod, mutating=False, operations=("DELETE",), options=options_of(Checks(), {})),
    ]
    mutating, validating = configurations(found, name="shop", target=SERVICE, ca_bundle=b"PEM")
    assert mutating == {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": "shop-mutating-webhook-configuration"},
        "webhooks": [
            {
                "name": "mpod-v1.core.konverge.dev",
                "admissionReviewVersions": ["v1"],
                "clientConfig": {
                    "service": {"namespace": "shop", "name": "webhooks", "port": 443, "path": "/mutate--v1-pod"},
                    "caBundle": "UEVN",
                },
                "failurePolicy": "Fail",
                "matchPolicy": "Equivalent",
                "rules": [
                    {
                        "apiGroups": [""],
                        "apiVersions": ["v1"],
                        "operations": ["CREATE", "UPDATE"],
                        "resources": ["pods"],
                    }
                ],
                "sideEffects": "None",
                "timeoutSeconds": 10,
                "reinvocationPolicy": "Never",
            }
        ],
    }
    (hook,) = validating["webhooks"]
    assert validating["kind"] == "ValidatingWebhookConfiguration"
    assert (hook["failurePolicy"], hook["timeoutSeconds"]) == ("Ignore", 3)
    assert hook["matchConditions"] == [
        {"name": "not-nodes", "expression": '!("system:nodes" in request.userInfo.groups)'}
    ]
    assert hook["objectSelector"] == {"matchLabels": {"checked": "yes"}}
    assert "reinvocationPolicy" not in hook


def test_a_url_takes_the_place_of_a_service() -> None:
    """It is the URL plus the path; without registrations there are no configurations."""
    found = register(core_v1.Pod, mutating=False, operations=("DELETE",), options=WebhookOptions())
    (only,) = configurations([found], name="x", target="https://127.0.0.1:9443/")
    assert only["webhooks"][0]["clientConfig"] == {"url": "https://127.0.0.1:9443/validate--v1-pod"}
    assert configurations([], name="x", target=SERVICE) == []
    assert conversion_config(SERVICE)["webhook"]["clientConfig"]["service"]["path"] == "/convert"


def test_options_given_to_the_builder_win() -> None:
    """Over those on the class; an unknown one, or a timeout out of bounds, is an error at once."""
    options = options_of(Checks(), {"failure_policy": "Fail", "operations": ("CREATE",), "subresources": ("status",)})
    assert (options.failure_policy, options.timeout_seconds) == ("Fail", 3)
    found = register(core_v1.Pod, mutating=False, operations=("DELETE",), options=options)
    (only,) = configurations([found], name="x", target=SERVICE)
    (rule,) = only["webhooks"][0]["rules"]
    assert (rule["operations"], rule["resources"]) == (["CREATE"], ["pods", "pods/status"])
    with pytest.raises(RequestError, match="failurepolicy is no option of a webhook"):
        webhook_options(failurepolicy="Fail")  # type: ignore[call-arg]  # the mistake under test
    with pytest.raises(RequestError, match="1 to 30 seconds"):
        webhook_options(timeout_seconds=31)


def test_a_kind_whose_plural_is_not_known_is_refused() -> None:
    """The rules need it."""
    with pytest.raises(RequestError, match="needs a class of that kind"):
        register(kv.unstructured("a.b.dev/v1", "C"), mutating=True, operations=(), options=WebhookOptions())


def test_a_certificate_carries_the_names_of_the_target() -> None:
    """A Service's, a URL's host, or this machine's own."""
    assert WebhookServing(target=SERVICE).names() == ("webhooks.shop.svc", "webhooks.shop.svc.cluster.local")
    assert WebhookServing(target="https://[::1]:0").names() == ("::1",)
    assert WebhookServing(target="https://[::1]:0").target_at(77) == "https://[::1]:77"
    assert WebhookServing(target="https://dev.example.com").target_at(77) == "https://dev.example.com"
    assert "localhost" in WebhookServing().names()


def test_servings_that_cannot_work_are_refused() -> None:
    """Plain HTTP, and configurations without a target."""
    with pytest.raises(ConfigError, match="https only"):
        WebhookServing(target="http://127.0.0.1:9443")
    with pytest.raises(ConfigError, match="needs a target"):
        WebhookServing(configurations="apply")


def test_type_checkers_know_every_option() -> None:
    """The keywords are those of the value."""
    assert tuple(WebhookChanges.__annotations__) == WebhookOptions.__struct_fields__
