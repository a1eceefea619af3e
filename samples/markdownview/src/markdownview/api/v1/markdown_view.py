"""MarkdownView v1: its spec, its status and its CustomResourceDefinition."""

from typing import Annotated, Literal

import konverge as kv

State = Literal["NotReady", "Available", "Healthy"]


class MarkdownViewSpec(kv.Spec):
    """What is to be shown, and by how many servers."""

    markdowns: Annotated[dict[str, str], kv.MinProperties(1), kv.Doc("The files by their names, such as README.md.")]
    replicas: Annotated[kv.Int32, kv.Minimum(1), kv.Doc("How many servers there are.")] = 1
    viewer_image: Annotated[str | None, kv.Doc("What serves them; the operator fills in its own if there is none.")] = (
        None
    )


class MarkdownViewStatus(kv.Status):
    """What the operator found."""

    state: Annotated[State | None, kv.Doc("NotReady, Available (at least one server answers) or Healthy (all do).")] = (
        None
    )
    conditions: Annotated[list[kv.Condition] | None, kv.ListMap("type")] = None


@kv.resource(
    group="view.konverge.dev",
    version="v1",
    storage=True,
    columns=[
        kv.Column("Replicas", ".spec.replicas"),
        kv.Column("Status", ".status.state"),
    ],
)
class MarkdownView(kv.CustomResource[MarkdownViewSpec, MarkdownViewStatus]):
    """A set of Markdown files, and the servers that show them as web pages."""
