"""The playground of `coindex serve` in a real browser: mouse, keyboard, phone, both themes, axe."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import coindex
from coindex.transform.brackets import bracketed_text
from coindex.transform.replace_pronouns import replace_pronouns
from service_samples import TEXT, ServiceProcess, running

pytestmark = pytest.mark.browser
pytest.importorskip("prometheus_client", reason="needs coindex[serve]")
TOKEN = "a-token-of-some-length"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    with running(tmp_path_factory.mktemp("service"), "--max-text", "5000") as made:
        yield made


class Visitor:
    """Someone with the page open; nothing may go wrong in it or leave this machine."""

    def __init__(self, chromium: Any, url: str, width: int = 1280, theme: str = "light") -> None:
        self.url, self.asked, self.wrong = url, list[str](), list[str]()
        self.context = chromium.new_context(
            viewport={"width": width, "height": 844}, color_scheme=theme,
            permissions=["clipboard-read", "clipboard-write"],
        )  # fmt: skip
        self.page = self.context.new_page()
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("console", lambda message: self._console(message))
        self.page.goto(url)
        self.page.wait_for_selector("#model option", state="attached")

    def _console(self, message: Any) -> None:
        if message.type == "error" and "status of 4" not in message.text:
            self.wrong.append(message.text)

    def resolve(self, text: str) -> None:
        self.page.fill("#text", text)
        self.page.click("#go")
        self.page.wait_for_selector("#result:not([hidden])")
        self.page.wait_for_selector("#status:has-text(' ms')")

    @property
    def viewer(self) -> Any:
        frame = self.page.query_selector("#viewer").content_frame()
        frame.wait_for_selector("#list button")
        return frame

    def tab(self, name: str) -> str:
        self.page.click(f"#tab-{name}")
        return str(self.page.text_content("#output"))

    def check(self) -> None:
        assert self.wrong == []
        local = (self.url, "data:", "about:")
        assert [url for url in self.asked if not url.startswith(local)] == []


def test_the_entities_are_drawn_as_show_draws_them(chromium: Any, service: ServiceProcess) -> None:
    visitor = Visitor(chromium, f"{service.url}/")
    visitor.resolve(TEXT)
    frame = visitor.viewer
    names = [each.inner_text() for each in frame.query_selector_all("#list .name")]
    assert names == ["Alice", "Bob"]
    frame.hover(".m >> nth=0")
    assert "confidence" in frame.inner_text("#card")
    assert visitor.page.inner_text("#status").startswith("4 mentions of 2 entities, in ")
    visitor.check()


def test_every_tab_shows_and_copies_what_the_library_gives(
    chromium: Any, service: ServiceProcess
) -> None:
    text = f"{TEXT} It's Bob's \"dog\" & <b>she</b> knew it."
    visitor = Visitor(chromium, f"{service.url}/")
    visitor.page.click("#options summary")
    visitor.page.check("#singletons")
    visitor.page.select_option("#markup", "none")
    visitor.resolve(text)
    document = coindex.load(threads=1, singletons=True, markup="none").resolve(text)
    assert visitor.tab("brackets") == bracketed_text(document)
    assert visitor.tab("replaced") == replace_pronouns(document).text
    visitor.page.click("#copy")
    visitor.page.wait_for_selector("#copied:has-text('Copied')")
    copied = visitor.page.evaluate("navigator.clipboard.readText()")
    assert copied == replace_pronouns(document).text
    answer = json.loads(visitor.tab("json"))
    assert len(answer["documents"][0]["entities"]) == len(document.entities)
    assert visitor.page.inner_text("#chosen") == "(markup: none, singletons)"
    done = subprocess.run(visitor.tab("curl"), shell=True, capture_output=True, text=True)
    if "option --json" not in done.stderr and done.returncode != 127:
        found = json.loads(done.stdout)["documents"][0]["entities"]
        assert found == answer["documents"][0]["entities"]
    program = visitor.tab("python")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        str([document.text_of(mention) for mention in entity.mentions])
        for entity in document.entities
    ]
    visitor.check()


def test_the_keyboard_is_enough(chromium: Any, service: ServiceProcess) -> None:
    visitor = Visitor(chromium, f"{service.url}/")
    page = visitor.page
    page.focus("#text")
    page.keyboard.type(TEXT)
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#result:not([hidden])")
    page.focus("#tab-entities")
    page.keyboard.press("ArrowRight")
    assert page.text_content("#output").startswith("Alice told Bob that Alice")
    assert page.evaluate("document.activeElement.id") == "tab-replaced"
    page.keyboard.press("End")
    assert page.text_content("#output").startswith("from coindex.client import")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "tab-entities"
    page.keyboard.press("Tab")  # into the frame, where the keys of the viewer work
    frame = visitor.viewer
    frame.focus(".b >> nth=0")
    page.keyboard.press("j")
    assert "she" in frame.inner_text("#card .said")
    visitor.check()


def test_files_are_opened_and_errors_told(
    chromium: Any, service: ServiceProcess, tmp_path: Path
) -> None:
    visitor = Visitor(chromium, f"{service.url}/")
    page = visitor.page
    page.click("#go")
    assert page.inner_text("#error").startswith("There is no text yet")
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "b.txt").write_bytes(b"\xff\xfe\x00")
    page.set_input_files("#file", tmp_path / "a.txt")
    page.wait_for_selector("#result:not([hidden])")
    assert page.input_value("#text") == TEXT
    page.set_input_files("#file", tmp_path / "b.txt")
    page.wait_for_selector("#error:has-text('b.txt')")
    page.fill("#text", "x" * 5001)
    page.click("#go")
    page.wait_for_selector("#error:has-text('5000')")
    assert "expected no more than 5000 characters" in page.inner_text("#error")
    assert page.is_hidden("#result")  # that of another text
    page.set_viewport_size({"width": 390, "height": 500})
    visitor.resolve(TEXT)
    page.click("#options summary")
    page.fill("#text", " ")
    page.click("#go")
    assert page.is_hidden("#result")
    assert page.inner_text("#status") == ""
    error = page.locator("#error").bounding_box()
    assert 0 <= error["y"] <= 500 - error["height"]
    page.evaluate(
        """() => { const data = new DataTransfer();
        data.items.add(new File(["Ann lost her hat."], "c.txt", {type: "text/plain"}));
        document.dispatchEvent(new DragEvent("drop", {dataTransfer: data, cancelable: true})); }"""
    )
    page.wait_for_selector("#error", state="hidden")
    page.wait_for_selector("#status:has-text('2 mentions of 1 entity')")
    assert page.input_value("#text") == "Ann lost her hat."
    visitor.check()


def test_nothing_in_a_text_runs_or_leaves(chromium: Any, service: ServiceProcess) -> None:
    visitor = Visitor(chromium, f"{service.url}/")
    bad = '</script><script>parent.hacked = 1</script><img src="http://x.invalid/" onerror="hacked=1">'
    visitor.resolve(f"{bad} Ann lost her keys. {bad}")
    assert visitor.viewer.inner_text(".text").count("hacked") == 4
    for name in ("replaced", "brackets", "json", "curl", "python"):
        visitor.tab(name)
    assert visitor.page.evaluate("window.hacked") is None
    assert visitor.page.locator("#output img, #output script").count() == 0
    visitor.check()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_it_fits_and_axe_has_nothing_to_say(
    chromium: Any, service: ServiceProcess, width: int, theme: str
) -> None:
    base = pytest.importorskip("axe_playwright_python.base", reason="axe-playwright-python")
    script = Path(base.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
    visitor = Visitor(chromium, f"{service.url}/", width, theme)
    page = visitor.page
    assert violations(page, script) == []
    page.click("#example")
    frame = visitor.viewer
    page.click("#options summary")
    for name in ("entities", "json", "replaced"):
        page.click(f"#tab-{name}")
        assert violations(page, script) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.click("#tab-entities")
    assert violations(frame, script) == []
    assert frame.evaluate("document.documentElement.scrollWidth") <= width
    page.goto(f"{service.url}/docs")
    assert violations(page, script) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    visitor.check()


def violations(page: Any, script: str) -> list[str]:
    """What axe finds wrong in a page or a frame."""
    page.evaluate(script)
    found = page.evaluate("axe.run(document, {iframes: false})")
    return [
        f"{each['id']}: {', '.join(str(node['target']) for node in each['nodes'])}"
        for each in found["violations"]
    ]


def test_a_service_with_tokens_asks_for_one(chromium: Any, tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text(f"{TOKEN}\n")
    with running(tmp_path, "--token-file", str(tmp_path / "tokens")) as service:
        visitor = Visitor(chromium, f"{service.url}/")
        visitor.page.wait_for_selector("#token", state="visible")
        visitor.page.fill("#text", TEXT)
        visitor.page.click("#go")
        visitor.page.wait_for_selector("#error:has-text('token')")
        visitor.page.fill("#token", TOKEN)
        visitor.resolve(TEXT)
        assert TOKEN not in visitor.tab("curl")
        visitor.check()
