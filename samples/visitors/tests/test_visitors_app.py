"""What the operator does about a VisitorsApp."""

import konverge as kv
from konverge.testing import wait_for

from visitors.api.v1.visitors_app import VisitorsApp


async def test_a_visitors_app_becomes_ready(client: kv.Client) -> None:
    """As soon as it is there."""
    await client.create(VisitorsApp(metadata=kv.ObjectMeta(name="sample")))
    await wait_for(client, VisitorsApp, "sample", condition="Ready")
