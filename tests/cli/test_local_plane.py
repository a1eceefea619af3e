"""What runs beside the API server of `konverge up`."""

from __future__ import annotations

from ipaddress import IPv4Network
from pathlib import Path

from konverge.cli.local_plane import LocalPlane, service_range


def test_each_folder_has_service_addresses_of_its_own() -> None:
    """All of the loopback range, the same each time, and most often no other's."""
    ranges = [service_range(Path(f"/home/ann/{each}")) for each in range(100)]
    assert ranges == [service_range(Path(f"/home/ann/{each}")) for each in range(100)]
    assert all(IPv4Network(each).subnet_of(IPv4Network("127.96.0.0/12")) for each in ranges)
    assert len(set(ranges)) > 70


def test_problems_from_before_anybody_listened_are_told(tmp_path: Path) -> None:
    """Pods of the last run are started before the terminal is ready for what is wrong with them."""
    plane = LocalPlane(tmp_path, simulate=True)
    plane._problem("early")
    heard: list[str] = []
    plane.watch_problems(heard.append)
    plane._problem("late")
    plane._problem("service default/kubernetes: port 443 is served at 127.96.0.1:8443")  # which nobody opens
    assert heard == ["early", "late"]
