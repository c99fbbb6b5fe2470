"""The browser of the tests: Chromium of the system, or Playwright's own.

`python -m tests.chromium` puts one in place: Debian's package when we are root on Debian, else Playwright's download.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

PACKAGES = ["chromium", "fonts-noto-cjk"]

# No talk with the outside, nothing that a machine without a graphics card or a first user would trip over.
FLAGS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
]


def find() -> str | None:
    """Return the path of a Chromium, the system's before Playwright's, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


def launch_options() -> dict[str, Any]:
    """Return what `playwright.chromium.launch` is to be called with."""
    path = find()
    assert path, "no Chromium: run `make chromium`"
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    return {"executable_path": path, "args": [*FLAGS, *root], "headless": True}


def install() -> None:
    """Install a Chromium and fonts that have Chinese characters."""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        wait = ["-o", "DPkg::Lock::Timeout=600"]
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update", "-q", *wait], env=environment, check=True)
        subprocess.run(["apt-get", "install", "-y", "-q", *wait, *PACKAGES], env=environment, check=True)
    else:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=True)


def has_chinese_fonts() -> bool:
    """Tell whether a Chinese page would show more than boxes; true where we cannot ask."""
    if not shutil.which("fc-list"):
        return find() is not None
    return bool(
        subprocess.run(["fc-list", ":lang=zh", "family"], capture_output=True, text=True).stdout.strip()
    )


def main() -> int:
    """Make sure that there is a Chromium; return 1 with a word about it when there is none in the end."""
    can_install_fonts = os.geteuid() == 0 and shutil.which("apt-get")
    if find() and (has_chinese_fonts() or not can_install_fonts):
        return 0
    try:
        install()
    except subprocess.CalledProcessError as error:
        print(f"could not install Chromium: {error}", file=sys.stderr)
    if find() is None:
        print("The browser tests need Chromium: install it and run again.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
