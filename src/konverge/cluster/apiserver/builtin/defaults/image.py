"""When an image is pulled by default: always if its tag is `latest`, said or unsaid; else only if it is not there."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_LONGEST_PATH: Final = 255
_IDENTIFIER: Final = re.compile(r"[a-f0-9]{64}")
_DOMAIN_PART: Final = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_DOMAIN: Final = rf"(?:{_DOMAIN_PART}(?:\.{_DOMAIN_PART})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_PART: Final = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_REFERENCE: Final = re.compile(
    rf"{_DOMAIN}/(?P<path>{_PART}(?:/{_PART})*)(?::(?P<tag>\w[\w.-]{{0,127}}))?(?:@(?P<digest>[^@]+))?", re.ASCII
)
_DIGESTS: Final = {"sha256": 64, "sha384": 96, "sha512": 128}  # hexadecimal digits


@lru_cache(maxsize=1024)
def pull_policy(image: str) -> str:
    """Return the pull policy of an image that says none."""
    return "Always" if _tag(image) == "latest" else "IfNotPresent"


def _tag(image: str) -> str:
    """Return an image's tag; empty where it is named by a digest alone, or not named well."""
    domain, rest = _domain_and_rest(image)
    found = _REFERENCE.fullmatch(f"{domain}/{rest}")
    if found is None or _IDENTIFIER.fullmatch(image) or len(found["path"]) > _LONGEST_PATH:
        return ""
    digest = found["digest"]
    if digest is not None and not _is_digest(digest):
        return ""
    return found["tag"] or ("" if digest else "latest")


def _domain_and_rest(image: str) -> tuple[str, str]:
    first, slash, rest = image.partition("/")
    if not slash:
        return "docker.io", f"library/{image}"
    is_domain = first == "localhost" or "." in first or ":" in first or first.lower() != first
    domain, rest = (first, rest) if is_domain else ("docker.io", image)
    if domain in ("docker.io", "index.docker.io"):
        domain, rest = "docker.io", rest if "/" in rest else f"library/{rest}"
    return domain, rest


def _is_digest(text: str) -> bool:
    name, _, digits = text.partition(":")
    return re.fullmatch(rf"[a-f0-9]{{{_DIGESTS.get(name, 0)}}}", digits) is not None and name in _DIGESTS
