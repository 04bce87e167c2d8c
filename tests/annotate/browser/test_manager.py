"""The pages of managers in a real browser: documents, people, queue, dashboard, quality."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

SHOTS = os.environ.get("COINDEX_SHOTS")
HEAD = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL"
GAP = f"{HEAD}\nd-1\tAnn met Bea when she left.\tshe\t17\tAnn\t0\tTRUE\tBea\t8\tFALSE\thttp://x/1\n"
TABS = ("", "/documents", "/people", "/queue", "/adjudicate", "/quality", "/dashboard", "/export", "/settings")  # fmt: skip


def violations(page: Any) -> list[str]:
    """The rules of axe that a page breaks, with where."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python"
    )
    found = axe.Axe().run(page).response["violations"]
    return [f"{each['id']}: {[node['html'][:120] for node in each['nodes'][:3]]}" for each in found]


def settle(page: Any) -> None:
    page.locator("main h2").first.wait_for()
    page.wait_for_load_state("networkidle")


def looked_at(
    page: Any, app: Any, own: str, name: str, tabs: tuple[str, ...] = TABS
) -> dict[str, Any]:
    """What is wrong with the pages of a project, light and dark, narrow and wide."""
    wrong: dict[str, Any] = {}
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            for tab in tabs:
                page.goto(f"{app.url}{own}{tab}")
                settle(page)
                key = f"{name}{tab or '/overview'} {width} {scheme}"
                if SHOTS:
                    path = key.replace("/", "-").replace(" ", "-")
                    page.screenshot(path=f"{SHOTS}/manager-{path}.png", full_page=True)
                wide = page.evaluate("document.documentElement.scrollWidth")
                said = [*violations(page), *([f"{wide} px wide"] if wide > width else [])]
                shown = page.locator(".error:visible")
                if said or shown.count():
                    wrong[key] = said or shown.first.inner_text()
    return wrong


def finish(one: Any, base: str, spans: list[list[int]]) -> int:
    """Get the next document, mark something, and finish it."""
    sheet = one.call("POST", f"{base}/next", {})["sheet"]
    new = {"mention": "m", "spans": spans, "group": "g", "new_group": {"id": "g", "name": ""}}
    events = [{"id": f"{one.name}-{sheet}-1", "base": 0, "kind": "mention.add", "payload": new},
              {"id": f"{one.name}-{sheet}-2", "base": 0, "kind": "document.done", "payload": {"done": True}}]  # fmt: skip
    one.call("POST", f"/api/sheets/{sheet}/events", {"client": "t", "events": events})
    return int(sheet)


def new_project(app: Any, kind: str = "document", name: str = "Letters") -> int:
    made = app.api("POST", "/api/projects", {"name": name, "kind": kind, "settings": {"annotators": 2, "training_score": 80}})  # fmt: skip
    return int(made["project"]["id"])


def test_every_page_of_a_project_fits_and_axe_has_nothing_to_say(
    app: Any, boss: Any, person: Callable[..., Any]
) -> None:
    project = new_project(app)
    base = f"/api/projects/{project}"
    for number in range(3):
        app.api("POST", f"{base}/import?format=text&name=A letter from {number}.txt".replace(" ", "%20"), b"Ann told Bea that she had seen her brother. It was late.")  # fmt: skip
    training = {"id": "t", "tokens": ["Ann", "saw", "her", "brother", "."]}
    body = json.dumps({"doc_key": "t", "sentences": [training["tokens"]], "clusters": [[[0, 0], [2, 2]], [[2, 3]]]})  # fmt: skip
    app.api("POST", f"{base}/import?format=jsonlines&purpose=training&name=training", body.encode())
    app.api("POST", f"{base}/webhooks", {"url": "https://example.org/done"})
    for name in ("Ann", "Bob"):
        one = person(name)
        link = app.api("POST", f"{base}/invitations", {"role": "annotator"})["link"]
        one.register(app.url + link)
        finish(one, base, [[0, 1]])
        app.api("POST", f"{base}/training/{one.call('GET', '/api/me')['user']['id']}", {"passed": True})  # fmt: skip
        finish(one, base, [[0, 1] if name == "Ann" else [2, 3]])
    documents = app.api("GET", f"{base}/documents")["documents"]
    app.api("POST", f"/api/documents/{documents[1]['id']}/assign", {"name": "ann", "deadline": 1})
    assert looked_at(boss.page, app, f"/projects/{project}", "texts") == {}
    boss.page.goto(f"{app.url}/projects/{project}/people")
    boss.page.locator("summary", has_text="mistakes").first.click()
    boss.page.get_by_text("you missed “her brother”").first.wait_for()


def test_the_pages_of_pronouns_speak_of_items_and_names(app: Any, boss: Any, annotator: Any) -> None:  # fmt: skip
    one, sheet = annotator("Ann", GAP.encode(), "gap", kind="problem")
    project = one.call("GET", f"/api/sheets/{sheet}")["project"]["id"]
    page = one.sheet(sheet)
    page.get_by_role("button", name="Bea").click()
    page.wait_for_selector('#save[data-status="saved"]')
    own = tuple(tab for tab in TABS if tab != "/adjudicate")
    assert looked_at(boss.page, app, f"/projects/{project}", "items", own) == {}
    boss.page.goto(f"{app.url}/projects/{project}/quality")
    settle(boss.page)
    row = boss.page.locator("tbody tr").last
    assert "Ann met Bea when she left." in row.inner_text()
    assert "Bea (B)" in row.inner_text()
    assert row.get_by_role("link", name="Ann").get_attribute("href") == f"/sheets/{sheet}"
    boss.page.goto(f"{app.url}/projects/{project}/documents")
    boss.page.locator("h2", has_text="Items").wait_for()
    boss.page.get_by_role("button", name="d-1", exact=True).click()
    assert boss.page.locator("dialog mark").inner_text() == "she"


def test_documents_are_dropped_searched_previewed_renamed_and_deleted(
    app: Any, boss: Any, tmp_path: Path
) -> None:
    project, page = new_project(app), boss.page
    page.goto(f"{app.url}/projects/{project}/documents")
    settle(page)
    page.evaluate(
        """() => {
            const data = new DataTransfer();
            for (const name of ["One.txt", "Two.txt", "Broken.ann"]) data.items.add(new File(["Ann slept.\\nBea left."], name));
            document.querySelector(".drop").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        }"""
    )
    boss.allowed = ("422",)
    page.get_by_text("Imported 2 documents from 2 files; 1 file could not be read.").wait_for()
    page.get_by_role("button", name="One", exact=True).wait_for()
    # a file with a document on each line
    path = tmp_path / "Lines.txt"
    path.write_text("Ann slept.\n\nBea left.\n", encoding="utf-8")
    page.get_by_label("one document per line").check()
    page.get_by_label("Files", exact=True).first.set_input_files(str(path))
    page.get_by_role("button", name="Import").click()
    page.get_by_text("Imported 2 documents.").wait_for()
    # search
    page.get_by_label("Search documents").fill("lines")
    page.get_by_text("1–2 of 2").wait_for()
    assert page.locator("tbody .link").all_inner_texts() == ["Lines-1", "Lines-3"]
    page.get_by_label("Search documents").fill("")
    page.get_by_text("1–4 of 4").wait_for()
    # preview and rename
    page.get_by_role("button", name="One", exact=True).click()
    page.locator("dialog .preview").get_by_text("Bea left.").wait_for()
    page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Rename One").click()
    page.get_by_label("Name", exact=True).fill("First")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("button", name="First", exact=True).wait_for()
    # delete, and undo
    page.get_by_label("Select Two").check()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.locator("dialog").get_by_role("button", name="Delete").click()
    page.get_by_text("1 document deleted.").wait_for()
    page.get_by_text("1–3 of 3").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("1–4 of 4").wait_for()
    # archive, and restore from the list of archived ones
    page.get_by_label("Select First").check()
    page.get_by_role("button", name="Archive", exact=True).click()
    page.get_by_text("1 document archived.").wait_for()
    page.get_by_label("Which documents").select_option("archived")
    page.get_by_label("Select First").check()
    page.get_by_role("button", name="Restore").click()
    page.get_by_text("1 document restored.").wait_for()
    assert len(app.api("GET", f"/api/projects/{project}/documents")["documents"]) == 4


def test_files_of_one_name_in_a_folder_are_called_by_their_folders(
    app: Any, boss: Any, tmp_path: Path
) -> None:
    project, page = new_project(app), boss.page
    for name in ("north/1.txt", "south/1.txt", "south/2.txt", ".git/config"):
        path = tmp_path / "letters" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("Ann slept.", encoding="utf-8")
    page.goto(f"{app.url}/projects/{project}/documents")
    settle(page)
    page.get_by_label("A folder").first.set_input_files(str(tmp_path / "letters"))
    page.get_by_role("button", name="Import").click()
    page.get_by_text("Imported 3 documents from 3 files.").wait_for()
    found = app.api("GET", f"/api/projects/{project}/documents")["documents"]
    assert sorted(each["name"] for each in found) == ["2", "north-1", "south-1"]


def test_words_on_the_pages_of_managers(app: Any, boss: Any) -> None:
    project, page = new_project(app), boss.page
    page.goto(f"{app.url}/projects/{project}/people")
    settle(page)
    assert page.get_by_text("Nobody is a member yet.").count() == 1
    page.goto(f"{app.url}/projects/{project}/quality")
    settle(page)
    assert page.get_by_text("pairwise-mean|").is_hidden()


def test_a_new_account_begins_in_its_project(app: Any, boss: Any, annotator: Any) -> None:
    one, _ = annotator("Ann", b"Ann slept.")
    project = new_project(app)
    made = app.api("POST", f"/api/projects/{project}/invitations", {"role": "annotator"})
    page = one.page.context.browser.new_context().new_page()
    page.goto(made["link"] if made["link"].startswith("http") else app.url + made["link"])
    page.get_by_label("Your name").fill("Newcomer")
    for field in page.locator("input[type=password]").all():
        field.fill("four unusual words here 7")
    page.get_by_role("button", name="Create the account").click()
    page.wait_for_url(f"**/projects/{project}")
    page.context.close()


def test_somebody_with_an_account_joins_another_project(app: Any, boss: Any, annotator: Any) -> None:  # fmt: skip
    one, _ = annotator("Ann", b"Ann slept.")
    project, page = new_project(app), boss.page
    page.goto(f"{app.url}/projects/{project}/people")
    page.get_by_label("Invite as").select_option("adjudicator")
    page.get_by_role("button", name="Create a link").click()
    link = page.get_by_label("Link", exact=True).input_value()
    page.get_by_text("open", exact=True).wait_for()
    one.page.goto(link)
    one.page.get_by_role("button", name="Join as Ann").wait_for()
    assert violations(one.page) == []
    one.page.get_by_role("button", name="Join as Ann").click()
    one.page.wait_for_url(f"**/projects/{project}")
    page.reload()
    page.get_by_text("used by Ann").wait_for()
    assert page.get_by_label("Role of Ann").input_value() == "adjudicator"
    # a link that is revoked does not work
    page.get_by_role("button", name="Create a link").click()
    second = page.get_by_label("Link", exact=True).input_value()
    page.get_by_role("button", name="Revoke").click()
    page.get_by_role("button", name="Revoke").wait_for(state="detached")
    one.allowed = ("404",)
    one.page.goto(second)
    one.page.get_by_text("This link has been used or has expired").wait_for()


def test_a_project_is_deleted_and_comes_back(app: Any, boss: Any) -> None:
    project, page = new_project(app), boss.page
    page.goto(f"{app.url}/projects/{project}/settings")
    page.get_by_role("button", name="Delete the project").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.wait_for_url(app.url + "/")
    page.get_by_text("Archived and deleted projects (1)").click()
    assert violations(page) == []
    page.get_by_role("button", name="Restore Letters").click()
    page.get_by_role("link", name="Letters").wait_for()
    page.goto(f"{app.url}/projects/{project}/settings")
    page.get_by_role("button", name="Archive the project").click()
    page.get_by_text("This project is archived").wait_for()
    page.get_by_role("button", name="Restore the project").click()
    page.get_by_role("button", name="Archive the project").wait_for()


def test_somebody_erases_their_account(app: Any, annotator: Any) -> None:
    one, sheet = annotator("Ann", b"Ann slept.")
    page = one.page
    page.goto(f"{app.url}/account")
    with page.expect_download() as found:
        page.get_by_role("link", name="Export all my data").click()
    assert json.loads(Path(found.value.path()).read_text("utf-8"))["account"]["name"] == "Ann"
    page.get_by_label("Your password").last.fill("correct horse battery")
    assert violations(page) == []
    page.get_by_role("button", name="Erase my account").click()
    page.get_by_role("button", name="Erase", exact=True).click()
    page.wait_for_url("**/login*")
    assert app.api("GET", f"/api/sheets/{sheet}")["mine"] is False
    names = [each["name"] for each in app.api("GET", "/api/users")["users"]]
    assert "Ann" not in names
