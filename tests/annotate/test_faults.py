"""What can go wrong, with nothing lost and nothing doubled.

SIGKILL of the server between requests and during them, answers that are dropped, two tabs,
a full disk, a migration that is interrupted, two servers on one database.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, inspect, select

from annotate_help import Bench, Time, event
from annotate_server import Server, packed, prepare
from annotate_web import text
from coindex.annotate.errors import ApiError
from coindex.annotate.exchange.export import export_items
from coindex.annotate.store import backup, migrate
from coindex.annotate.store.database import Database
from coindex.annotate.store.doctor import examine
from coindex.annotate.store.events import EventStore
from coindex.annotate.store.restore import restore
from coindex.annotate.store.tables import assignments, events, projects
from coindex.annotate.web import server as run
from coindex.annotate.web.server import BackupThread, open_database


@pytest.fixture
def server(url: str, tmp_path: Path) -> Iterator[tuple[Server, str]]:
    (token,) = prepare(url, 1, [text("d")])
    made = Server(url, tmp_path)
    made.start()
    yield made, token
    made.stop()


def sheet_of(server: Server, token: str) -> int:
    return int(server.ask(token, "POST", "/api/projects/1/next", {})[1]["sheet"])


def note(number: int) -> dict[str, Any]:
    payload = {"text": f"note {number}"}
    return {"id": uuid.uuid4().hex, "base": 0, "kind": "document.note", "payload": payload}


def test_sigkill_between_requests_loses_nothing(server: tuple[Server, str]) -> None:
    running, token = server
    sheet = sheet_of(running, token)
    path = f"/api/sheets/{sheet}/events"
    sent = []
    for number in range(6):
        given = note(number)
        status, told = running.ask(token, "POST", path, {"client": "t", "events": [given]})
        assert (status, told["results"][0]["status"]) == (200, "stored")
        sent.append(given)
        if number % 3 == 2:
            running.kill()
            running.start()
    status, told = running.ask(token, "POST", path, {"client": "t", "events": sent})
    assert {each["status"] for each in told["results"]} == {"known"}
    assert told["revision"] == 6
    running.stop()
    with closing(Database(running.url)) as database:
        health = examine(database)
    assert (health.problems, health.events) == ((), 6)


def test_sigkill_during_requests_loses_nothing_that_was_answered(
    server: tuple[Server, str],
) -> None:
    """An outbox sends each event until it is answered, while the server is killed under it."""
    running, token = server
    sheet = sheet_of(running, token)
    path = f"/api/sheets/{sheet}/events"
    answered: list[str] = []
    wanted = [note(number) for number in range(60)]
    done = threading.Event()

    def send() -> None:
        for given in wanted:
            while given["id"] not in answered:
                with suppress(OSError, HTTPException, ValueError):
                    status, told = running.ask(
                        token, "POST", path, {"client": "t", "events": [given]}
                    )
                    if status == 200 and told["results"][0]["status"] in ("stored", "known"):
                        answered.append(given["id"])
        done.set()

    thread = threading.Thread(target=send, daemon=True)
    thread.start()
    for _ in range(3):
        time.sleep(0.15)
        running.kill()
        running.start()
    assert done.wait(120)
    running.stop()
    with closing(Database(running.url)) as database:
        with database.read() as connection:
            wanted_ids = select(events.c.id).where(events.c.assignment == sheet)
            stored = connection.execute(wanted_ids.order_by(events.c.revision)).scalars().all()
        assert stored == [given["id"] for given in wanted]
        assert examine(database).problems == ()


def test_every_third_answer_dropped_doubles_nothing(server: tuple[Server, str]) -> None:
    running, token = server
    sheet = sheet_of(running, token)
    path = f"/api/sheets/{sheet}/events"
    waiting = [note(number) for number in range(12)]
    ids = [each["id"] for each in waiting]
    number = 0
    while waiting:
        number += 1
        body = {"client": "t", "events": waiting[:2]}
        if number % 3 == 0:  # the request arrives; its answer is never read
            connection = HTTPConnection("127.0.0.1", running.port, timeout=30)
            connection.request("POST", path, *packed(token, body))
            connection.close()
            continue
        _, told = running.ask(token, "POST", path, body)
        assert {each["status"] for each in told["results"]} <= {"stored", "known"}
        waiting = waiting[2:]
    _, told = running.ask(token, "GET", f"{path}?after=0")
    assert [each["id"] for each in told["events"]] == ids


def test_two_servers_on_one_database_make_one_sequence(benches: Bench) -> None:
    others = [EventStore(benches.database), benches.events]
    wrong: list[Any] = []

    def work(own: EventStore, name: str) -> None:
        for number in range(15):
            given = event("group.add", 0, group=f"{name}{number}", name="")
            result = own.store(benches.sheet, benches.user, name, [given])[1][0]
            if result["status"] != "stored":
                wrong.append(result)

    threads = [threading.Thread(target=work, args=(own, f"t{n}")) for n, own in enumerate(others)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # Both count keys from the same list, so orders differ: no group lost, none doubled.
    assert wrong == []
    assert examine(benches.database).problems == ()
    with benches.database.read() as connection:
        assert connection.execute(select(assignments.c.revision)).scalar() == 30


def test_a_full_disk_refuses_and_keeps_what_was_there(bench: Bench) -> None:
    assert bench.do("document.note", text="before")["status"] == "stored"
    bench.database.close()
    _limit(bench.database, 0)
    big = [event("document.note", 1, text="x" * 2000) for _ in range(400)]
    with pytest.raises(ApiError) as caught:
        bench.send(big)
    assert (caught.value.status, caught.value.code) == (503, "storage")
    bench.database.close()
    _limit(bench.database, 1 << 30)
    assert examine(bench.database).events == 1
    again = bench.send(big)  # the outbox sends the same events when there is room
    assert {each["status"] for each in again} == {"stored"}
    assert examine(bench.database).problems == ()


def _limit(database: Database, spare: int) -> None:
    """Pages the database may have: what SQLite says of a full disk."""
    from sqlalchemy.event import listen, remove

    def limit(raw: sqlite3.Connection, _: Any) -> None:
        pages = raw.execute("PRAGMA page_count").fetchone()[0]
        raw.execute(f"PRAGMA max_page_count={pages + spare // 4096}")

    old = getattr(database, "limit", None)
    if old is not None:
        remove(database.engine, "connect", old)
    listen(database.engine, "connect", limit)
    database.limit = limit  # type: ignore[attr-defined]


LAST = migrate.versions()[-1]
NEXT = f"{int(LAST) + 1:04}"


def scripts_with(tmp_path: Path, body: str) -> Path:
    """The migrations, and one more that may fail."""
    folder = tmp_path / "migrations"
    shutil.copytree(migrate.SCRIPTS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / f"v{NEXT}_more.py").write_text(
        f'from alembic import op\nrevision = "{NEXT}"\ndown_revision = "{LAST}"\n\n\ndef upgrade():\n{body}'
    )
    return folder


def test_a_migration_that_is_interrupted_leaves_all_as_it_was(
    database: Database, tmp_path: Path
) -> None:
    bench = Bench(database)
    bench.do("document.note", text="kept")
    make = (
        '    op.execute("CREATE TABLE more (id INTEGER)")\n    op.execute("DELETE FROM records")\n'
    )
    broken = scripts_with(tmp_path, f"{make}    raise KeyboardInterrupt\n")
    backups = tmp_path / "backups"
    with pytest.raises(KeyboardInterrupt):
        migrate.migrate(database, backups, broken)
    assert migrate.current_version(database) == LAST
    with database.read() as connection:
        assert "more" not in inspect(connection).get_table_names()
    assert examine(database).problems == ()
    assert f"before-{NEXT}" in backup.list_backups(backups)[0].name
    shutil.rmtree(broken)
    whole = scripts_with(tmp_path, '    op.execute("CREATE TABLE more (id INTEGER)")\n')
    assert migrate.migrate(database, backups, whole) == [NEXT]
    assert examine(database).problems == ()


def test_a_server_that_is_killed_in_a_migration_leaves_all_as_it_was(
    database: Database, tmp_path: Path, url: str
) -> None:
    bench = Bench(database)
    bench.do("document.note", text="kept")
    body = (
        '    op.execute("CREATE TABLE more (id INTEGER)")\n    op.execute("DELETE FROM records")\n'
        "    import os, signal\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    broken = scripts_with(tmp_path, body)
    code = (
        "import sys; from pathlib import Path; from coindex.annotate.store.database import Database;"
        " from coindex.annotate.store.migrate import migrate;"
        " migrate(Database(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))"
    )
    command = [sys.executable, "-c", code, url, str(tmp_path / "backups"), str(broken)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert migrate.current_version(database) == LAST
    with database.read() as connection:
        assert "more" not in inspect(connection).get_table_names()
    health = examine(database)
    assert (health.problems, health.events) == ((), 1)
    assert f"before-{NEXT}" in backup.list_backups(tmp_path / "backups")[0].name
    assert bench.do("document.note", base=1, text="and on")["status"] == "stored"


def test_a_newer_database_is_not_touched(light: Database, tmp_path: Path) -> None:
    whole = scripts_with(tmp_path, '    op.execute("CREATE TABLE more (id INTEGER)")\n')
    migrate.migrate(light, None, whole)
    from coindex.errors import InputError

    with pytest.raises(InputError, match=f"of version {NEXT}, which this coindex does not know"):
        migrate.migrate(light, None)


def test_the_migrations_make_the_tables_that_the_code_expects(database: Database) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    from coindex.annotate.store.tables import metadata

    with database.read() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def beside(database: Database, tmp_path: Path, url: str) -> Database:
    """An empty database of the same kind."""
    if database.sqlite:
        return Database(str(tmp_path / "restored.db"), Time())
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute('DROP DATABASE IF EXISTS "restored"')
        connection.execute('CREATE DATABASE "restored"')
    return Database(f"{url.rpartition('/')[0]}/restored", Time())


NEWER = """    import sqlalchemy as sa
    op.add_column("documents", sa.Column("colour", sa.String(20), server_default="red", nullable=False))
    op.create_table("paints", sa.Column("id", sa.Integer, primary_key=True))
"""


def test_a_backup_of_an_older_version_comes_back_and_is_brought_to_this_one(
    benches: Bench, tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `migrate` copies before it changes tables is what a newer coindex must restore."""
    from sqlalchemy import Column, Integer, MetaData, String, Table, text

    from coindex.annotate.store.tables import metadata

    benches.do("document.note", text="kept")
    newer = scripts_with(tmp_path, NEWER)
    tables = MetaData()  # those of the newer coindex
    for table in metadata.sorted_tables:
        table.to_metadata(tables)
    tables.tables["documents"].append_column(Column("colour", String(20), nullable=False))
    Table("paints", tables, Column("id", Integer, primary_key=True))
    monkeypatch.setattr(backup, "metadata", tables)
    assert migrate.migrate(benches.database, tmp_path / "backups", newer) == [NEXT]
    (made,) = backup.list_backups(tmp_path / "backups")
    assert f"before-{NEXT}" in made.name
    other = beside(benches.database, tmp_path, url)
    restore(tmp_path / "backups" / made.name, other, newer)
    assert migrate.current_version(other) == NEXT
    with other.read() as connection:
        assert connection.execute(text("SELECT colour FROM documents")).scalars().all() == ["red"]
    assert examine(other).events == 1
    with other.write() as connection:  # the next numbers come after those that were put in
        connection.execute(text("INSERT INTO paints DEFAULT VALUES"))
    other.close()
    benches.database.close()


def test_a_copy_of_an_unknown_version_or_no_copy_is_refused(
    postgres_url: str, tmp_path: Path
) -> None:
    import gzip

    from coindex.errors import InputError

    database = Database(postgres_url, Time())
    for content, told in (
        (b'{"coindex": "annotate", "version": "9999"}\n', "found '9999'"),
        (b"nonsense\n", "expected a backup made by"),
        (b"", "found None"),
    ):
        (tmp_path / "x.jsonl.gz").write_bytes(gzip.compress(content))
        with pytest.raises(InputError, match=told):
            restore(tmp_path / "x.jsonl.gz", database)
    (tmp_path / "x.jsonl.gz").write_bytes(gzip.compress(b"x" * 9999)[:40])
    with pytest.raises(InputError, match="expected a backup made by"):
        restore(tmp_path / "x.jsonl.gz", database)
    assert migrate.current_version(database) is None
    database.close()


def test_a_backup_is_on_the_disk_before_it_has_its_name(
    benches: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    real_sync, real_replace = os.fsync, os.replace

    def sync(number: int) -> None:
        done.append(f"sync {Path(os.readlink(f'/proc/self/fd/{number}')).name}")
        real_sync(number)

    def rename(old: Path, new: Path) -> None:
        done.append(f"name {new.name}")
        real_replace(old, new)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(os, "replace", rename)
    made = backup.back_up(benches.database, tmp_path / "b")
    assert done[-3].startswith(f"sync .{made.name[:40]}.")
    assert done[-2:] == [f"name {made.name}", "sync b"]


def test_a_backup_that_fails_leaves_nothing_that_looks_like_one(
    benches: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from coindex.errors import InputError

    def broken(number: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(InputError, match="cannot be written: Input/output error"):
        backup.back_up(benches.database, tmp_path / "b")
    assert list((tmp_path / "b").iterdir()) == []


def test_a_backup_is_whole_and_comes_back(benches: Bench, tmp_path: Path, url: str) -> None:
    benches.do("document.note", text="kept")
    made = backup.back_up(benches.database, tmp_path / "backups")
    benches.do("document.note", base=1, text="after")
    other = beside(benches.database, tmp_path, url)
    restore(tmp_path / "backups" / made.name, other)
    health = examine(other)
    assert (health.problems, health.events) == ((), 1)
    more = EventStore(other)
    result = more.store(benches.sheet, benches.user, "t", [event("document.flag", 1, unsure=True)])
    assert result[1][0]["status"] == "stored"
    with other.read() as connection:
        assert connection.execute(select(func.count()).select_from(events)).scalar() == 2
    other.close()


def test_backups_by_time_are_made_and_pruned(bench: Bench, tmp_path: Path, time: Time) -> None:
    clockwork = BackupThread(bench.database, tmp_path / "b", 60, keep=2)
    asked = backup.back_up(bench.database, tmp_path / "b")
    for _ in range(4):
        time.pass_(3600)
        clockwork.once()
    names = [each.name for each in backup.list_backups(tmp_path / "b")]
    assert len([name for name in names if "scheduled" in name]) == 2
    assert asked.name in names
    (tmp_path / "file").write_text("")
    bad = BackupThread(bench.database, tmp_path / "file")
    bad.once()
    assert bad.failed


def test_a_failed_backup_is_not_the_last(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    clockwork = BackupThread(bench.database, tmp_path / "b")
    with monkeypatch.context() as patch:
        patch.setattr(run, "back_up", full)
        clockwork.once()
    assert clockwork.failed == "database or disk is full"
    clockwork.once()
    assert clockwork.failed is None
    assert len(backup.list_backups(tmp_path / "b")) == 1


def test_a_database_of_version_0_1_opens(tmp_path: Path) -> None:
    old = Path(__file__).resolve().parents[1] / "golden" / "v01" / "work.db"
    if not old.exists():
        pytest.skip("the golden run's database of version 0.1 is not there")
    shutil.copyfile(old, tmp_path / "work.db")
    database = open_database(str(tmp_path / "work.db"))
    health = examine(database)
    assert health.problems == ()
    assert health.assignments > 0
    with database.read() as connection:
        row = connection.execute(select(projects).where(projects.c.name == "chains")).one()
        items, _ = export_items(connection, row.id, "sheets")
    assert len(items) > health.assignments / 2
    database.close()
