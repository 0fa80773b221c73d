"""The programs for `make hosting`: finds them, or installs their Debian packages without starting any service."""

import os
import shutil
import sys
from pathlib import Path

from tests.web.chromium import run

PACKAGES = {
    "nginx": "nginx-light",
    "haproxy": "haproxy",
    "caddy": "caddy",
    "systemd-analyze": "systemd",
    "openssl": "openssl",
    "buildah": "buildah",
    "debootstrap": "debootstrap",
}
# Debian starts the services of new packages unless this program refuses.
POLICY = Path("/usr/sbin/policy-rc.d")


def program(name: str) -> str | None:
    """Find a program, also among those for administrators."""
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")


def get() -> list[str]:
    """Find the programs or install them; return those that are missing."""
    missing = [name for name in PACKAGES if not program(name)]
    if missing and shutil.which("apt-get"):
        root = [] if os.geteuid() == 0 else ["sudo", "-n"]
        refuse = not POLICY.exists()
        if refuse:
            run([*root, "sh", "-c", f"printf '#!/bin/sh\\nexit 101\\n' > {POLICY} && chmod +x {POLICY}"], 10)
        run([*root, "apt-get", "update", "-qq"], 240)
        quiet = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq", "--no-install-recommends"]
        run([*root, *quiet, *(PACKAGES[name] for name in missing)], 900)
        if refuse:
            run([*root, "rm", str(POLICY)], 10)
    return [name for name in PACKAGES if not program(name)]


if __name__ == "__main__":
    absent = get()
    if absent:
        sys.exit(f"These tests need {', '.join(absent)}: install {', '.join(PACKAGES[name] for name in absent)}.")
