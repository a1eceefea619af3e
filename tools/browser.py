"""`make browser`: Chromium and its driver, with which the page of `make demo` is tested.

Where they are missing and this machine has Debian's packages and lets us install them (root, or sudo that asks
nothing), they are installed. Where that cannot be, it says what to do and goes on: the test of the page then fails,
with the same sentence. It is never left out in silence.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

PACKAGES = ("chromium", "chromium-driver")  # Debian's: the driver is always that of the browser
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
REMEDY = "install Chromium and its driver (Debian: apt install chromium chromium-driver), so that both are in PATH"


def missing() -> list[str]:
    """Return which of the two are not in PATH."""
    found = {"chromium": any(map(shutil.which, BROWSERS)), "chromedriver": shutil.which("chromedriver")}
    return [name for name, path in found.items() if not path]


def installer() -> list[str] | None:
    """Return the command that installs packages here; None where we may not."""
    if shutil.which("apt-get") is None:
        return None
    if os.geteuid() == 0:
        return ["apt-get"]
    sudo = ["sudo", "--non-interactive"]
    may = shutil.which("sudo") and subprocess.run([*sudo, "true"], capture_output=True, check=False).returncode == 0
    return [*sudo, "apt-get"] if may else None


def install(apt: list[str]) -> bool:
    """Install both; where the list of packages is missing or too old, bring it up to date and try again."""
    for first in ([], ["update"]):
        if first:
            _run(apt, first)
        if _run(apt, ["install", "--yes", "--no-install-recommends", *PACKAGES]) and not missing():
            return True
    return False


def _run(apt: list[str], step: list[str]) -> bool:
    return subprocess.run([*apt, "--quiet", *step], stdout=sys.stderr, check=False).returncode == 0


def main() -> None:
    """Have both, or say what is missing."""
    if not missing():
        return
    print(f"==> installing {' and '.join(PACKAGES)}")
    os.environ["DEBIAN_FRONTEND"] = "noninteractive"
    apt = installer()
    if apt is None or not install(apt):
        print(f"{' and '.join(missing())}: not here, and not installed. The test of the demo will fail: {REMEDY}")


if __name__ == "__main__":
    main()
