"""Names on the wire and in Python."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.codegen.names import attributes, camel, class_name, module_names, pascal, snake


@pytest.mark.parametrize(
    ("wire", "attribute"),
    [
        ("clusterIP", "cluster_ip"),
        ("clusterIPs", "cluster_ips"),
        ("podCIDRs", "pod_cidrs"),
        ("externalIPs", "external_ips"),
        ("fsGroup", "fs_group"),
        ("qosClass", "qos_class"),
        ("hostPID", "host_pid"),
        ("nonResourceURLs", "non_resource_urls"),
        ("fieldsV1", "fields_v1"),
        ("openAPIV3Schema", "open_api_v3_schema"),
        ("x-kubernetes-list-type", "x_kubernetes_list_type"),
        ("$ref", "ref"),
        ("setHostnameAsFQDN", "set_hostname_as_fqdn"),
        ("httpGet", "http_get"),
        ("HTTPSProxyURL", "https_proxy_url"),
        ("allowIPv6", "allow_ipv6"),
        ("s3ForcePathStyle", "s3_force_path_style"),
        ("sha256sum", "sha256sum"),
        ("targetWWNs", "target_wwns"),
        ("continue", "continue_"),
        ("from", "from_"),
        ("int", "int_"),
        ("type", "type"),
        ("3scale", "field_3_scale"),
        ("☃", "field"),
    ],
)
def test_wire_names_become_attributes(wire: str, attribute: str) -> None:
    """Acronyms are one word with their plural, and no attribute is a keyword or hides a type."""
    assert snake(wire) == attribute


def test_attributes_of_a_class_are_unique() -> None:
    """Wire names that come out alike are numbered, and names that are taken get an underscore."""
    found = attributes(["hostIP", "hostIp", "host-ip", "gvk"], taken={"gvk"})
    assert found == {"hostIP": "host_ip", "hostIp": "host_ip_2", "host-ip": "host_ip_3", "gvk": "gvk_"}


@given(st.lists(st.text(min_size=1), unique=True))
def test_any_wire_names_become_different_identifiers(wire_names: list[str]) -> None:
    """Whatever a CRD calls its properties, the class can be written."""
    found = attributes(wire_names)
    assert all(name.isidentifier() for name in found.values())
    assert len(set(found.values())) == len(wire_names)


@given(st.from_regex(r"[a-z][a-z0-9]*(_[a-z0-9]+){0,3}_?", fullmatch=True))
def test_camel_is_what_msgspec_makes_of_an_attribute(attribute: str) -> None:
    """The generator knows exactly which wire names need to be written out."""
    struct = msgspec.defstruct("Struct", [(attribute, int)], rename="camel")
    assert struct.__struct_encode_fields__ == (camel(attribute),)


def test_class_names() -> None:
    """A kind keeps its name as far as Python allows, and paths are joined from their parts."""
    assert [class_name("Certificate"), class_name("none"), class_name("2Kind")] == ["Certificate", "None_", "Kind2Kind"]
    assert pascal("private-keyRef") == "PrivateKeyRef"


def test_modules_are_named_after_the_first_label() -> None:
    """The core group has a name of its own, and groups that begin alike are written out."""
    pairs = [
        ("", "v1"),
        ("rbac.authorization.k8s.io", "v1"),
        ("db.a.com", "v1"),
        ("db.b.com", "v1"),
        ("cert-manager.io", "v1"),
    ]
    assert list(module_names(pairs).values()) == ["core_v1", "cert_manager_v1", "db_a_com_v1", "db_b_com_v1", "rbac_v1"]
