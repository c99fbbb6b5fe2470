"""An ear on a page: which sounds were made, and how long each of them lasts."""

from __future__ import annotations

from typing import TypedDict

from playwright.async_api import Page

# Every source of sound that is started between two cues belongs to the later one: its notes are written at once.
_EAR = """(() => {
  window.heard = [];
  let now = [];
  const begun = new Map();
  const note = (source, from, to) => { begun.set(source, { from, to }); now.push(begun.get(source)); };
  for (const type of [OscillatorNode, AudioBufferSourceNode]) {
    const { start, stop } = type.prototype;
    type.prototype.start = function (at = 0, ...more) {
      note(this, at, this.buffer ? at + this.buffer.duration : Infinity);
      return start.call(this, at, ...more);
    };
    type.prototype.stop = function (at = 0) {
      if (begun.has(this)) begun.get(this).to = at;
      return stop.call(this, at);
    };
  }
  addEventListener('cue', ({ detail }) => {
    const from = Math.min(...now.map((each) => each.from));
    const to = Math.max(...now.map((each) => each.to));
    window.heard.push({ name: detail, notes: now.length, ms: Math.round((to - from) * 1000) });
    now = [];
  });
  window.strays = () => now.length;
})();"""


class Sound(TypedDict):
    """One cue: of how many notes it is made, and how long it lasts from the first to the end of the last."""

    name: str
    notes: int
    ms: int


async def listen(page: Page) -> None:
    """Hear everything from the next page on."""
    await page.add_init_script(_EAR)


async def heard(page: Page) -> list[Sound]:
    """Return what was heard since the page came; no sound may lack a name."""
    assert await page.evaluate("strays()") == 0
    sounds: list[Sound] = await page.evaluate("heard")
    return sounds


async def names_heard(page: Page) -> set[str]:
    return {sound["name"] for sound in await heard(page)}
