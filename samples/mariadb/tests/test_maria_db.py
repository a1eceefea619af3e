"""What the operator does about a MariaDB."""

import konverge as kv
from konverge.testing import wait_for

from mariadb.api.v1.maria_db import MariaDB


async def test_a_maria_db_becomes_ready(client: kv.Client) -> None:
    """As soon as it is there."""
    await client.create(MariaDB(metadata=kv.ObjectMeta(name="sample")))
    await wait_for(client, MariaDB, "sample", condition="Ready")
