"""50 simulated annotators at one action a second for a minute, on SQLite and on PostgreSQL,
and how fast a large document is in Chromium.

    python perf/annotate.py --people 50 --seconds 60 [--postgres URL] [--only load|browser]

A real server is started on each database. Each annotator has a sheet and sends one event a
second. Every event must be stored once. Beside it stands a bare insert with a commit into
the same database by one client, the least that storing anything costs, before and after;
the ratio is of the medians. Without --postgres a server of Debian's is started in a temporary folder if there
is one. Latencies are seen by the client, over HTTP.

In the browser: 10,000 words with 3,000 mentions in 300 groups must open within 0.8 s, 100,000 words
with 20,000 mentions in 2,000 groups within 1.5 s (median of seven times), and both must answer a key within 100 ms (95th
percentile). Both are measured by the page itself: from the navigation to the frame in which it can be
used, and from a key to the frame that shows what it did. A limit that is not held makes the exit status 1;
`ratio` is what was measured over the limit. `work` is processor time of the page's main thread, drawing
included: it says what the page costs on a machine that is busy with other things.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from sqlalchemy import func, select, text

from coindex.annotate.people.accounts import Accounts
from coindex.annotate.store.database import Database
from coindex.annotate.store.doctor import examine
from coindex.annotate.store.tables import events
from coindex.types.document import Document

_server: Any = import_module("annotate_server")  # what the tests of faults start, too
_postgres: Any = import_module("annotate_postgres")
_scale: Any = import_module("annotate_scale")
TOKENS = 200
ANSWERED = "performance.getEntriesByType('resource').filter(one => one.name.includes('/api/sheets/' + coindex.live.id + '?')).map(one => one.responseEnd - one.requestStart)[0]"  # fmt: skip


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def bare_inserts(url: str, count: int = 300) -> list[float]:
    """Milliseconds of one insert with its commit, alone."""
    taken = []
    with closing(Database(url)) as database:
        with database.write() as connection:
            connection.execute(text("CREATE TABLE IF NOT EXISTS bare (id INTEGER, body TEXT)"))
        for number in range(count):
            start = time.perf_counter()
            with database.write() as connection:
                row = {"id": number, "body": "x" * 300}
                connection.execute(text("INSERT INTO bare VALUES (:id, :body)"), row)
            taken.append(1000 * (time.perf_counter() - start))
    return taken


def annotator(
    server: Any, token: str, seconds: int, offset: float, taken: list[float], ids: list[str]
) -> None:
    """One person: a mention a second, each in a group of its own or an old one."""
    sheet = server.ask(token, "POST", "/api/projects/1/next", {})[1]["sheet"]
    connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
    begin = time.perf_counter() + offset
    revision = 0
    for number in range(seconds):
        time.sleep(max(0.0, begin + number - time.perf_counter()))
        group = f"g{number % 10}"
        payload: dict[str, Any] = {
            "mention": f"m{number}",
            "spans": [[number, number + 2]],
            "group": group,
        }
        if number < 10:
            payload["new_group"] = {"id": group, "name": ""}
        id = uuid.uuid4().hex
        event = {"id": id, "base": revision, "kind": "mention.add", "payload": payload}
        body = {"client": "tab", "events": [event]}
        start = time.perf_counter()
        connection.request("POST", f"/api/sheets/{sheet}/events", *_server.packed(token, body))
        told = json.loads(connection.getresponse().read())
        taken.append(1000 * (time.perf_counter() - start))
        if told["results"][0]["status"] == "stored":
            ids.append(id)
        revision = told["revision"]


def load(name: str, url: str, people: int, seconds: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        words = [f"word{number}" for number in range(TOKENS)]
        tokens = _server.prepare(url, people, [Document.of("d", [words])])
        bare = bare_inserts(url)
        server = _server.Server(url, Path(folder))
        server.start()
        taken: list[float] = []
        ids: list[str] = []
        threads = [
            threading.Thread(
                target=annotator, args=(server, token, seconds, number / people, taken, ids)
            )
            for number, token in enumerate(tokens)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        server.stop()
        bare += bare_inserts(url)
        with closing(Database(url)) as database:
            with database.read() as connection:
                stored = connection.execute(select(func.count(events.c.id.distinct()))).scalar_one()
                rows = connection.execute(select(func.count()).select_from(events)).scalar_one()
            wrong = len(examine(database).problems)
    middle = statistics.median(taken)
    return {
        "database": name, "annotators": people, "seconds": seconds, "sent": len(taken),
        "answered_stored": len(ids), "rows": rows, "distinct": stored, "wrong": wrong,
        "ms": {"p50": middle, "p90": percentile(taken, 0.9), "p95": percentile(taken, 0.95),
               "p99": percentile(taken, 0.99), "max": max(taken)},
        "bare_insert_ms": statistics.median(bare), "ratio": middle / statistics.median(bare),
    }  # fmt: skip


def browser(scale: Any, times: int = 7, keys: int = 400) -> dict[str, Any] | None:
    """What the page measured, beside its limits; None where there is no browser."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if path is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        url = f"{folder}/scale.db"
        (token,) = _server.prepare(url, 1, [scale.document()])
        with closing(Database(url)) as database, database.write() as connection:
            secret = Accounts(database).open(connection, 1).secret
        server = _server.Server(url, Path(folder))
        server.start()
        try:
            sheet = server.ask(token, "POST", "/api/projects/1/next", {})[1]["sheet"]
            with closing(Database(url)) as database:
                _scale.fill(database, sheet, 1, scale)
            with sync_playwright() as play:
                opened = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
                return _measured(
                    opened, f"http://127.0.0.1:{server.port}", secret, sheet, scale, times, keys
                )
        finally:
            server.stop()


def _measured(
    chromium: Any, base: str, secret: str, sheet: int, scale: Any, times: int, keys: int
) -> dict[str, Any]:
    context = chromium.new_context(viewport={"width": 1320, "height": 820})
    context.add_cookies([{"name": "coindex_session", "value": secret, "url": base}])
    page = context.new_page()
    busy = _scale.worked(page)
    opened, work, spent = [], [], [0.0]
    for _ in range(times):
        page.goto(f"{base}/sheets/{sheet}")
        page.wait_for_selector("body[data-ready]")
        opened.append(page.evaluate(_scale.OPENED))
        work.append(busy())  # counted from the navigation on
    answered = page.evaluate(ANSWERED)
    scale.press(page, keys, 120, lambda key, begins: spent.append(busy() * (-1 if begins else 1)))
    key_work = [end + begin for begin, end in zip(spent[1::2], spent[2::2], strict=True)]
    told = page.evaluate("coindex.timing.summary()")
    chromium.close()
    limits, median = told["limits"], statistics.median(opened)
    return {
        "page": f"{scale.words} words, {scale.mentions} mentions, {scale.groups} groups",
        "opened_ms": {"first": opened[0], "median": median, "longest": max(opened)},
        "of_which_server_ms": answered, "main_thread_work_ms": statistics.median(work),
        "opened_limit_ms": limits["opened"], "opened_ratio": median / limits["opened"],
        "opened_within": median <= limits["opened"] == scale.opens_within,
        "keys": told["keys"],
        "key_ms": {"p50": told["median"], "p95": told["p95"], "max": told["longest"]},
        "key_work_ms": {"p50": statistics.median(key_work), "p95": percentile(key_work, 0.95)},
        "key_p95_limit_ms": limits["key"], "key_ratio": told["p95"] / limits["key"],
        "key_within": told["p95"] <= limits["key"],
    }  # fmt: skip


@contextmanager
def postgres(given: str | None) -> Iterator[str | None]:
    """A PostgreSQL to use: the one that is named, or one started here."""
    if given:
        yield given
        return
    with _postgres.started() as address:
        yield None if address is None else f"{address}/postgres"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--postgres", metavar="URL", help="an empty database")
    parser.add_argument("--only", choices=("load", "browser"))
    options = parser.parse_args()
    print(
        f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f} at the start",
        file=sys.stderr,
    )
    held = True
    for scale in () if options.only == "load" else (_scale.LARGE, _scale.HUGE):
        found = browser(scale)
        if found is None:
            print("no Chromium and playwright here: no page was measured", file=sys.stderr)
            break
        print(json.dumps(found, indent=1), flush=True)
        held = held and found["opened_within"] and found["key_within"]
    if options.only != "browser":
        loads(options)
    if not held:
        sys.exit("a limit of the page is not held")


def loads(options: argparse.Namespace) -> None:
    """Both databases."""
    with tempfile.TemporaryDirectory() as folder:
        told = load("sqlite", f"{folder}/load.db", options.people, options.seconds)
        print(json.dumps(told, indent=1), flush=True)
    with postgres(options.postgres) as url:
        if url is None:
            print("no PostgreSQL here: apt-get install postgresql", file=sys.stderr)
            return
        print(json.dumps(load("postgresql", url, options.people, options.seconds), indent=1))


if __name__ == "__main__":
    main()
