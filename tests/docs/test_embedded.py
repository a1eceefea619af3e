from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "embedded.md"


def test_the_program_of_the_page_runs(tmp_path: Path) -> None:
    """As it is printed, in a folder of its own: a server in process, and one that others can reach."""
    (program,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    run = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.stderr == ""
    namespaces, reached = run.stdout.splitlines()
    assert namespaces == "['default', 'kube-node-lease', 'kube-public', 'kube-system']"
    assert re.fullmatch(r"https://127\.0\.0\.1:\d+ \S*state/kubeconfig", reached)
