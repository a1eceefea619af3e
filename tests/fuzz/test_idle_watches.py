from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_PROGRAM = Path(__file__).with_name("idle_watches.py")
_MOST = 150  # kilobytes of one watch and its client, with TLS on both sides; 75 were measured


def test_a_thousand_idle_watches_cost_little(share: float) -> None:
    """Both ends of each are in one process of their own; the server answers others meanwhile."""
    count = str(int(1000 * max(share, 0.3)))
    said = subprocess.run(
        [sys.executable, str(_PROGRAM), count], capture_output=True, text=True, timeout=120, check=False
    )
    assert said.returncode == 0, said.stderr
    each, is_alive = said.stdout.split()
    assert is_alive == "True"
    assert float(each) < _MOST
