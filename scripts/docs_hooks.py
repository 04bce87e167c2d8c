"""What the site has beside docs/: pages that stand elsewhere in the repository, and their links.

Pages are written for a repository browser: links are relative paths of files. On the site a link
to a file that is a page here leads to that page; one to another file of the repository is plain
text. Fences may have a file's name or what they need (```json file=pages.jsonl), for tests/docs;
the site shows the name as a title.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
CARDS = "src/coindex/assets/default/README.md"
CARD_PAGES = ("models/default.md", "models/default-pronoun.md", "models/default-parser.md")
CARD_ANCHORS = ("", "#model-card-the-pronoun-model", "#model-card-the-parser")
PAGES = {
    "packages/coindex-base/README.md": "models/base.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "research/README.md": "project/research.md",
    "research/models/README.md": "project/research-models.md",
    "research/pronoun_teacher/README.md": "project/pronoun-teacher.md",
    "research/results.md": "project/results.md",
    "research/quizbowl.md": "project/quizbowl.md",
    "research/active.md": "project/active.md",
    "README.md": "index.md",
}
"""Pages from elsewhere in the repository, and where they stand on the site."""
COPIES = {
    "src/coindex/transform/schemas/resolved-1.json": "reference/resolved-1.json",
}
NOT_SEARCHED = ("project/",)
BOOSTS = {"explanation/faq": 3, "tutorials/": 3, "how-to/": 2, "explanation/": 2, "models/": 1.5,
          "reference/glossary": 3, "reference/api": 0.3, "reference/commands": 0.5}  # fmt: skip
"""How much the hits of a page count in search, by the beginning of its path; the first applies."""
LINK = re.compile(
    r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]+)?\)"
)
FENCE = re.compile(r"^( *```\w+) +((?:file|needs)=\S+)[^\n]*$", re.MULTILINE)


def on_config(config: Any) -> Any:
    """Put pages that the navigation does not name at the end of their folder's section."""
    named = set(re.findall(r"[\w./-]+\.md", str(config.nav)))
    for path in sorted((ROOT / "docs").rglob("*.md")):
        page = path.relative_to(ROOT / "docs").as_posix()
        if page not in named:
            section(config.nav, page.partition("/")[0]).append(page)
    return config


def section(nav: list[Any], folder: str) -> list[Any]:
    """The part of the navigation with a folder's index, or else all of it."""
    for entry in nav:
        for pages in entry.values() if isinstance(entry, dict) else ():
            if isinstance(pages, list) and f"{folder}/index.md" in pages:
                return pages
    return nav


def on_files(files: Files, config: Any) -> Files:
    """Add the pages and files that stand outside docs/."""
    for source, target in generated():
        files.append(File.generated(config, target, content=source))
    for source, target in COPIES.items():
        content = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, target, content=content))
    return files


def generated() -> Iterator[tuple[str, str]]:
    """The text of each page from outside docs/, and its place."""
    for source, target in PAGES.items():
        if target != "index.md":
            yield (ROOT / source).read_text(encoding="utf-8"), target
    cards = re.split(r"^(?=# )", (ROOT / CARDS).read_text(encoding="utf-8"), flags=re.MULTILINE)
    yield from zip(filter(str.strip, cards), CARD_PAGES, strict=True)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links and fences as the site has them."""
    uri = page.file.src_uri
    if uri.startswith(NOT_SEARCHED):
        page.meta.setdefault("search", {})["exclude"] = True
    boost = next((value for name, value in BOOSTS.items() if uri.startswith(name)), 1)
    page.meta.setdefault("search", {})["boost"] = boost
    folder = posixpath.dirname(source_of(uri))
    here = posixpath.dirname(uri)
    text = LINK.sub(lambda match: link(match, folder, here), markdown)
    return FENCE.sub(lambda match: fence(match[1], match[2]), text)


def on_page_content(html: str, **_: Any) -> str:
    """A cell of a table's first row that says nothing is no heading, for those who hear it."""
    return re.sub(r"<th( [^>]*)?></th>", r"<td\1></td>", html)


def source_of(uri: str) -> str:
    """The path, in the repository, of what a page of the site was made from."""
    if uri in CARD_PAGES:
        return CARDS
    for source, target in PAGES.items():
        if target == uri and target != "index.md":
            return source
    return f"docs/{uri}"


def link(match: re.Match[str], folder: str, here: str) -> str:
    """A link of a page, made from a file in `folder`, that stands in `here` on the site."""
    image, text, path, anchor = match[1], match[2], match[3], match[4] or ""
    source = posixpath.normpath(posixpath.join(folder, path))
    if source == CARDS:
        number = CARD_ANCHORS.index(anchor) if anchor in CARD_ANCHORS else 0
        target, anchor = CARD_PAGES[number], "" if number else anchor
    elif source in PAGES or source in COPIES:
        target = PAGES.get(source) or COPIES[source]
    elif source.startswith("docs/"):
        target = source.removeprefix("docs/")
    elif (ROOT / source).exists():
        return text
    else:
        return match[0]
    return f"{image}[{text}]({posixpath.relpath(target, here or '.')}{anchor})"


def fence(opening: str, options: str) -> str:
    """The first line of a fence, with the name of its file as its title."""
    name = re.search(r"file=(\S+)", options)
    return f'{opening} title="{name[1]}"' if name else opening
