"""Access to a storage with the bootstrap roles, and a key for tokens."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import msgspec
import pytest

from konverge.certificates import TokenSigner, signing_key
from konverge.cluster.apiserver.access import Access
from konverge.cluster.apiserver.access.bootstrap import make_bootstrap_roles
from konverge.cluster.apiserver.ids import Ids
from konverge.cluster.apiserver.storage import Storage

Store = Callable[..., Coroutine[Any, Any, None]]


@pytest.fixture
async def storage() -> Storage:
    """What a new server has."""
    storage = Storage.in_memory()
    await make_bootstrap_roles(storage, Ids())
    return storage


@pytest.fixture(scope="session")
def signer() -> TokenSigner:
    """A key for tokens."""
    return TokenSigner(signing_key())


@pytest.fixture
def access(storage: Storage, signer: TokenSigner) -> Access:
    """Access by what is stored."""
    return Access(storage, lambda: signer)


@pytest.fixture
def store(storage: Storage, access: Access) -> Store:
    """Return what puts an object into the storage, by its key without the first slash."""

    async def put(path: str, **value: Any) -> None:
        key, name = f"/{path}", path.rpartition("/")[2]
        metadata = {"name": name, **value.pop("metadata", {})}
        if path.count("/") > 2:
            metadata["namespace"] = path.split("/")[2]
        found = storage.get(key)
        body = msgspec.json.encode({"metadata": metadata, **value})
        await storage.put(key, lambda _: body, based_on=found.revision if found else 0)
        access.changed(path.partition("/")[0])

    return put
