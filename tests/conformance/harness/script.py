"""Script: the requests of one case, written once and played on any server.

    @case("an update with an old version")
    def _(s: Script) -> None:
        made = s.post(f"{CONFIG_MAPS}", config_map("a"))
        s.put(f"{CONFIG_MAPS}/a", config_map("a", metadata={"resourceVersion": made["metadata"]["resourceVersion"]}))

`{ns}` in a path or in any text of a body is the namespace of the case, `{hook}` the URL of its webhooks and `{ca}`
their authority. What a step answered can stand in later ones: `made["metadata"]["uid"]` is a reference that is looked
up when the script is played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

JSON: Final = "application/json"
CRDS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
PATCHES: Final = {
    "json": "application/json-patch+json",
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}


@dataclass(frozen=True, slots=True)
class Reference:
    """A value in the answer to an earlier step."""

    step: int
    path: tuple[str | int, ...] = ()
    header: str = ""  # in place of the body's value
    before: str = ""  # a text that stands before the value

    def __getitem__(self, key: str | int) -> Reference:
        return Reference(self.step, (*self.path, key))

    def of_header(self, name: str) -> Reference:
        """Return the answer's header of this name, in lower case."""
        return Reference(self.step, (name,), name)

    def after(self, text: str) -> Reference:
        """Return the value with a text before it."""
        return Reference(self.step, self.path, self.header, text)

    def __str__(self) -> str:
        return f"<{'.'.join(map(str, self.path))} of answer {self.step}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One request."""

    method: str
    path: str
    body: Any = None  # bytes as they are, everything else as JSON
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, Any] = field(default_factory=dict)  # a list is a header that stands there several times
    bare: bool = False  # without the administrator's certificate: as who the headers prove, or as nobody


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """A watch that is open while other steps happen."""

    path: str
    query: Mapping[str, Any]
    during: tuple[Step, ...]
    events: int | None  # read so many; None: until the server ends it, or until the last
    last: str = ""  # what the last event holds
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Until:
    """Ask again and again, and note nothing, until an answer has this status (and this text in it, or not in it)."""

    ask: Ask
    status: int = 200
    holding: str = ""
    lacking: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A CRD that several cases use: made by the first of them, and nothing is noted."""

    crd: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """A token with these claims and moments of the run, signed with the servers' own key; nothing is noted."""

    claims: Mapping[str, Any]
    moments: Mapping[str, int]  # claims that are so many seconds from now


@dataclass(frozen=True, slots=True)
class Reviews:
    """Note what webhooks were asked since the last time."""


Step = Ask | Watch | Until | Given | Sign | Reviews


@dataclass(slots=True)
class Script:
    """Collects steps."""

    steps: list[Step] = field(default_factory=list)
    _asked: list[int] = field(default_factory=lambda: [0])  # one for all nested scripts: answers are counted in order

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        headers: Mapping[str, Any] | None = None,
        bare: bool = False,
        **query: Any,
    ) -> Reference:
        """Ask anything; a query parameter whose name is a Python keyword gets an underscore (`continue_`)."""
        named = {name.removesuffix("_"): value for name, value in query.items()}
        self.steps.append(Ask(method=method, path=path, body=body, query=named, headers=headers or {}, bare=bare))
        return self._answered()

    def _answered(self) -> Reference:
        self._asked[0] += 1
        return Reference(self._asked[0] - 1)

    def sign(self, claims: Mapping[str, Any], **moments: int) -> Reference:
        """Return a token that no server would give out, signed as if it had."""
        self.steps.append(Sign(claims=claims, moments=moments))
        return self._answered()

    def get(self, path: str, **more: Any) -> Reference:
        """Read an object, a list, or anything else."""
        return self.ask("GET", path, **more)

    def post(self, path: str, body: Any, **more: Any) -> Reference:
        """Create an object."""
        return self.ask("POST", path, body, **more)

    def put(self, path: str, body: Any, **more: Any) -> Reference:
        """Replace an object."""
        return self.ask("PUT", path, body, **more)

    def patch(self, path: str, body: Any, *, kind: str = "merge", **more: Any) -> Reference:
        """Change an object by one of the four kinds of patches."""
        headers = {"Content-Type": PATCHES[kind], **(more.pop("headers", None) or {})}
        return self.ask("PATCH", path, body, headers=headers, **more)

    def apply(self, path: str, body: Any, *, manager: str = "tester", **more: Any) -> Reference:
        """Apply an object as a field manager."""
        return self.patch(path, body, kind="apply", fieldManager=manager, **more)

    def delete(self, path: str, body: Any = None, **more: Any) -> Reference:
        """Delete an object or a collection."""
        return self.ask("DELETE", path, body, **more)

    def until(self, path: str, *, status: int = 200, holding: str = "", lacking: str = "", **ask: Any) -> None:
        """Wait for what a server does in its own time, such as to serve a new kind; asked by GET if not told else."""
        asked = Ask(path=path, **{"method": "GET", **ask})
        self.steps.append(Until(ask=asked, status=status, holding=holding, lacking=lacking))

    def reviews(self) -> None:
        """Note what the webhooks of the case were asked since the last time."""
        self.steps.append(Reviews())

    def define(self, crd: Mapping[str, Any]) -> Reference:
        """Create a CRD and wait until its kind is served."""
        made = self.post(CRDS, crd)
        self._until_served(crd)
        return made

    def given(self, crd: Mapping[str, Any]) -> None:
        """See to it that a CRD which several cases share is there and served."""
        self.steps.append(Given(crd=crd))
        self._until_served(crd)

    def _until_served(self, crd: Mapping[str, Any]) -> None:
        spec = crd["spec"]
        for version in spec["versions"]:
            if version["served"]:
                self.until(f"/apis/{spec['group']}/{version['name']}/{spec['names']['plural']}")

    @contextmanager
    def watch(
        self, path: str, *, events: int | None, last: str = "", headers: Mapping[str, str] | None = None, **query: Any
    ) -> Iterator[Script]:
        """Watch while the steps inside happen, until so many events have come, or one that holds the text `last`.

        With neither: until the server ends it.
        """
        inside, asked = Script([], self._asked), headers or {}
        yield inside
        during = tuple(inside.steps)
        self.steps.append(Watch(path=path, query=query, during=during, events=events, last=last, headers=asked))


@dataclass(frozen=True, slots=True)
class Case:
    """A script with a title that says what is shown."""

    title: str
    steps: tuple[Step, ...]


@dataclass(slots=True)
class Cases:
    """The cases of one theme, in order; titles are unique."""

    theme: str
    found: list[Case] = field(default_factory=list)

    def __call__(self, title: str) -> Callable[[Callable[[Script], None]], None]:
        """Add a case."""

        def add(write: Callable[[Script], None]) -> None:
            script = Script()
            write(script)
            assert title not in {case.title for case in self.found}, title
            self.found.append(Case(f"{self.theme}: {title}", tuple(script.steps)))

        return add
