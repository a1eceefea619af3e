from __future__ import annotations

from konverge.cluster.apiserver.version_order import priority


def test_versions_are_ordered_as_kubernetes_prefers_them() -> None:
    """The example of the documentation on CRD versions."""
    given = ["foo10", "foo1", "v11alpha2", "v12alpha1", "v3beta1", "v10beta3", "v11beta2", "v1", "v2", "v10"]
    assert sorted(given, key=priority) == given[::-1]


def test_what_only_looks_like_a_version_comes_last() -> None:
    """No leading zero, no unknown stage, no sign."""
    assert sorted(["v01", "v1rc1", "v1", "1"], key=priority) == ["v1", "1", "v01", "v1rc1"]
