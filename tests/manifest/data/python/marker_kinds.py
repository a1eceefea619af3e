"""The types of ../go, written with konverge: `test_controller_gen.py` compares what becomes of both."""

from __future__ import annotations

import enum
from datetime import datetime
from typing import Annotated, Any, Literal

import konverge as kv
from konverge.api.meta import LabelSelector
from konverge.api.time import MicroTime

GROUP = "markers.konverge.dev"

# --- numbers ---

Port = Annotated[int, kv.Doc("Port is a number that both ends of a connection know."), kv.Minimum(1), kv.Maximum(65535)]


class NumbersSpec(kv.Spec):
    """NumbersSpec has a bound of each kind."""

    least: Annotated[int, kv.Minimum(1)] = 1
    """At least one."""
    most: Annotated[int, kv.Maximum(10)] | None = None
    share: Annotated[float, kv.Minimum(0, exclusive=True), kv.Maximum(1, exclusive=True)] | None = None
    half: Annotated[float, kv.Minimum(0.5)] | None = None
    fives: Annotated[int, kv.MultipleOf(5)] | None = None
    small: kv.Int32 | None = None
    large: kv.Int64 | None = None
    unprivileged: Annotated[Port, kv.Minimum(1024)] | None = None
    any: Port | None = None
    dice: list[Annotated[int, kv.Minimum(1), kv.Maximum(6), kv.MultipleOf(1)]] | None = None
    shares: list[Annotated[float, kv.Minimum(0, exclusive=True), kv.Maximum(1, exclusive=True)]] | None = None
    declared: Annotated[int, kv.Minimum(2), kv.Maximum(8)] | None = None


@kv.resource(group=GROUP, version="v1")
class Numbers(kv.CustomResource[NumbersSpec, None]):
    """Numbers shows the markers of numbers."""


# --- strings ---

Name = Annotated[
    str,
    kv.Doc("Name is the name of a thing."),
    kv.MinLength(1),
    kv.MaxLength(63),
    kv.Pattern("^[a-z]([-a-z0-9]*[a-z0-9])?$"),
]


class TextsSpec(kv.Spec):
    """TextsSpec has a marker of each kind for strings."""

    bounded: Annotated[str, kv.MinLength(1), kv.MaxLength(253)]
    matched: Annotated[str, kv.Pattern("^[a-z]+(: [a-z]+)?$")] | None = None
    mail: Annotated[str, kv.Format("email")] | None = None
    owner: (
        Annotated[
            Name,
            kv.Doc(
                "The name of its owner, which is a longer text so that it does not fit into one line of characters."
            ),
        ]
        | None
    ) = None
    thing: Name | None = None
    tags: list[Annotated[str, kv.MinLength(1), kv.MaxLength(9), kv.Pattern("^x"), kv.Format("hostname")]] | None = None
    blob: bytes | None = None
    documented: (
        Annotated[
            str,
            kv.Title("The Title"),
            kv.Example("an example: with a colon"),
            kv.ExternalDocs("https://konverge.dev/docs", "More to read"),
        ]
        | None
    ) = None
    long: str | None = None
    """First line of a text.
    Its second line.

    A new paragraph, with `code`, "quotes" and a # sign.
    """
    overridden: Annotated[Any, kv.Schemaless(), kv.Type("string"), kv.Format("date-time")] = None


@kv.schema(kv.Title("All of Texts"), kv.ExternalDocs("https://konverge.dev"))
@kv.resource(group=GROUP, version="v1")
class Texts(kv.CustomResource[TextsSpec, None]):
    """Texts shows the markers of strings."""


# --- lists, maps and structs ---


class Endpoint(kv.Model):
    """Endpoint is an item with keys."""

    name: str
    protocol: str = "TCP"
    port: int | None = None


@kv.schema(kv.MapAtomic(), kv.MinProperties(1), kv.MaxProperties(2))
class Credentials(kv.Model):
    """Credentials are one whole."""

    user: str | None = None
    password: str | None = None


class ListsSpec(kv.Spec):
    """ListsSpec has lists and maps of each kind."""

    whole: Annotated[list[str], kv.MinItems(1), kv.MaxItems(5), kv.ListAtomic()]
    distinct: Annotated[list[str] | None, kv.ListSet()] = None
    endpoints: Annotated[list[Endpoint] | None, kv.ListMap("name", "protocol")] = None
    declared: Annotated[list[Endpoint] | None, kv.ListMap("name"), kv.MaxItems(3)] = None
    nested: list[Annotated[list[int], kv.MinItems(1), kv.MaxItems(2)]] | None = None
    maps: list[Annotated[dict[str, str], kv.MinProperties(1), kv.MaxProperties(2)]] | None = None
    config: Annotated[dict[str, str] | None, kv.MinProperties(1), kv.MaxProperties(9), kv.MapAtomic()] = None
    labels: Annotated[dict[str, str] | None, kv.MapGranular()] = None
    ports: dict[str, int] | None = None
    endpoint: Annotated[Endpoint | None, kv.MapGranular()] = None
    credentials: Credentials | None = None


@kv.resource(group=GROUP, version="v1")
class Lists(kv.CustomResource[ListsSpec, None]):
    """Lists shows the markers of lists, maps and structs."""


# --- choices and rules ---


class Policy(enum.StrEnum):
    """Policy says what happens to the rest."""

    KEEP = "Keep"
    DELETE = "Delete"


class Level(enum.Enum):
    """Level is one of a few."""

    HIGH = "High"
    LOW = "Low"


@kv.schema(
    kv.ExactlyOneOf("config_map", "secret_ref"),
    kv.AtMostOneOf("url", "secret_ref"),
    kv.AtLeastOneOf("url", "configMap", "secretRef"),
)
class Source(kv.Model):
    """Source is one of three."""

    config_map: str | None = None
    secret_ref: str | None = None
    url: str | None = None


@kv.schema(
    kv.Rule(
        "self.policy != 'Delete' || has(self.reason)",
        message="a deletion needs a reason",
        reason="FieldValueRequired",
        field_path=".reason",
    ),
    kv.Rule("size(self.policy) < 99", message_expression="'too long: ' + self.policy"),
)
class ChoicesSpec(kv.Spec):
    """ChoicesSpec has choices and rules of each kind."""

    policy: Policy = Policy.KEEP
    level: Level | None = None
    lanes: Literal[1, 2, 4] | None = None
    reason: str | None = None
    side: Annotated[str | None, kv.Choices("north", "south")] = None
    letters: list[Literal["a", "b"]] | None = None
    fixed: Annotated[str, kv.Rule("self == oldSelf", message="it cannot be changed")]
    growing: Annotated[
        int | None, kv.Rule("!oldSelf.hasValue() || oldSelf.value() <= self", optional_old_self=True)
    ] = None
    checked: Annotated[list[Annotated[str, kv.MaxLength(10), kv.Rule("self != 'x'")]] | None, kv.MaxItems(3)] = None
    region: Annotated[str | None, kv.Immutable()] = None
    zone: Annotated[str, kv.Immutable()]
    source: Source | None = None


@kv.resource(group=GROUP, version="v1", rules=[kv.Rule("self.metadata.name != 'root'", message="not root")])
class Choices(kv.CustomResource[ChoicesSpec, None]):
    """Choices shows enums, rules and one-ofs."""


# --- required, optional, defaults ---


class Limits(kv.Model):
    """Limits has defaults of its own."""

    retries: int = 3


class PresenceSpec(kv.Spec):
    """PresenceSpec has required, optional, defaulted and nullable fields."""

    required: str
    wanted: kv.Required[str] = kv.field(default=None)
    filled: Annotated[str, kv.MinLength(1)]
    optional: str | None = None
    unwanted: str | None = None
    left: str | None = None
    nullable: Annotated[str | None, kv.Nullable()] = None
    text: str = "yes: no"
    quoted: str = "true"
    flag: bool = True
    ports: list[int] = kv.field(default_factory=lambda: [80, 443])
    labels: dict[str, str] = kv.field(default_factory=lambda: {"team": "a"})
    limits: Limits = kv.field(default_factory=Limits)


@kv.resource(group=GROUP, version="v1")
class Presence(kv.CustomResource[PresenceSpec, None]):
    """Presence shows what must be there."""


# --- types with a form of their own ---


class Template(kv.Model):
    """Template is what objects are made from."""

    metadata: kv.ObjectMeta | None = None
    image: str | None = None


@kv.schema(kv.PreserveUnknownFields())
class Open(kv.Model):
    """Open keeps what it does not know."""

    known: str | None = None


class ShapesSpec(kv.Spec):
    """ShapesSpec has the types that are more than scalars."""

    either: kv.IntOrString | None = None
    percent: Annotated[kv.IntOrString | None, kv.Pattern(r"^(\d+|\d+%)$")] = None
    memory: kv.QuantityText | None = None
    amounts: dict[str, kv.QuantityText] | None = None
    interval: kv.DurationText | None = None
    when: datetime | None = None
    exactly: MicroTime | None = None
    raw: dict | None = None  # type: ignore[type-arg]  # of any shape
    json: Any = None
    values: dict[str, Any] | None = None
    object: kv.Unstructured | None = None
    resource: Annotated[dict | None, kv.EmbeddedResource()] = None  # type: ignore[type-arg]  # of any kind
    kept: Annotated[Template | None, kv.PreserveUnknownFields()] = None
    schemaless: Annotated[Template | None, kv.Schemaless(), kv.PreserveUnknownFields(), kv.Type("object")] = None
    template: Template | None = None
    open: Open | None = None
    selector: LabelSelector | None = None
    steps: list[kv.IntOrString] | None = None
    objects: list[kv.Unstructured] | None = None
    words: list[Annotated[Any, kv.Schemaless(), kv.Type("string")]] | None = None


class ShapesStatus(kv.Status):
    """ShapesStatus has conditions."""

    conditions: Annotated[list[kv.Condition] | None, kv.ListMap("type")] = None


@kv.resource(group=GROUP, version="v1", status=True)
class Shapes(kv.CustomResource[ShapesSpec, ShapesStatus]):
    """Shapes shows the types that have a form of their own."""


# --- the kind itself, in three versions ---


class WidgetSpec(kv.Spec):
    """WidgetSpec is what is wanted."""

    replicas: kv.Int32 = 1
    color: str | None = None


class WidgetStatus(kv.Status):
    """WidgetStatus is what is there."""

    replicas: kv.Int32 | None = None
    selector: str | None = None
    since: datetime | None = None


@kv.resource(
    group=GROUP,
    version="v1",
    plural="widgetry",
    singular="widgetone",
    scope="Cluster",
    short_names=["wd", "wdg"],
    categories=["all", "shop"],
    columns=[
        kv.Column("Replicas", ".spec.replicas", format="int32", description="How many: wanted"),
        kv.Column("Color", ".spec.color", priority=1),
        kv.Column("Since", ".status.since"),
        kv.Column("Age", ".metadata.creationTimestamp"),
    ],
    scale=kv.Scale(label_selector=".status.selector"),
    selectable_fields=[".spec.color", ".spec.replicas"],
    labels={"part": "shop"},
    annotations={"example.com/note": "a: b"},
    storage=True,
)
class Widget(kv.CustomResource[WidgetSpec, WidgetStatus]):
    """Widget shows the markers of a kind."""


class OldWidgetSpec(kv.Spec):
    """WidgetSpec is what is wanted."""

    color: str | None = None


@kv.resource(
    group=GROUP,
    version="v1beta1",
    kind="Widget",
    plural="widgetry",
    singular="widgetone",
    scope="Cluster",
    short_names=["wd", "wdg"],
    categories=["all", "shop"],
    deprecated="use markers.konverge.dev/v1",
)
class WidgetBeta(kv.CustomResource[OldWidgetSpec, None]):
    """Widget is an older version."""


@kv.resource(
    group=GROUP,
    version="v1alpha1",
    kind="Widget",
    plural="widgetry",
    singular="widgetone",
    scope="Cluster",
    short_names=["wd", "wdg"],
    categories=["all", "shop"],
    served=False,
    deprecated=True,
)
class WidgetAlpha(kv.CustomResource[OldWidgetSpec, None]):
    """Widget is the oldest version."""


CRDS: tuple[tuple[type[kv.Object], ...], ...] = (
    (Numbers,),
    (Texts,),
    (Lists,),
    (Choices,),
    (Presence,),
    (Shapes,),
    (Widget, WidgetBeta, WidgetAlpha),
)
"""The classes of each CRD."""
