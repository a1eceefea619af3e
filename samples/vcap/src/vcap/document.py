"""The document VCAP_SERVICES: what Cloud Foundry tells a program about the services that are bound to it. Pure."""

import json
from collections.abc import Mapping

from vcap.api.v1.vcap_services_converter import VcapServicesConverter

KEY = "VCAP_SERVICES"


def vcap_services(converter: VcapServicesConverter, credentials: Mapping[str, bytes]) -> bytes:
    """Return the document; the same converter and credentials give the same bytes, or each look would be a write."""
    spec = converter.spec
    service = {
        "name": converter.metadata.name,
        "label": spec.label,
        "plan": spec.plan,
        "tags": spec.tags or [],
        "credentials": {key: value.decode(errors="replace") for key, value in credentials.items()},
    }
    return json.dumps({spec.label: [service]}, sort_keys=True).encode()
