"""Volumes of pods: of vendors, of images, and names that are made of theirs."""

from __future__ import annotations

from typing import Any

import pytest

from konverge.cluster.apiserver.builtin.rules.pod.dns import dns_errors
from konverge.cluster.apiserver.builtin.rules.pod.volumes import volume_errors


def _faults(*volumes: dict[str, Any], metadata: dict[str, Any] | None = None) -> list[str]:
    return [error.field for error in volume_errors(list(volumes), "v", metadata=metadata, known={})]


@pytest.mark.parametrize(
    ("registry", "is_good"), [("h:1,[::1]:2", True), (":", True), ("h", False), ("::1", False), ("[a]b:1", False)]
)
def test_registries_are_pairs_of_host_and_port(registry: str, *, is_good: bool) -> None:
    """As Go takes them apart."""
    found = _faults({"name": "a", "quobyte": {"registry": registry, "volume": "w"}})
    assert found == ([] if is_good else ["v[0].quobyte.registry"])


def test_disks_are_told_by_the_name_that_the_real_server_gives_them() -> None:
    """One of them is not its own."""
    assert _faults({"name": "a", "gcePersistentDisk": {}}) == ["v[0].persistentDisk.pdName"]
    assert _faults({"name": "a", "azureDisk": {"diskName": "d", "diskURI": "x", "kind": "Managed"}}) == [
        "v[0].azureDisk.diskURI"
    ]


def test_only_a_pod_must_name_an_image() -> None:
    """A template's may come later."""
    image = {"name": "a", "image": {"pullPolicy": "Always"}}
    assert _faults(image) == []
    assert _faults(image, metadata={"name": "p"}) == ["v[0].image.reference"]


def test_a_pod_does_not_use_a_claim_that_it_makes() -> None:
    """Under the name that it will have, which must be one."""
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1"}}}
    own = {"name": "a", "ephemeral": {"volumeClaimTemplate": {"spec": claim}}}
    used = {"name": "b", "persistentVolumeClaim": {"claimName": "p-a"}}
    assert _faults(own, used, metadata={"name": "p"}) == ["v[1].persistentVolumeClaim.claimName"]
    assert _faults(own, metadata={"name": "p" * 252}) == ["v[0].name"]
    named = {"name": "a", "ephemeral": {"volumeClaimTemplate": {"metadata": {"name": "n"}, "spec": claim}}}
    assert _faults(named) == ["v[0].ephemeral.volumeClaimTemplate.metadata.name"]


def test_search_paths_may_have_underscores() -> None:
    """And a dot at their end, or be nothing else; together they are not too long."""
    good = {"dnsConfig": {"searches": [".", "_a.b_c.", "d"]}}
    assert list(dns_errors(good, "s")) == []
    bad = {"dnsConfig": {"searches": ["a" * 250] * 9 + ["-"]}}
    assert [error.field for error in dns_errors(bad, "s")] == ["s.dnsConfig.searches", "s.dnsConfig.searches[9]"]
