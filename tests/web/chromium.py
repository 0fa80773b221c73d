"""Chromium for the browser tests: `python -m tests.web.chromium` finds one on this machine or gets one.

First any that is there, then Playwright's own download, then the system's package. What cannot be had is said in one
sentence.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

# For every window Chromium loads two pages of its own for the list below the address bar, which no test sees and which
# take as long as the page that is tested.
UNSEEN = ("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup", "PreloadTopChromeWebUI")
# What Playwright switches off itself: of two switches of one name the last one counts.
PLAYWRIGHTS = (
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
)
SWITCHES = ("--no-sandbox", "--disable-dev-shm-usage", f"--disable-features={','.join(UNSEEN + PLAYWRIGHTS)}")


def _playwrights_own() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def find() -> str | None:
    """Find a Chromium: one that CHROMIUM names, one on the path, or Playwright's own download."""
    named = os.environ.get("CHROMIUM")
    if named:
        return named
    return next(filter(None, map(shutil.which, NAMES)), None) or _playwrights_own()


def run(command: list[str], seconds: int) -> bool:
    """Run a command aloud; return whether it succeeded in time."""
    print("+", " ".join(command), flush=True)
    try:
        return subprocess.run(command, timeout=seconds, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def get() -> str | None:
    """Find a Chromium or install one."""
    found = find()
    if found:
        return found
    if run([sys.executable, "-m", "playwright", "install", "chromium"], 240):
        found = find()
    if not found and shutil.which("apt-get"):
        root = [] if os.geteuid() == 0 else ["sudo", "-n"]
        run([*root, "apt-get", "update", "-qq"], 240)
        run([*root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq", "chromium"], 600)
        found = find()
    return found


if __name__ == "__main__":
    path = get()
    if path is None:
        sys.exit("The browser tests need Chromium: install it, or set CHROMIUM=/path/to/chromium.")
    print(f"Chromium: {path}")
