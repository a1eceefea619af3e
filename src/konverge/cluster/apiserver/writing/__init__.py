"""Writing: the verbs that change what is stored.

The way of a write: the body becomes an object of its kind (`decode`), the record of who owns its fields is kept
(`ownership`), and it becomes a new object (`insert`) or the next state of one (`replace`). What is the same for all
kinds stands here; what is a kind's own, its `Strategy` says.
"""

from konverge.cluster.apiserver.writing.create import create
from konverge.cluster.apiserver.writing.delete import delete
from konverge.cluster.apiserver.writing.delete_collection import delete_collection
from konverge.cluster.apiserver.writing.patch import patch
from konverge.cluster.apiserver.writing.update import update

__all__ = ["create", "delete", "delete_collection", "patch", "update"]
