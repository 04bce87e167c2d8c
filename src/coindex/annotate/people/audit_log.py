"""The audit log in words, with filters, and as a file.

Entries are stored as an action, its target and details; sentences are made when they are read,
so that entries of all versions have them.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from sqlalchemy import Connection, Select, func, select

from coindex.annotate.store.tables import audit, users

Entry = dict[str, Any]
Sentence = Callable[[str, str, Mapping[str, Any]], str]
COLUMNS = ("time", "person", "action", "target", "words", "detail")
PEOPLE = ("user", "from")
"""Where details have the number of a person."""
SETTINGS = {
    "annotators": "the annotators per document", "lease_minutes": "the minutes of a reservation",
    "looks": "the accuracy checks", "training_score": "the score of the training",
    "strategy": "the order of documents", "seed": "the seed", "suggestions": "the suggestions",
    "protocol": "the rules for pronouns", "raters": "the raters per pronoun",
    "agree": "how many must agree", "guide": "the guidelines",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Which entries to read: of a person, of an action, with words in the target, of a time.

    since, until   milliseconds; `until` is exclusive
    before         an entry's id: only older ones
    """

    person: str | None = None
    action: str | None = None
    target: str | None = None
    since: int | None = None
    until: int | None = None
    before: int | None = None


def read_entries(connection: Connection, wanted: AuditFilter, limit: int | None) -> list[Entry]:
    """Return the newest entries that a filter lets pass, the newest first."""
    query = select(audit, users.c.name).join(users, users.c.id == audit.c.user, isouter=True)
    query = _filtered(query, wanted).order_by(audit.c.id.desc())
    rows = connection.execute(query if limit is None else query.limit(limit)).all()
    names = ("id", "at", "action", "target", "detail")
    known = _names(connection, rows)
    return [
        {**{name: getattr(row, name) for name in names}, "user": row.name,
         "words": in_words(row.name, row.action, row.target, row.detail, known)}
        for row in rows
    ]  # fmt: skip


def _names(connection: Connection, rows: Iterable[Any]) -> dict[int, str]:
    """Return the names of the people that entries have by number."""
    numbers = {row.detail.get(key) for row in rows for key in PEOPLE} - {None}
    ids = sorted(each for each in numbers if type(each) is int)
    named: dict[int, str] = {}
    for start in range(0, len(ids), 500):
        own = users.c.id.in_(ids[start : start + 500])
        found = connection.execute(select(users.c.id, users.c.name).where(own))
        named |= {row.id: row.name for row in found}
    return named


def _filtered(query: Select[Any], wanted: AuditFilter) -> Select[Any]:
    if wanted.person is not None:
        query = query.where(func.lower(users.c.name) == wanted.person.lower())
    if wanted.action is not None:
        query = query.where(audit.c.action == wanted.action)
    if wanted.target is not None:
        part = func.lower(audit.c.target).contains(wanted.target.lower(), autoescape=True)
        query = query.where(part)
    for column, least, most in (
        (audit.c.at, wanted.since, wanted.until),
        (audit.c.id, None, wanted.before),
    ):
        if least is not None:
            query = query.where(column >= least)
        if most is not None:
            query = query.where(column < most)
    return query


def known_actions(connection: Connection) -> list[str]:
    """Return the actions that the log has, for a list to choose from."""
    return list(connection.execute(select(audit.c.action).distinct().order_by(audit.c.action)).scalars())  # fmt: skip


def in_words(
    person: str | None, action: str, target: str, detail: Mapping[str, Any],
    names: Mapping[int, str] | None = None,
) -> str:  # fmt: skip
    """Return an entry as a sentence; `names` of people whom it has by number."""
    named = {key: _person(detail[key], names or {}) for key in PEOPLE if key in detail}
    detail = {**detail, **named}
    who = person or "Somebody on the command line"
    if action == "login failed":
        return f"Somebody tried to log in as “{target}” with a wrong password or code."
    sentence = _SENTENCES.get(action)
    if sentence is None:
        return f"{who}: {action} {target}".strip() + "."
    return f"{who} {sentence(who, target, detail)}."


def _person(number: Any, names: Mapping[int, str]) -> str:
    """A person by name; by number where the account is gone, as it is where a name is stored."""
    return names.get(number, f"person {number}") if type(number) is int else str(number)


def _changed(who: str, target: str, detail: Mapping[str, Any]) -> str:
    """The changes of an account."""
    said = {
        ("disabled", True): "disabled the account of", ("disabled", False): "enabled the account of",
        ("administrator", True): "made an administrator of", ("administrator", False): "took the rights of an administrator from",
        ("second_factor", False): "removed the second factor of",
    }  # fmt: skip
    parts = [said[key] for key in detail.items() if key in said]
    return f"{' and '.join(parts) or 'changed the account of'} {target}"


def _settings(who: str, target: str, detail: Mapping[str, Any]) -> str:
    parts = [f"its name to “{detail['name']}”"] if "name" in detail else []
    settings = detail.get("settings", {})
    parts += [f"{SETTINGS.get(name, name)} to {_value(value)}" for name, value in settings.items()]
    return f"changed the project “{target}”" + (f": {', '.join(parts)}" if parts else "")


def _value(value: Any) -> str:
    text = "none" if value is None else f"“{value}”" if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}…”"


def _imported(who: str, target: str, detail: Mapping[str, Any]) -> str:
    names = {"documents": "document", "sheets": "assignment", "events": "event", "suggestions": "suggestion", "gold": "gold annotation"}  # fmt: skip
    counts = [_count(detail[key], name) for key, name in names.items() if detail.get(key)]
    people = f", with the work of {', '.join(detail['people'])}" if detail.get("people") else ""
    return f"imported {', '.join(counts) or 'nothing'} into “{target}”{people}"


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def _invited(who: str, target: str, detail: Mapping[str, Any]) -> str:
    role = "administrator" if detail.get("administrator") else target
    return f"made an invitation link for {_article(role)}" if role else "made an invitation link"


def _article(noun: str) -> str:
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def _member(who: str, target: str, detail: Mapping[str, Any]) -> str:
    role = detail.get("role")
    member = detail.get("user")
    if role is None:
        return f"removed {member} from the project “{target}”"
    return f"made {member} {_article(role)} of the project “{target}”"


_SENTENCES: dict[str, Sentence] = {
    "login": lambda who, target, detail: "logged in",
    "password changed": lambda who, target, detail: "changed their password",
    "password link made": lambda who, target, detail: f"made a link with which {target} can set a new password",
    "password reset": lambda who, target, detail: "set a new password by a link",
    "second factor turned on": lambda who, target, detail: "turned their second factor on",
    "second factor turned off": lambda who, target, detail: "turned their second factor off",
    "token made": lambda who, target, detail: f"created the token “{target}”" + (f" with the scope {detail['scope']}" if "scope" in detail else ""),
    "token deleted": lambda who, target, detail: f"revoked the token “{target}”",
    "invitation made": _invited,
    "account made": lambda who, target, detail: "created their account",
    "account changed": _changed,
    "project made": lambda who, target, detail: f"created the project “{target}”",
    "project changed": _settings,
    "member set": _member,
    "suggestions asked for": lambda who, target, detail: f"started suggestions by {detail.get('resolver')} for “{target}”",
    "import": _imported,
    "export": lambda who, target, detail: f"exported the {detail.get('which')} of “{target}” as {detail.get('format')} ({_count(detail.get('items', 0), 'item')})",
    "backup": lambda who, target, detail: f"made the backup {target}",
    "assigned": lambda who, target, detail: f"assigned “{target}” to {detail.get('user')}",
    "released": lambda who, target, detail: f"released the assignment of “{target}” to {detail.get('user')}",
    "adjudication taken over": lambda who, target, detail: f"took over the adjudication of “{target}” from {detail.get('from')}",
    "gold by rule": lambda who, target, detail: f"opened gold by the rule {detail.get('rule')} in “{target}”",
    "reassigned": lambda who, target, detail: f"gave the assignment of “{target}” from {detail.get('from')} to {detail.get('user')}",
    "document changed": lambda who, target, detail: f"changed the document “{target}”" + (f": its name to “{detail['name']}”" if "name" in detail else ""),
    "document archived": lambda who, target, detail: f"archived the document “{target}”",
    "document deleted": lambda who, target, detail: f"deleted the document “{target}”",
    "document restored": lambda who, target, detail: f"restored the document “{target}”",
    "documents archived": lambda who, target, detail: f"archived {_count(detail.get('count', 0), 'document')} of “{target}”",
    "documents deleted": lambda who, target, detail: f"deleted {_count(detail.get('count', 0), 'document')} of “{target}”",
    "documents restored": lambda who, target, detail: f"restored {_count(detail.get('count', 0), 'document')} of “{target}”",
    "project archived": lambda who, target, detail: f"archived the project “{target}”",
    "project deleted": lambda who, target, detail: f"deleted the project “{target}”",
    "project restored": lambda who, target, detail: f"restored the project “{target}”",
    "invitation revoked": lambda who, target, detail: "revoked an invitation link" + (f" for {_article(target)}" if target else ""),
    "joined": lambda who, target, detail: f"joined project {detail.get('project')} as {_article(target)}",
    "let pass": lambda who, target, detail: f"let {detail.get('user')} pass the training of “{target}”",
    "not let pass": lambda who, target, detail: f"took back that {detail.get('user')} passes the training of “{target}”",
    "webhook added": lambda who, target, detail: f"added the webhook {detail.get('url')} to “{target}”",
    "webhook removed": lambda who, target, detail: f"removed the webhook {detail.get('url')} from “{target}”",
    "person exported": lambda who, target, detail: f"exported the data of {target}",
    "person erased": lambda who, target, detail: f"erased an account, now {target}",
    "names shown": lambda who, target, detail: f"looked at the annotators' names of “{target}”",
}  # fmt: skip


def as_csv(entries: Iterable[Entry]) -> str:
    """Return entries as CSV; no cell is a formula for a spreadsheet."""
    held = io.StringIO()
    writer = csv.writer(held)
    writer.writerow(COLUMNS)
    for each in entries:
        detail = json.dumps(each["detail"], ensure_ascii=False)
        row = (_time(each["at"]), each["user"] or "", each["action"], each["target"], each["words"])
        writer.writerow([_plain(cell) for cell in (*row, detail)])
    return held.getvalue()


def as_json_lines(entries: Iterable[Entry]) -> str:
    """Return entries as JSON lines."""
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in entries)


def _time(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, timezone.utc).isoformat(timespec="seconds")


def _plain(cell: str) -> str:
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell
