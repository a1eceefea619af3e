"""In which form an answer is wanted: the Accept header, read as the real server reads it.

With one exception: who prefers protobuf and takes JSON as well gets whole objects as JSON, as they are stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from konverge.cluster.apiserver.exchange import JSON, Request
from konverge.cluster.apiserver.failure import Failure, not_acceptable

YAML: Final = "application/yaml"
PROTOBUF: Final = "application/vnd.kubernetes.protobuf"
WRITTEN: Final = (JSON, YAML, PROTOBUF)
STREAMS: Final = (f"{JSON};stream=watch", f"{PROTOBUF};stream=watch")
_META_VERSIONS: Final = {"v1", "v1beta1"}
_METADATA: Final = {"PartialObjectMetadata", "PartialObjectMetadataList"}
# A cell of a table may be anything, which has no message.
_TRANSFORMS: Final = {JSON: {"Table", *_METADATA}, YAML: {"Table", *_METADATA}, PROTOBUF: _METADATA}
_CONVERTING: Final = ("as", "g", "v", "sv")  # parameters of a clause that ask for something else than what there is
_HUMAN_CLIENTS: Final = ("curl", "Wget", "Mozilla/5.0")
_TRUE: Final = {"1", "t", "T", "TRUE", "true", "True"}


@dataclass(frozen=True, slots=True)
class Form:
    """How an answer is written."""

    media_type: str = JSON  # JSON, YAML or PROTOBUF
    transform: str = ""  # "", Table, PartialObjectMetadata, PartialObjectMetadataList
    version: str = ""  # of meta.k8s.io, where there is a transform
    is_pretty: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether an object's own JSON is the answer as it stands."""
        return self.media_type == JSON and not self.transform and not self.is_pretty


@dataclass(frozen=True, slots=True)
class Clause:
    """One of the forms that a client accepts."""

    media_type: str
    quality: float
    parameters: dict[str, str] = field(default_factory=dict)

    @property
    def is_pretty(self) -> bool:
        """Whether it asks for lines."""
        return self.parameters.get("pretty") == "1"


def negotiate(request: Request, *, is_custom: bool = False, has_table: bool = True) -> Form:
    """Return the form of an answer about a resource; raise a 406 where no clause can be met.

    `has_table`: it can be shown as a table.
    """
    accept = request.header("accept")
    form = _chosen(accept, has_table=has_table, is_custom=is_custom)
    if form is None:
        raise none_accepted()
    if not form.is_pretty and is_pretty(request):
        return Form(form.media_type, form.transform, form.version, is_pretty=True)
    return form


def none_accepted(written: tuple[str, ...] = WRITTEN) -> Failure:
    """Return the 406 of a client that takes none of the forms that there are."""
    return not_acceptable(f"only the following media types are accepted: {', '.join(written)}")


def check_route(request: Request, written: tuple[str, ...] = WRITTEN) -> None:
    """Raise a 406 where a route does not let a request in: it looks at the names of media types, and first."""
    accept = request.header("accept")
    if accept and not _names_one(accept, written):
        text = f"406: Not Acceptable\n\nAvailable representations: {', '.join(written)}"
        raise Failure(406, "NotAcceptable", text, details={})


@lru_cache(maxsize=256)
def _names_one(accept: str, written: tuple[str, ...]) -> bool:
    return any(part.partition(";")[0].strip(" ") in ("*/*", *written) for part in accept.split(","))


def refusal_form(request: Request) -> Form:
    """Return the form of a Status that says no: what was asked for, or JSON for human eyes where that cannot be."""
    return plain_form(request) or Form(is_pretty=True)


def plain_form(request: Request) -> Form | None:
    """Return the form of what is written in one way alone: it has no transforms, and no versions of the server."""
    form = _plain(request.header("accept"))
    if form is None or form.is_pretty or not is_pretty(request):
        return form
    return Form(form.media_type, is_pretty=True)


@lru_cache(maxsize=256)
def _plain(accept: str) -> Form | None:
    if not accept:
        return Form()
    asked = [clause for clause in clauses(accept) if not any(clause.parameters.get(name) for name in _CONVERTING)]
    return preferred(
        [Form(written, is_pretty=clause.is_pretty) for clause in asked for written in WRITTEN if meets(clause, written)]
    )


def check_stream(form: Form) -> None:
    """Raise a 406 where a form has no stream: YAML."""
    if form.media_type == YAML:
        raise none_accepted(STREAMS)


def stream_type(form: Form) -> str:
    """Return what a stream says it is."""
    return form.media_type if form.media_type == JSON else f"{form.media_type};stream=watch"


def is_pretty(request: Request) -> bool:
    """Whether the answer is for human eyes: asked for, or asked by a browser or by curl."""
    asked = request.parameter("pretty")
    if asked:
        return asked in _TRUE
    return request.header("user-agent").startswith(_HUMAN_CLIENTS)


@lru_cache(maxsize=256)
def _chosen(accept: str, *, has_table: bool = True, is_custom: bool = False) -> Form | None:
    """Return the form that a header asks for; clients send few different ones, over and over."""
    if not accept:
        return Form()
    found = [form for clause in clauses(accept) for written in WRITTEN if (form := _form(clause, written)) is not None]
    if not has_table:
        found = [form for form in found if form.transform != "Table"]
    if is_custom:  # of a custom resource there is no message but that of its metadata
        found = [form for form in found if form.media_type != PROTOBUF or form.transform]
    return preferred(found)


def preferred(forms: Sequence[Form]) -> Form | None:
    """Return the first of the forms that a client takes, or JSON where that is protobuf and the object as it is stored.

    Metadata alone is made for each answer. There it matters: Go's metadata client keeps of JSON what it is an item of.
    """
    first = next(iter(forms), None)
    if first is None or first.media_type != PROTOBUF or first.transform:
        return first
    return next((form for form in forms if form.media_type == JSON and not form.transform), first)


def meets(clause: Clause, written: str) -> bool:
    """Whether a media type is one that a clause means; YAML has no streams, and all others that of a watch."""
    kind, _, _ = written.partition("/")
    stream = clause.parameters.get("stream")
    if stream and (stream != "watch" or written == YAML):
        return False
    return clause.media_type in {written, f"{kind}/*", "*/*"}


def _form(clause: Clause, written: str) -> Form | None:
    if not meets(clause, written):
        return None
    wanted = clause.parameters
    if wanted.get("sv", "v1") not in {"", "v1"}:
        return None
    if not wanted.keys() & {"as", "g", "v"}:
        return Form(written, is_pretty=clause.is_pretty)
    transform, version = wanted.get("as", ""), wanted.get("v", "")
    if wanted.get("g") != "meta.k8s.io" or version not in _META_VERSIONS or transform not in _TRANSFORMS[written]:
        return None
    return Form(written, transform, version, clause.is_pretty)


def clauses(accept: str) -> list[Clause]:
    """Return what a header accepts, the preferred first."""
    found = [clause for part in accept.split(",") if (clause := _clause(part.strip(" "))) is not None]
    return sorted(found, key=lambda clause: (-clause.quality, clause.media_type.count("*")))


def _clause(text: str) -> Clause | None:
    media_type, *parameters = text.split(";")
    kind, slash, subtype = media_type.partition("/")
    kind, subtype = kind.strip(" "), subtype.strip(" ")
    if not subtype:
        if kind != "*":
            return None
        subtype = "*"
    if "/" in subtype or (slash and not subtype):
        return None
    pairs = dict(pair for parameter in parameters if (pair := _parameter(parameter)) is not None)
    quality = _quality(pairs.pop("q", "1"))
    return Clause(f"{kind}/{subtype}", quality, pairs)


def _parameter(text: str) -> tuple[str, str] | None:
    name, _, value = text.partition("=")
    if not value or "=" in value:
        return None
    return name.strip(" "), value.strip(" ")


def _quality(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
