"""`coindex annotate`: a project from import to export, and the app over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from golden import inputs
from golden.case import Case, Step, command

HERE = Path(__file__).resolve().parent.parent
NEEDS = ("sqlalchemy", "alembic", "starlette", "uvicorn")
RULES = ("times", "seconds", "ids", "shown", "secrets")
IGNORE = ("*.db*",)
BASE = "--database work.db"
SESSION = "import runpy\nrunpy.run_path('annotate_session.py', run_name='__main__')\n"


def session(scratch: Path) -> None:
    """The stories, and the script of an HTTP session."""
    inputs.stories(scratch)
    text = (HERE / "annotate_session.py").read_text("utf-8")
    inputs.written(scratch / "annotate_session.py", text)


def project(name: str, file: str, formats: tuple[str, ...]) -> Iterator[Step]:
    """Import a file, export all there is of it."""
    yield command(f"annotate import --project {name} {BASE} {file}")
    for which in ("documents", "sheets", "gold", "judgements"):
        yield command(f"annotate export --project {name} {BASE} --which {which}")
    for form in formats:
        yield command(
            f"annotate export --project {name} {BASE} --which documents --to {form} -o {name}.{form}"
        )
    yield command(f"annotate import --project {name} {BASE} {file} --json")


def cases() -> Iterator[Case]:
    """All cases of `annotate`."""
    steps = (
        command(f"annotate init {BASE}"), command(f"annotate init {BASE} --json"),
        *project("chains", "stories/pool.conll", ("conll2012", "corefud")),
        *project("pronouns", "stories/items.jsonl", ("gap",)),
        command(f"annotate import --project chains {BASE} stories/pool.conll --purpose gold"),
        command(f"annotate export --project chains {BASE} --to jsonlines -o gold.jsonl --json"),
        command(f"annotate import --project train {BASE} stories/train.conll --purpose training"),
        command(f"annotate import --project chains {BASE} stories/pool.conll --purpose suggestions --json"),
        *map(command, _people()),
    )  # fmt: skip
    yield Case(
        "annotate/project", steps, inputs.stories, NEEDS, ours=True, ignore=IGNORE, rules=RULES
    )
    steps = (
        command(f"annotate init {BASE}"), command(f"annotate import --project chains {BASE} stories/pool.conll"),
        command(f"annotate import --project pronouns {BASE} stories/items.jsonl"),
        Step(code=SESSION, plain=True), *_exports(),
    )  # fmt: skip
    yield Case("annotate/http", steps, session, NEEDS, ours=True, ignore=IGNORE, rules=RULES)
    yield _ezcoref()


def _people() -> tuple[str, ...]:
    return (
        f"annotate users invite --project chains --role manager {BASE}", f"annotate users list {BASE}",
        f"annotate users list --json {BASE}", f"annotate users invite {BASE}", f"annotate users disable x {BASE}",
        f"annotate backup {BASE} --backups copies", f"annotate doctor {BASE}", f"annotate doctor --json {BASE}",
        "annotate doctor --database nowhere.db", "annotate doctor --database mysql://x/y",
        f"annotate import --project chains {BASE} stories/problems.jsonl",
        f"annotate export --project nowhere {BASE}", "annotate users",
    )  # fmt: skip


def _exports() -> Iterator[Step]:
    for name, forms in (
        ("chains", ("conll2012", "document-jsonl")),
        ("pronouns", ("problem-jsonl",)),
    ):
        for which in ("gold", "sheets", "judgements"):
            for form in forms:
                out = f"{name}-{which}.{form}"
                yield command(
                    f"annotate export --project {name} {BASE} --which {which} --to {form} -o {out}"
                )
    yield command(f"annotate import --project again {BASE} chains-sheets.document-jsonl")
    yield command(f"annotate export --project again {BASE} --which sheets -o again.jsonl")
    yield command(f"annotate doctor {BASE}")
    yield command(f"annotate users list {BASE}")


def _ezcoref() -> Case:
    lines = (
        f"annotate init {BASE}", f"annotate import --project ez --from ezcoref {BASE} data/ezcoref",
        f"annotate export --project ez {BASE} --which sheets -o sheets.jsonl", f"annotate doctor {BASE}",
    )  # fmt: skip
    steps = tuple(map(command, lines))
    return Case("annotate/ezcoref", steps, None, ("data", *NEEDS), True, ignore=IGNORE, rules=RULES)
