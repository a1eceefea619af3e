"""TokenSigner: the port to the key that signs service account tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class TokenSigner(Protocol):
    """Signs, and knows its own signature; the key itself stays with it."""

    @property
    def algorithm(self) -> str:
        """The name of its algorithm in a token's header."""
        ...

    @property
    def key_id(self) -> str:
        """The name of its key in a token's header."""
        ...

    def jwk(self) -> Mapping[str, str]:
        """Return the public key, as a JSON Web Key."""
        ...

    def token(self, claims: bytes) -> str:
        """Return a signed JSON Web Token of some claims, which are JSON."""
        ...

    def verify(self, data: bytes, signature: bytes) -> bool:
        """Whether a signature is its own."""
        ...
