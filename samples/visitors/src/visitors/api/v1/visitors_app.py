"""VisitorsApp v1: a site that counts its visitors, made of a database, a backend and a frontend."""

from typing import Annotated, Literal

import konverge as kv

Step = Literal["Waiting", "Database", "Backend", "Frontend", "Ready"]


class VisitorsAppSpec(kv.Spec):
    """What a user asks for."""

    title: Annotated[str, kv.MinLength(1), kv.Doc("What stands on top of the page.")] = "Visitors"
    size: Annotated[int, kv.Minimum(0), kv.Doc("How many backends there are.")] = 1
    backend_image: Annotated[str, kv.MinLength(1), kv.Doc("The image of the backends.")] = "visitors-service:1"
    frontend_image: Annotated[str, kv.MinLength(1), kv.Doc("The image of the frontend.")] = "visitors-webui:1"


class VisitorsAppStatus(kv.Status):
    """What the operator found."""

    step: Annotated[Step | None, kv.Doc("What is being waited for; Ready, if nothing is.")] = None
    ready_backends: Annotated[int | None, kv.Doc("How many backends answer.")] = None
    backend_image: Annotated[str | None, kv.Doc("What the backends run.")] = None
    frontend_image: Annotated[str | None, kv.Doc("What the frontend runs.")] = None


@kv.resource(
    group="visitors.example.com",
    version="v1",
    storage=True,
    rules=[
        kv.Rule(
            "oldSelf.hasValue() || self.metadata.name.matches('^[a-z][-a-z0-9]{0,53}$')",
            optional_old_self=True,  # a new app is looked at, and none that was there before the rule was
            message="the name must begin with a letter and have at most 54 characters and no dot: Services are named after it",
        )
    ],
    columns=[
        kv.Column("Size", ".spec.size"),
        kv.Column("Backends", ".status.readyBackends"),
        kv.Column("Step", ".status.step"),
    ],
)
class VisitorsApp(kv.CustomResource[VisitorsAppSpec, VisitorsAppStatus]):
    """A site that counts its visitors."""
