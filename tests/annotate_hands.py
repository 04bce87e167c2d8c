"""Hands for the editor: a mouse, a finger, a keyboard. Each counts what it does."""

from __future__ import annotations

from typing import Any

from annotate_looks import PHONE


def word(page: Any, at: int) -> dict[str, float]:
    """Where a word is."""
    box = page.evaluate(
        "at => { const box = coindex.editor.view.words[at].getBoundingClientRect();"
        " return { x: box.x, y: box.y, width: box.width, height: box.height } }",
        at,
    )
    return dict(box)


class Mouse:
    """A mouse, and no key."""

    options: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}  # noqa: RUF012

    def __init__(self, page: Any) -> None:
        self.page, self.actions = page, 0

    def middle(self, at: int) -> tuple[float, float]:
        box = word(self.page, at)
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def tap(self, at: int) -> None:
        self.actions += 1
        self.page.mouse.click(*self.middle(at))

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        self.actions += 1
        self.page.mouse.move(*start)
        self.page.mouse.down()
        for step in range(1, 6):
            part = step / 5
            self.page.mouse.move(
                start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part
            )
        self.page.mouse.up()

    def select(self, first: int, last: int) -> None:
        self.drag(self.middle(first), self.middle(last))

    def press(self, name: str) -> None:
        """A button beside the selection, or elsewhere on the page."""
        self.actions += 1
        self.click(self.page.get_by_role("button", name=name, exact=True).last)

    def click(self, button: Any) -> None:
        button.click()

    def write(self, text: str) -> None:
        self.page.get_by_role("textbox").fill(
            text
        )  # words have to be typed, whatever one points with
        self.press("Save")

    def pick(self, name: str) -> None:
        self.actions += 1
        self.click(self.page.get_by_role("option").filter(has_text=name))

    # ---- the words of the loop

    def activate(self, role: Any, name: str) -> None:
        """A button or a link anywhere on the page."""
        self.actions += 1
        self.click(self.page.get_by_role(role, name=name).last)

    def mark(self, first: int, last: int, group: str | None) -> None:
        """Put words into a group by its key and name; None: a new one."""
        inside = self.page.evaluate("at => coindex.editor.state.around(at).length > 0", first)
        if first != last:
            self.select(first, last)
        elif inside:
            box = word(self.page, first)
            y = box["y"] + box["height"] / 2
            self.drag((box["x"] + 0.3 * box["width"], y), (box["x"] + 0.95 * box["width"], y))
        else:
            self.tap(first)
        self.press("New group" if group is None else f"put into group {group}")

    def also(self, name: str) -> None:
        """Put the mention at hand into a further group."""
        self.press("Also in…")
        self.pick(name)

    def done(self) -> None:
        self.activate("button", "Done")
        self.activate("button", "Next document")

    def answer(self, number: int) -> None:
        self.actions += 1
        self.click(self.page.locator(".answers button").nth(number - 1))

    def finish(self) -> None:
        self.activate("button", "Finish")


class Touch(Mouse):
    """A finger on a phone."""

    options = PHONE

    def __init__(self, page: Any) -> None:
        super().__init__(page)
        self.session = page.context.new_cdp_session(page)

    def send(self, kind: str, x: float = 0, y: float = 0) -> None:
        points = [] if kind == "touchEnd" else [{"x": x, "y": y}]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def tap(self, at: int) -> None:
        self.actions += 1
        self.page.touchscreen.tap(*self.middle(at))

    def drag(self, start: tuple[float, float], end: tuple[float, float], hold: int = 0) -> None:
        self.actions += 1
        self.send("touchStart", *start)
        self.page.wait_for_timeout(hold)
        for step in range(1, 11):
            part = step / 10
            self.send("touchMove", start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part)  # fmt: skip
        self.send("touchEnd")

    def click(self, button: Any) -> None:
        button.tap()


class Keyboard(Mouse):
    """Keys, and nothing else: Tab reaches buttons and links."""

    def key(self, *names: str) -> None:
        for name in names:
            self.actions += 1
            self.page.keyboard.press(name)

    def activate(self, role: Any, name: str) -> None:
        wanted = self.page.get_by_role(role, name=name).last
        wanted.wait_for()
        for _ in range(60):
            if wanted.evaluate("one => one === document.activeElement"):
                return self.key("Enter")
            self.key("Tab")
        raise AssertionError(f"Tab does not reach {name!r}")

    def go(self, token: int) -> None:
        self.key("Escape")
        while (here := self.page.evaluate("coindex.editor.cursor")) != token:
            self.key("ArrowRight" if here < token else "ArrowLeft")

    def mark(self, first: int, last: int, group: str | None) -> None:
        self.go(first)
        self.key(*["Shift+ArrowRight"] * (last - first))
        self.key("+" if group is None else group.split(",")[0])

    def also(self, name: str) -> None:
        at = self.page.evaluate(
            "name => coindex.editor.state.numbered().findIndex((one) => coindex.editor.list.name(one) === name)", name
        )  # fmt: skip
        self.key(f"Shift+Digit{at + 1}")

    def done(self) -> None:
        self.key("Control+Enter")
        self.page.get_by_text("Continue with the next document?").wait_for()
        self.key("Enter")

    def answer(self, number: int) -> None:
        self.key(f"Alt+{number}")

    def finish(self) -> None:
        self.key("Control+Enter")
