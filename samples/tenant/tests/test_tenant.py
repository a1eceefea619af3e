"""What the operator does about a Tenant."""

import konverge as kv
from konverge.testing import wait_for

from tenant.api.v1.tenant import Tenant


async def test_a_tenant_becomes_ready(client: kv.Client) -> None:
    """As soon as it is there."""
    await client.create(Tenant(metadata=kv.ObjectMeta(name="sample")))
    await wait_for(client, Tenant, "sample", condition="Ready")
