"""MariaDB v1: a database, the storage that it needs, and how it is reached."""

from typing import Annotated, Literal

import konverge as kv


class SecretKey(kv.Model):
    """A value in a Secret of the same namespace."""

    name: Annotated[str, kv.MinLength(1), kv.Doc("The name of the Secret.")]
    key: Annotated[str, kv.MinLength(1), kv.Doc("The key in it.")] = "password"


class MariaDBSpec(kv.Spec):
    """What a user asks for."""

    root_password: Annotated[SecretKey, kv.Doc("Where the password of root is.")]
    storage: Annotated[
        kv.QuantityText,
        kv.Immutable(),
        kv.Doc("The volume of each server; claims are made once, so it stays what it is."),
    ]
    image: Annotated[str, kv.MinLength(1), kv.Doc("The image of the servers.")] = "mariadb:11.8"
    replicas: Annotated[int, kv.Minimum(0), kv.Doc("How many servers there are.")] = 1
    service_type: Annotated[Literal["ClusterIP", "NodePort"], kv.Doc("How the Service is reached.")] = "ClusterIP"


class MariaDBStatus(kv.Status):
    """What the operator found."""

    ready_replicas: Annotated[int | None, kv.Doc("How many servers answer.")] = None


@kv.resource(
    group="mariadb.example.com",
    version="v1",
    storage=True,
    rules=[
        kv.Rule(
            "oldSelf.hasValue() || self.metadata.name.matches('^[a-z][-a-z0-9]{0,51}$')",
            optional_old_self=True,  # a new one is looked at, and none that was there before the rule was
            message="the name must begin with a letter and have at most 52 characters and no dot: servers are named after it",
        )
    ],
    columns=[kv.Column("Replicas", ".spec.replicas"), kv.Column("Ready", ".status.readyReplicas")],
)
class MariaDB(kv.CustomResource[MariaDBSpec, MariaDBStatus]):
    """A MariaDB database."""
