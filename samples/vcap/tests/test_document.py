"""The document VCAP_SERVICES."""

import json

import konverge as kv

from vcap.api.v1.vcap_services_converter import VcapServicesConverter, VcapServicesConverterSpec
from vcap.document import vcap_services


def test_it_has_the_form_that_programs_of_cloud_foundry_read() -> None:
    """A list of services for each label."""
    spec = VcapServicesConverterSpec(label="postgresql", tags=["sql"])
    converter = VcapServicesConverter(metadata=kv.ObjectMeta(name="orders"), spec=spec)
    assert json.loads(vcap_services(converter, {"uri": b"postgres://db"})) == {
        "postgresql": [
            {
                "name": "orders",
                "label": "postgresql",
                "plan": None,
                "tags": ["sql"],
                "credentials": {"uri": "postgres://db"},
            }
        ]
    }


def test_the_order_of_the_credentials_does_not_matter() -> None:
    """Else it would be written anew whenever the API server lists them in another one."""
    converter = VcapServicesConverter(metadata=kv.ObjectMeta(name="a"), spec=VcapServicesConverterSpec(label="b"))
    assert vcap_services(converter, {"x": b"1", "y": b"2"}) == vcap_services(converter, {"y": b"2", "x": b"1"})
