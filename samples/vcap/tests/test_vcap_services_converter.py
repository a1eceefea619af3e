"""What the operator does about a VcapServicesConverter."""

import konverge as kv
from konverge.testing import wait_for

from vcap.api.v1.vcap_services_converter import VcapServicesConverter


async def test_a_vcap_services_converter_becomes_ready(client: kv.Client) -> None:
    """As soon as it is there."""
    await client.create(VcapServicesConverter(metadata=kv.ObjectMeta(name="sample")))
    await wait_for(client, VcapServicesConverter, "sample", condition="Ready")
