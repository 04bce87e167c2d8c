"""Webhooks: signed, repeated, and never sent to the server's own network."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from annotate_help import Time
from annotate_web import World
from coindex.annotate.errors import ApiError
from coindex.annotate.store.database import Database
from coindex.annotate.webhooks import requests
from coindex.annotate.webhooks.deliveries import RETRIES, send_due, signature


class Receiver:
    """A server that keeps what it gets, and answers with the next of some statuses."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.statuses: list[int] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                receiver.got.append((dict(self.headers.items()), body))
                status = receiver.statuses.pop(0) if receiver.statuses else 200
                self.send_response(status)
                self.send_header("Location", "http://127.0.0.1:1/elsewhere")
                self.end_headers()

            def log_message(self, *args: Any) -> None:
                pass

        self.http = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/done?x=1"
        self.thread = threading.Thread(target=self.http.serve_forever, daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.close()


def finish(world: World, who: str) -> None:
    sheet = world[who].post(f"/api/projects/{world.project}/next")["sheet"]
    assert world[who].act(sheet, "document.done", done=True)["status"] == "stored"


def test_finished_work_is_told_and_signed(database: Database, receiver: Receiver) -> None:
    world = World(database)
    world.fill(1)
    path = f"/api/projects/{world.project}/webhooks"
    secret = world["manager"].post(path, {"url": receiver.url})["secret"]
    finish(world, "annotator")
    finish(world, "second")
    assert send_due(database, private=True) == 4
    assert send_due(database, private=True) == 0  # each once
    told = [json.loads(body) for _, body in receiver.got]
    kinds = ["assignment.done", "assignment.done", "document.done", "project.done"]
    assert [each["kind"] for each in told] == kinds
    assert (told[0]["annotator"], told[0]["document"]["name"]) == ("annotator", "work-0")
    for headers, body in receiver.got:
        expected = signature(secret, int(headers["X-Coindex-Timestamp"]), body)
        assert headers["X-Coindex-Signature"] == expected
    assert signature("other", 1, b"x") != signature(secret, 1, b"x")
    (hook,) = world["manager"].get(path)["webhooks"]
    assert {each["state"] for each in hook["deliveries"]} == {"delivered"}
    assert secret not in json.dumps(hook)


def test_what_is_not_received_is_sent_again_and_given_up_in_the_end(
    light: Database, time: Time, receiver: Receiver
) -> None:
    world = World(light)
    path = f"/api/projects/{world.project}/webhooks"
    id = world["manager"].post(path, {"url": receiver.url})["id"]
    world["manager"].post(f"{path}/{id}/test")
    receiver.statuses = [500, 302, 200]
    assert send_due(light, private=True) == 1
    assert send_due(light, private=True) == 0  # not before its time
    time.pass_(RETRIES[0] / 1000)
    assert send_due(light, private=True) == 1
    (sent,) = world["manager"].get(path)["webhooks"][0]["deliveries"]
    assert (sent["state"], sent["attempts"], sent["message"]) == ("waiting", 2, "answered with 302")
    time.pass_(RETRIES[1] / 1000)
    send_due(light, private=True)
    (sent,) = world["manager"].get(path)["webhooks"][0]["deliveries"]
    assert (sent["state"], sent["attempts"]) == ("delivered", 3)
    assert len(receiver.got) == 3
    # nobody answers, to the end
    world["manager"].post(f"{path}/{id}/test")
    receiver.close()
    for wait in (0, *RETRIES):
        time.pass_(wait / 1000)
        send_due(light, private=True)
    sent = world["manager"].get(path)["webhooks"][0]["deliveries"][0]
    assert (sent["state"], sent["attempts"]) == ("failed", 1 + len(RETRIES))
    world["manager"].ok("DELETE", f"{path}/{id}")
    assert world["manager"].get(path)["webhooks"] == []


def test_private_addresses_get_nothing_unless_they_are_allowed(
    light: Database, receiver: Receiver
) -> None:
    world = World(light)
    path = f"/api/projects/{world.project}/webhooks"
    id = world["manager"].post(path, {"url": receiver.url})["id"]
    world["manager"].post(f"{path}/{id}/test")
    send_due(light, private=False)
    assert receiver.got == []
    (sent,) = world["manager"].get(path)["webhooks"][0]["deliveries"]
    assert "--private-webhooks" in sent["message"]


@pytest.mark.parametrize("address", [
    "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
    "224.0.0.1", "::1", "fe80::1%eth0", "fc00::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
    "64:ff9b::a00:1", "2002:a00:1::", "::",
])  # fmt: skip
def test_addresses_of_private_networks(address: str) -> None:
    assert not requests.is_public(address)


def test_public_addresses() -> None:
    assert requests.is_public("93.184.216.34")
    assert requests.is_public("2606:2800:220:1::1")
    assert requests.is_public("::ffff:93.184.216.34")


def test_one_private_address_among_public_ones_is_enough_to_refuse(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [(2, 1, 6, "", (each, 80)) for each in ("93.184.216.34", "10.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **more: rows)
    target = requests.parse_target("http://example.org/")
    with pytest.raises(requests.RequestFailed, match="private network"):
        requests.resolve(target, private=False)
    assert requests.resolve(target, private=True) == "93.184.216.34"


def test_the_connection_goes_to_the_address_that_was_checked(
    monkeypatch: pytest.MonkeyPatch, receiver: Receiver
) -> None:
    """A name that is resolved to another address a moment later gains nothing."""
    port = receiver.http.server_port
    monkeypatch.setattr(requests, "resolve", lambda target, private: "127.0.0.1")
    assert requests.post(f"http://no.such.host.invalid:{port}/", b"{}", {}, private=False) == 200
    assert receiver.got[0][0]["Host"] == f"no.such.host.invalid:{port}"


@pytest.mark.parametrize("url", [
    "ftp://example.org/", "file:///etc/passwd", "example.org", "http://", "http://u:p@example.org/",
    "http://example.org:99999/", "http://example.org/a b", "http://example.org/\r\nX: y", "",
])  # fmt: skip
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ApiError):
        requests.parse_target(url)


def test_training_tells_nothing(light: Database) -> None:
    world = World(light)
    world.fill(1, "training")
    world["manager"].post(f"/api/projects/{world.project}/webhooks", {"url": "http://127.0.0.1:9/"})
    finish(world, "annotator")
    assert send_due(light, private=True) == 0
