"""At 200 % zoom everything is reachable: nothing cut off, nothing on top of another, no sideways scrolling."""

from __future__ import annotations

import json
from typing import Any

import pytest

from annotate_hands import Mouse
from annotate_looks import shot, violations
from annotate_tour import TEXT, prepare

pytestmark = pytest.mark.browser

# A window of 1,280 by 800 at 200 %: half as many CSS pixels, each twice as large.
ZOOMED: dict[str, Any] = {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2}

FOUND = """() => {
  const controls = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')];
  const guide = document.querySelector('#guide');
  const top = document.querySelector('dialog[open]') ?? (guide?.checkVisibility() && guide.clientWidth > innerWidth / 2 ? guide : document.body);
  const shown = controls.filter((one) => top.contains(one) && one.checkVisibility({ visibilityProperty: true })
    && !one.matches('.skip, #pane, [type=file]') && !one.closest('svg'));
  const name = (one) => `${one.tagName} ${(one.getAttribute('aria-label') ?? one.textContent ?? '').trim().slice(0, 40) || one.id || one.name}`;
  const problems = [];
  for (const one of shown) {
    one.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    const box = one.getClientRects()[0];
    if (!box || box.width < 1) { problems.push(`no size: ${name(one)}`); continue; }
    if (box.left < -1 || box.right > innerWidth + 1) problems.push(`outside: ${name(one)} ${box.left}-${box.right}`);
    const label = one.closest('label');
    for (const [x, y] of [[.5, .5], [.1, .5], [.9, .5]]) {
      const hit = document.elementFromPoint(box.left + box.width * x, box.top + box.height * y);
      if (!hit || !(one.contains(hit) || hit.contains(one) && hit === label)) {
        problems.push(`covered: ${name(one)} by ${hit && hit.outerHTML.slice(0, 80)}`); break;
      }
    }
    if (one.matches('button, .button') && !one.matches('.chip, .head, .go, .group') && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== 'visible')
      problems.push(`cut: ${name(one)}`);
  }
  for (const one of document.querySelectorAll('.scroll, .toolbar, aside, main, header, footer, .finder'))
    if (one.checkVisibility() && one.scrollWidth > one.clientWidth + 1 && one.querySelector('button, input, select, a'))
      problems.push(`scrolls sideways: ${name(one)} ${one.scrollWidth} in ${one.clientWidth}`);
  scrollTo(0, 0);
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) problems.push(`the page is ${wide} wide`);
  return problems;
}"""


def looks(page: Any, name: str) -> list[Any]:
    """What is wrong with a page, light and dark."""
    found = list(page.evaluate(FOUND))
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(f"() => document.documentElement.dataset.theme === '{scheme}'")
        shot(page, f"zoom-{name}-{scheme}")
        found += violations(page)
    return found


def test_every_page_is_usable_at_twice_the_size(app: Any, boss: Any, person: Any) -> None:
    tour = prepare(app, boss, person, ZOOMED)
    boss.page.set_viewport_size(ZOOMED["viewport"])
    wrong = {stop.name: looks(stop.open(), stop.name) for stop in tour.stops()}
    assert len(wrong) > 25
    bad = {name: found for name, found in wrong.items() if found}
    assert not bad, json.dumps(bad, indent=1)


def test_a_phrase_is_marked_and_corrected_at_twice_the_size(annotator: Any) -> None:
    """Text and groups can be used side by side; the words that are selected stay in view."""
    one, sheet = annotator("Ann", TEXT, **ZOOMED)
    page = one.sheet(sheet)
    hand = Mouse(page)

    def press(name: str) -> None:
        """Where the button is: `click` of playwright would scroll the text under the toolbar."""
        box = page.get_by_role("button", name=name, exact=True).bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    hand.select(0, 1)
    press("New group")
    hand.tap(7)
    press("put into group 1, Clara Whitfield")
    assert page.evaluate("coindex.editor.state.mentions.size") == 2
    page.locator("#groups").get_by_role("button", name="remove she").click()
    assert page.evaluate("coindex.editor.state.mentions.size") == 1
    pane, groups = page.locator("#pane").bounding_box(), page.locator("aside").first.bounding_box()
    assert min(pane["height"], groups["height"]) >= 150, "room for three lines of text"
