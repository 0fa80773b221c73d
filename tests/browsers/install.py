"""Firefox and WebKit for `make browsers`: finds them, or installs the Debian packages."""

import os
import shutil
import sys
from pathlib import Path

from tests.web.chromium import run

PACKAGES = ("firefox-esr", "webkit2gtk-driver", "xvfb")


def firefox() -> str | None:
    """Find a Firefox: one that FIREFOX names, or one on the path."""
    return os.environ.get("FIREFOX") or next(filter(None, map(shutil.which, ("firefox-esr", "firefox"))), None)


def webkit() -> tuple[str, str] | None:
    """Find WebKit's driver and the browser that it drives."""
    driver = shutil.which("WebKitWebDriver")
    browser = next((path for path in Path("/usr").glob("lib*/**/webkit2gtk-4.*/MiniBrowser") if path.is_file()), None)
    return (driver, str(browser)) if driver and browser and shutil.which("Xvfb") else None


def get() -> bool:
    """Find both or install them; return whether both are there."""
    if firefox() and webkit():
        return True
    if shutil.which("apt-get"):
        root = [] if os.geteuid() == 0 else ["sudo", "-n"]
        run([*root, "apt-get", "update", "-qq"], 240)
        quiet = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq", "--no-install-recommends"]
        run([*root, *quiet, *PACKAGES], 900)
    return bool(firefox() and webkit())


if __name__ == "__main__":
    if not get():
        sys.exit(f"The walks need Firefox and WebKit: install the Debian packages {', '.join(PACKAGES)}.")
    print(f"Firefox: {firefox()}\nWebKit: {webkit()}")
