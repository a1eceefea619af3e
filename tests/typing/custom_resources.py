"""What a type checker knows of a custom resource; read by mypy alone, never run."""

from __future__ import annotations

from typing import Annotated, Literal, assert_type

import konverge as kv


class ViewSpec(kv.Spec):
    """What is wanted."""

    markdowns: dict[str, str]
    replicas: Annotated[int, kv.Minimum(1)] = 1
    share: kv.IntOrString | None = None


class ViewStatus(kv.Status):
    """What is there."""

    phase: Literal["Ready"] | None = None


@kv.resource(group="view.konverge.dev", version="v1", columns=[kv.Column("Replicas", ".spec.replicas")])
class View(kv.CustomResource[ViewSpec, ViewStatus]):
    """A view."""


@kv.resource(group="view.konverge.dev", version="v1")
class Bare(kv.CustomResource[ViewSpec, None]):
    """A view without a status."""


async def use(client: kv.Client) -> None:
    """Read one and look at it."""
    view = await client.get(View, "a")
    assert_type(view, View)
    assert_type(view.spec, ViewSpec)
    assert_type(view.spec.replicas, int)
    assert_type(view.spec.share, int | str | None)
    assert_type(view.status.phase, Literal["Ready"] | None)
    View(spec=ViewSpec(markdowns={}))
    View(spec=ViewSpec())  # type: ignore[call-arg]  # markdowns is required
    View(spec=ViewStatus())  # type: ignore[arg-type]
    assert_type(Bare().status, None)
    kv.resource(group="a.b", version="v1", scope="Nowhere")  # type: ignore[arg-type]
    kv.Rule("true", reason="Because")  # type: ignore[arg-type]
