"""The pictures in `docs/pictures`: a turn of the sample handbook as Slack and Discord show it, in the real page.

`python -m tests.browser.pictures [FOLDER]`; needs a Chromium, as the tests of the page do.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from playwright.async_api import Page, async_playwright, expect

from tests.browser.test_playground import ARGUMENTS, chromium
from tests.e2e.conftest import ROOT, Process

QUESTION = "How do I set up the VPN on macOS?"
PLATFORMS = {"slack": "Slack", "discord": "Discord"}
MOST_BYTES = 150_000


async def take(folder: Path) -> list[Path]:
    """Ask the question and photograph its turn once for each platform; returns the files."""
    with tempfile.TemporaryDirectory() as data:
        weft = await Process(Path(data), {}).start("serve", "--port", "0")
        try:
            async with async_playwright() as playwright:
                browser = await playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS, timeout=180_000)
                context = await browser.new_context(
                    viewport={"width": 1200, "height": 900},
                    locale="en-US",
                    color_scheme="light",
                    reduced_motion="reduce",
                )
                page = await context.new_page()
                await page.goto(weft.url)
                await page.locator("#question").fill(QUESTION)
                await page.keyboard.press("Enter")
                await expect(page.locator(".answer:not(.draft) .sources")).to_be_visible(timeout=120_000)
                taken = [await _photograph(page, platform, folder / f"{platform}.png") for platform in PLATFORMS]
                await browser.close()
        finally:
            await weft.end()
    return taken


async def _photograph(page: Page, platform: str, target: Path) -> Path:
    await page.locator("#previews").get_by_role("button", name=PLATFORMS[platform]).click()
    preview = page.locator(f".preview.{platform}")
    await expect(preview).to_be_visible()
    height = await page.evaluate("document.querySelector('.turn').scrollHeight + 60")
    await page.set_viewport_size({"width": 1200, "height": min(max(int(height), 500), 1_400)})
    await page.evaluate(
        "document.querySelector('.dock').hidden = true; document.querySelector('#scroll').scrollTop = 0"
    )
    taken = await page.locator("#main").screenshot(scale="css")
    if len(taken) > MOST_BYTES:
        raise SystemExit(f"{target} would have {len(taken)} bytes, more than {MOST_BYTES}")
    await asyncio.to_thread(target.write_bytes, taken)
    return target


if __name__ == "__main__":
    for path in asyncio.run(take(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures")):
        print(path, path.stat().st_size)  # noqa: T201
