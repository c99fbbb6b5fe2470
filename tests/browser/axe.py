"""What axe-core says about a page, and whether it fits its window: the faults that nobody may ship."""

from __future__ import annotations

from typing import Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import Page

GRAVE = ("serious", "critical")
Look = tuple[Literal["desktop", "phone"], Literal["light", "dark"], list[str] | None]
# A theme changes colours and nothing else: the second time at a size, contrast is all that is looked at.
BOTH_SIZES: tuple[Look, ...] = (("desktop", "light", None), ("phone", "dark", None))
EVERY_LOOK: tuple[Look, ...] = (
    ("desktop", "light", None),
    ("desktop", "dark", ["color-contrast"]),
    ("phone", "light", ["color-contrast"]),
    ("phone", "dark", None),
)
SIZES = {"desktop": (1440, 900), "phone": (360, 740)}

_RUN = """async (only) => {
  const options = { resultTypes: ['violations'], ...(only && { runOnly: only }) };
  const { violations } = await axe.run(document, options);
  return violations.map(({ id, impact, help, nodes }) => ({
    id, impact, help,
    nodes: nodes.map(({ target, any, all, none }) =>
      `${target.join(' ')}: ${[...any, ...all, ...none][0]?.message ?? ''}`),
  }));
}"""
_WIDER = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
_MOVES = """() => [...document.querySelectorAll('*')].flatMap((element) => {
  const { transitionDuration, animationDuration } = getComputedStyle(element);
  const longest = Math.max(...`${transitionDuration}, ${animationDuration}`.split(', ').map(parseFloat));
  return longest > 0 ? [`${element.tagName} ${element.className || element.id}: moves for ${longest} s`] : [];
})"""
_PAINTED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


async def faults(page: Page, *, looks: tuple[Look, ...] = EVERY_LOOK) -> list[str]:
    """Return every fault of a page as it stands."""
    found: list[str] = []
    await page.evaluate(AXE_SCRIPT)
    for size, theme, only in looks:
        width, height = SIZES[size]
        await page.set_viewport_size({"width": width, "height": height})
        await page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        await page.evaluate(_PAINTED)
        for violation in await page.evaluate(_RUN, only):
            if violation["impact"] in GRAVE:
                rule = f"{size}, {theme}: {violation['id']}"
                found += [f"{rule}: {node}" for node in violation["nodes"]]
        if (wider := await page.evaluate(_WIDER)) > 0:
            found.append(f"{size}: {wider} px wider than the window")
    return found


async def must_be_fine(page: Page) -> None:
    """Fail with every fault of a page, and with what would move on it although nothing is to move."""
    found = [*await faults(page), *await page.evaluate(_MOVES)]
    assert not found, f"{page.url}\n" + "\n".join(found)
