"""People: passwords (argon2id), sessions, API tokens, one-time links, limits on guessing.

Only digests of secrets are stored. A session lives on the server and ends there. A link to
make an account works once. After too many wrong passwords, for a name or from an address,
the answer is to wait, whether the next one is right or not. A new password ends what the old
one may have opened: all other sessions, and all tokens.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from coindex.annotate.attempts import Attempts
from coindex.annotate.database import Database, put
from coindex.annotate.fail import Fail, missing
from coindex.annotate.tables import audit, invitations, members, sessions, tokens, users

DAY = 86_400_000
SESSION_DAYS, INVITATION_DAYS = 14, 7
PER_NAME, PER_ADDRESS = 5, 20
SHORTEST, LONGEST = 10, 200


@dataclass(frozen=True, slots=True)
class Login:
    """A session that was just opened; the secret goes into the cookie and nowhere else."""

    user: int
    secret: str
    csrf: str


def digest(secret: str) -> str:
    """What is stored of a secret that is random and long."""
    return hashlib.sha256(secret.encode()).hexdigest()


@cache
def _hasher() -> Any:
    from argon2 import PasswordHasher

    return PasswordHasher()


@cache
def _nobody() -> str:
    """Checked where there is no such person, so that the time to answer says nothing."""
    made: str = _hasher().hash(secrets.token_hex(16))
    return made


def hashed(password: str) -> str:
    """An argon2id hash."""
    if not SHORTEST <= len(password) <= LONGEST:
        told = f"expected a password of {SHORTEST} to {LONGEST} characters"
        raise Fail(422, "password", f"{told}, found {len(password)}")
    made: str = _hasher().hash(password.encode("utf-8", "surrogatepass"))
    return made


def right(stored: str, password: str) -> bool:
    """Whether a password is the one."""
    from argon2.exceptions import InvalidHashError, VerificationError

    try:
        return bool(_hasher().verify(stored, password.encode("utf-8", "surrogatepass")))
    except (VerificationError, InvalidHashError):
        return False


def note(
    connection: Connection,
    at: int,
    user: int | None,
    action: str,
    target: str = "",
    /,
    **detail: Any,
) -> None:
    """A line of the audit log."""
    row = {"at": at, "user": user, "action": action, "target": target[:200], "detail": detail}
    connection.execute(insert(audit), row)


class Accounts:
    """The people of one database."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.attempts = Attempts(database)

    def add(self, connection: Connection, name: str, password: str, administrator: bool) -> int:
        """A new person."""
        name = name.strip()
        if not name or len(name) > 100 or not name.isprintable():
            raise Fail(422, "name", "expected a name of 1 to 100 printable characters")
        row = {
            "name": name, "password": hashed(password), "administrator": administrator,
            "disabled": False, "created": self.database.clock(),
        }  # fmt: skip
        taken = select(users.c.id).where(func.lower(users.c.name) == name.lower())
        try:
            if connection.execute(taken).first():
                raise Fail(409, "taken", f"there is somebody called {name!r} already")
            return put(connection, users, **row)
        except IntegrityError as error:
            raise Fail(409, "taken", f"there is somebody called {name!r} already") from error

    def log_in(self, name: str, password: str, address: str) -> Login:
        """Open a session, or say no more than that name or password is wrong."""
        name = name.strip()
        keys = {f"name:{name.lower()[:100]}": PER_NAME, f"address:{address}"[:200]: PER_ADDRESS}
        tries = self.attempts.begin(keys)
        with self.database.read() as connection:
            same = func.lower(users.c.name) == name.lower()
            found = connection.execute(select(users).where(same)).first()
        good = right(found.password if found else _nobody(), password)
        now = self.database.clock()
        if found is None or not good or found.disabled:
            with self.database.write() as connection:
                note(connection, now, None, "login failed", name)
            raise Fail(401, "credentials", "the name or the password is wrong")
        with self.database.write() as connection:
            self.attempts.good(connection, tries, next(iter(keys)))
            note(connection, now, found.id, "login")
            return self.open(connection, found.id)

    def open(self, connection: Connection, user: int) -> Login:
        """A new session of a person."""
        now = self.database.clock()
        made = Login(user, secrets.token_urlsafe(32), secrets.token_urlsafe(32))
        row = {"digest": digest(made.secret), "user": user, "csrf": made.csrf, "created": now}
        connection.execute(delete(sessions).where(sessions.c.expires < now))
        connection.execute(insert(sessions), {**row, "expires": now + SESSION_DAYS * DAY})
        return made

    def session(self, secret: str) -> Row[Any] | None:
        """The person of a session, with its `csrf`; None if it is over."""
        return self._holder(sessions, sessions.c.csrf, secret)

    def token(self, secret: str) -> Row[Any] | None:
        """The person of an API token; None if it is not valid."""
        return self._holder(tokens, tokens.c.id.label("token"), secret)

    def _holder(self, table: Any, column: Any, secret: str) -> Row[Any] | None:
        now = self.database.clock()
        valid = (table.c.digest == digest(secret)) & (table.c.expires > now)
        with self.database.read() as connection:
            return connection.execute(
                select(users, column)
                .join(table, table.c.user == users.c.id)
                .where(valid & users.c.disabled.is_(False))
            ).first()

    def log_out(self, secret: str) -> None:
        """End a session."""
        with self.database.write() as connection:
            connection.execute(delete(sessions).where(sessions.c.digest == digest(secret)))

    def change_password(self, user: int, old: str, new: str, keep: str | None) -> None:
        """Change a password; all sessions but one end, and all tokens."""
        key = f"password:{user}"
        tries = self.attempts.begin({key: PER_NAME})
        with self.database.read() as connection:
            stored = connection.execute(select(users.c.password).where(users.c.id == user)).scalar()
        if not right(str(stored), old):
            raise Fail(403, "credentials", "the old password is wrong")
        made = hashed(new)
        with self.database.write() as connection:
            self.attempts.good(connection, tries, key)
            connection.execute(update(users).where(users.c.id == user).values(password=made))
            others = sessions.c.user == user
            if keep is not None:
                others &= sessions.c.digest != digest(keep)
            connection.execute(delete(sessions).where(others))
            ended = connection.execute(delete(tokens).where(tokens.c.user == user)).rowcount
            note(connection, self.database.clock(), user, "password changed", tokens_ended=ended)

    def new_token(self, user: int, name: str, days: int) -> tuple[int, str]:
        """A token for programs: its number, and the secret, which is shown once."""
        secret, now = f"cx_{secrets.token_urlsafe(32)}", self.database.clock()
        row = {"user": user, "name": name, "digest": digest(secret), "created": now}
        with self.database.write() as connection:
            id = put(connection, tokens, expires=now + days * DAY, **row)
            note(connection, now, user, "token made", name)
        return id, secret

    def invite(
        self, by: int | None, *, administrator: bool = False, project: int | None = None,
        role: str | None = None, days: int = INVITATION_DAYS,
    ) -> tuple[str, int]:  # fmt: skip
        """A one-time link's secret, and when it expires."""
        secret, now = secrets.token_urlsafe(24), self.database.clock()
        row = {"digest": digest(secret), "administrator": administrator, "project": project}
        expires = now + days * DAY
        with self.database.write() as connection:
            values = {**row, "role": role, "created": now, "expires": expires}
            connection.execute(insert(invitations), values)
            note(connection, now, by, "invitation made", role or "", administrator=administrator)
        return secret, expires

    def first_link(self) -> tuple[str, int] | None:
        """A link for the first administrator; None if there is one. Earlier ones end."""
        if self.anybody():
            return None
        unused = invitations.c.administrator.is_(True) & invitations.c.used.is_(None)
        with self.database.write() as connection:
            connection.execute(delete(invitations).where(unused))
        return self.invite(None, administrator=True, days=1)

    def invitation(self, connection: Connection, secret: str) -> Row[Any]:
        """A link that can still be used."""
        valid = (invitations.c.digest == digest(secret)) & invitations.c.used.is_(None)
        valid &= invitations.c.expires > self.database.clock()
        found = connection.execute(select(invitations).where(valid).with_for_update()).first()
        if found is None:
            raise missing("link; it may have been used or be too old")
        return found

    def accept(self, secret: str, name: str, password: str) -> Login:
        """Make an account by a link, which is used up."""
        now = self.database.clock()
        with self.database.write() as connection:
            found = self.invitation(connection, secret)
            user = self.add(connection, name, password, found.administrator)
            used = invitations.c.digest == found.digest
            connection.execute(update(invitations).where(used).values(used=now))
            if found.project is not None:
                row = {"project": found.project, "user": user, "role": found.role or "annotator"}
                connection.execute(insert(members), row)
            note(connection, now, user, "account made", name)
            return self.open(connection, user)

    def anybody(self) -> bool:
        """Whether there is an administrator who can log in."""
        wanted = users.c.administrator.is_(True) & users.c.disabled.is_(False)
        with self.database.read() as connection:
            return connection.execute(select(users.c.id).where(wanted)).first() is not None
