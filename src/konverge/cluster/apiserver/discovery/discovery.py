"""Discovery: the paths `/api`, `/apis`, `/apis/GROUP` and `/apis/GROUP/VERSION`, answered from what is served now."""

from __future__ import annotations

import hashlib
from urllib.parse import urlencode

import msgspec

from konverge.cluster.apiserver.builtin import catalogue
from konverge.cluster.apiserver.discovery import aggregated, legacy
from konverge.cluster.apiserver.discovery.form import AGGREGATED, aggregated_form, plain_form
from konverge.cluster.apiserver.discovery.served import Served, served
from konverge.cluster.apiserver.endpoint import method_not_allowed
from konverge.cluster.apiserver.exchange import Request, Response
from konverge.cluster.apiserver.failure import path_not_found
from konverge.cluster.apiserver.negotiate import Form, check_route
from konverge.cluster.apiserver.reply import written
from konverge.cluster.apiserver.resource import Resources


def page_not_found() -> Response:
    """Return the 404 of a path that nothing of the server knows: a plain text, not a Status."""
    headers = (("X-Content-Type-Options", "nosniff"),)
    return Response(status=404, body=b"404 page not found\n", content_type="text/plain; charset=utf-8", headers=headers)


def unreadable_path(request: Request) -> Response:
    """Return the 500 of a path that the real server cannot read, which is a plain text, too."""
    asked = f"{request.path}?{urlencode(request.query)}" if request.query else request.path
    why = f"failed to create RequestInfo: unable to determine kind and namespace from url, {asked}"
    body = f'Internal Server Error: "{asked}": {why}\n'.encode()
    headers = (("X-Content-Type-Options", "nosniff"),)
    return Response(status=500, body=body, content_type="text/plain; charset=utf-8", headers=headers)


class Discovery:
    """Answers from what is served; looks again when that has changed."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._generation = -1
        self._served = Served((), {})
        self._aggregated: dict[str, tuple[str, bytes]] = {}  # by root: the ETag and the document

    def answer(self, request: Request) -> Response:
        """Answer a request for a discovery path; raise a Failure where the real server answers with a Status."""
        root, *rest = request.path.strip("/").split("/")
        self._look()
        if root == "api":
            return self._core(request, rest)
        if not rest:
            return self._root(request, "apis")
        return self._group(request, *rest)

    def _look(self) -> None:
        if self._generation != self._resources.generation:
            self._generation = self._resources.generation
            self._served = served(self._resources)
            self._aggregated.clear()

    def _core(self, request: Request, rest: list[str]) -> Response:
        if rest not in ([], ["v1"]):
            raise path_not_found()
        _only_get(request)
        check_route(request)
        if not rest:
            return self._root(request, "api")
        lines = self._served.lines.get(("", "v1"), ())
        return written(legacy.api_resource_list("", "v1", lines), plain_form(request))

    def _group(self, request: Request, name: str, version: str = "", *more: str) -> Response:
        group = self._served.group(name)
        if group is None:
            return page_not_found()
        if not version:
            return written(legacy.api_group(group), plain_form(request))
        is_builtin = any(name == found.name for found in catalogue.groups())
        if more or version not in group.versions:
            if is_builtin:
                raise path_not_found()
            return page_not_found()
        if is_builtin:
            _only_get(request)
            check_route(request)
        lines = self._served.lines[name, version]
        return written(legacy.api_resource_list(name, version, lines), plain_form(request))

    def _root(self, request: Request, root: str) -> Response:
        # With a slash at its end the path is another one, which has the plain document alone.
        form = aggregated_form(request) if request.path != "/apis/" else None
        if form is not None:
            return self._whole(request, root, form)
        if root == "api":
            return written(legacy.api_versions(request.header("host")), plain_form(request))
        return written(legacy.api_group_list(self._served), plain_form(request))

    def _whole(self, request: Request, root: str, form: Form) -> Response:
        if root not in self._aggregated:
            self._aggregated[root] = self._document(root)
        tag, body = self._aggregated[root]
        headers = (("ETag", tag), ("Vary", "Accept"), ("Cache-Control", "public"))
        content_type = form.media_type + "".join(f";{name}={value}" for name, value in AGGREGATED.items())
        if request.header("if-none-match") == tag:
            return Response(status=304, headers=headers, content_type="")
        if not form.is_plain:
            body = written(msgspec.json.decode(body), form).body
        return Response(status=200, body=body, content_type=content_type, headers=headers)

    def _document(self, root: str) -> tuple[str, bytes]:
        groups = self._served.groups if root == "apis" else (aggregated.CORE,)
        body = msgspec.json.encode(aggregated.group_discovery_list(self._served, groups))
        return f'"{hashlib.sha512(body).hexdigest().upper()}"', body


def _only_get(request: Request) -> None:
    if request.method != "GET":
        raise method_not_allowed()
