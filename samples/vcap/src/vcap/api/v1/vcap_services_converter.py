"""VcapServicesConverter v1: how the credentials of a service are to look for programs that come from Cloud Foundry."""

from typing import Annotated

import konverge as kv


class VcapServicesConverterSpec(kv.Spec):
    """What a user asks for; the credentials are in the Secret of the same name."""

    label: Annotated[str, kv.MinLength(1), kv.Doc("What sort of service it is: the name it has in VCAP_SERVICES.")]
    plan: Annotated[str | None, kv.Doc("The plan of the service.")] = None
    tags: Annotated[list[str] | None, kv.ListSet(), kv.Doc("The words that programs look for it by.")] = None


class VcapServicesConverterStatus(kv.Status):
    """What the operator found."""

    conditions: Annotated[list[kv.Condition] | None, kv.ListMap("type")] = None


@kv.resource(
    group="vcap.example.com",
    version="v1",
    storage=True,
    columns=[
        kv.Column("Label", ".spec.label"),
        kv.Column("Ready", '.status.conditions[?(@.type=="Ready")].status', type="string"),
    ],
)
class VcapServicesConverter(kv.CustomResource[VcapServicesConverterSpec, VcapServicesConverterStatus]):
    """Makes a VCAP_SERVICES of the credentials in a Secret."""
