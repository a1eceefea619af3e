"""MyResource v1: an image, and the memory that it needs."""

from typing import Annotated, Literal

import konverge as kv

State = Literal["Building", "Ready"]


class MyResourceSpec(kv.Spec):
    """What a user asks for."""

    image: Annotated[str, kv.MinLength(1), kv.Doc("The image to run.")]
    memory: Annotated[kv.QuantityText, kv.Doc("The memory that it asks for, such as 512Mi or 1Gi.")]


class MyResourceStatus(kv.Status):
    """What the operator found."""

    state: Annotated[State | None, kv.Doc("Ready once the Deployment is rolled out.")] = None


@kv.resource(
    group="myresource.example.com",
    version="v1",
    storage=True,
    rules=[
        kv.Rule(
            "oldSelf.hasValue() || self.metadata.name.size() <= 63",
            optional_old_self=True,  # a new one is looked at, and none that was there before the rule was
            message="the name must have at most 63 characters: it is a label of the Deployment",
        )
    ],
    columns=[
        kv.Column("Image", ".spec.image"),
        kv.Column("Memory", ".spec.memory", type="string"),
        kv.Column("State", ".status.state"),
    ],
)
class MyResource(kv.CustomResource[MyResourceSpec, MyResourceStatus]):
    """An image that runs with the memory it needs."""
