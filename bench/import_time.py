"""How long imports take, each in a Python of its own: the median of some runs, in milliseconds.

Cold means that the source is compiled each time, warm that the byte code is there. Both are made sure of here, with a
cache of byte code of our own: an environment that sets PYTHONDONTWRITEBYTECODE would make every run a cold one.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile

RUNS = 15
# What is measured, and what is imported before the clock starts.
CASES = {
    "import konverge": ("konverge", ""),
    "konverge.models": ("konverge.models", "konverge.api.object"),
    "konverge.models.core_v1": ("konverge.models.core_v1", "konverge.api.object"),
    "konverge.models.apps_v1 (with core_v1)": ("konverge.models.apps_v1", "konverge.api.object"),
    "konverge.models.core_v1 and all of api": ("konverge.models.core_v1", ""),
}
PROGRAM = """
import sys, time
before, name = sys.argv[1:]
if before:
    __import__(before)
start = time.perf_counter()
__import__(name)
print((time.perf_counter() - start) * 1000)
"""


def measure(name: str, *, before: str, warm: bool, runs: int = RUNS) -> list[float]:
    """Return the milliseconds of each run of importing a module after another one is there."""
    with tempfile.TemporaryDirectory() as cache:
        env = os.environ | {"PYTHONPYCACHEPREFIX": cache, "PYTHONDONTWRITEBYTECODE": "" if warm else "1"}
        command = [sys.executable, "-c", PROGRAM, before, name]
        outputs = [subprocess.run(command, check=True, capture_output=True, env=env).stdout for _ in range(runs + 1)]
    return [float(output) for output in outputs[1:]]  # the first one fills the cache


def main() -> None:
    """Print one line per case."""
    print(f"{'':45} {'warm':>10} {'cold':>10}")
    for label, (name, before) in CASES.items():
        warm, cold = (statistics.median(measure(name, before=before, warm=state)) for state in (True, False))
        print(f"{label:45} {warm:7.1f} ms {cold:7.1f} ms")


if __name__ == "__main__":
    main()
