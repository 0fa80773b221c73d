"""The app's icons as PNG, from our own drawing: `python -m bench.icons` draws static/icon.svg in every size needed."""

from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.web import chromium

STATIC = Path(__file__).parent.parent / "src" / "starfrost" / "web" / "static"
SIZES = {"icon-180": (180, True), "icon-192": (192, False), "icon-512": (512, False), "icon-mask": (512, True)}
"""Width, and whether the ground fills the whole square: the device then cuts its own shape out of it."""


def main() -> None:
    """Draw every size."""
    path = chromium.find()
    if path is None:
        raise SystemExit("Icons need Chromium: `make browser` gets one.")
    drawing = (STATIC / "icon.svg").read_text(encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        for name, (size, full) in SIZES.items():
            tab = browser.new_page(viewport={"width": size, "height": size})
            # Whatever shape a device cuts out, the middle 80% stay: the star is drawn inside them.
            margin, ground = (size * 0.1, "#0d1c3f") if full else (0, "transparent")
            tab.set_content(
                f"<style>body{{margin:{margin}px;background:{ground}}}svg{{display:block;width:100%}}</style>{drawing}"
            )
            data = tab.screenshot(path=str(STATIC / f"{name}.png"), omit_background=True)
            print(f"{name}.png  {len(data) // 1000} kB")
            tab.close()
        browser.close()


if __name__ == "__main__":
    main()
