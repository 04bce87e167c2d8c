"""Accounts: passwords (argon2id), sessions, API tokens, invitations and the audit log.

Only digests of secrets are stored. Sessions are stored on the server and end there. An
invitation link works once. After too many wrong passwords for a name or from an address,
every attempt is refused for a while. A new password ends all other sessions and all tokens.
The code of a second factor works once: the step of time of the last one is stored.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from coindex.annotate.errors import ApiError, not_found
from coindex.annotate.people.credentials import check_password, matching_step
from coindex.annotate.people.rate_limit import LoginAttempts
from coindex.annotate.store.database import Database, insert_row
from coindex.annotate.store.tables import audit, invitations, members, sessions, tokens, users

DAY = 86_400_000
SESSION_DAYS, INVITATION_DAYS = 14, 7
PER_NAME, PER_ADDRESS = 5, 20
SCOPES = ("read", "annotate", "all")
"""What a token may do: read; also work on assignments; all that its owner may, but accounts."""


@dataclass(frozen=True, slots=True)
class Login:
    """A new session; the secret goes into the cookie and nowhere else."""

    user: int
    secret: str
    csrf: str


@dataclass(frozen=True, slots=True)
class FirstLink:
    """The link of the first administrator, and whether it replaces one that nobody has used."""

    path: str
    replaces: bool


def digest(secret: str) -> str:
    """Return what is stored of a long random secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


@cache
def _hasher() -> Any:
    from argon2 import PasswordHasher

    return PasswordHasher()


@cache
def _dummy_hash() -> str:
    """Return a hash to check for unknown names, so that response times reveal nothing."""
    made: str = _hasher().hash(secrets.token_hex(16))
    return made


def hash_password(password: str, name: str) -> str:
    """Return the argon2id hash of somebody's new password."""
    check_password(password, name)
    made: str = _hasher().hash(password.encode("utf-8", "surrogatepass"))
    return made


def password_matches(stored: str, password: str) -> bool:
    """Return whether a password matches its stored hash."""
    from argon2.exceptions import InvalidHashError, VerificationError

    try:
        return bool(_hasher().verify(stored, password.encode("utf-8", "surrogatepass")))
    except (VerificationError, InvalidHashError):
        return False


def _password_key(user: int) -> str:
    """The key under which wrong passwords of somebody who is logged in are counted."""
    return f"password:{user}"


def log_action(
    connection: Connection,
    at: int,
    user: int | None,
    action: str,
    target: str = "",
    /,
    **detail: Any,
) -> None:
    """Add an entry to the audit log."""
    row = {"at": at, "user": user, "action": action, "target": target[:200], "detail": detail}
    connection.execute(insert(audit), row)


class Accounts:
    """The accounts of one database."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.attempts = LoginAttempts(database)

    def add(self, connection: Connection, name: str, password: str, administrator: bool) -> int:
        """Create an account and return its id."""
        name = name.strip()
        if not name or len(name) > 100 or not name.isprintable():
            raise ApiError(422, "name", "expected a name of 1 to 100 printable characters")
        row = {
            "name": name, "password": hash_password(password, name), "administrator": administrator,
            "disabled": False, "created": self.database.clock(),
        }  # fmt: skip
        taken = select(users.c.id).where(func.lower(users.c.name) == name.lower())
        try:
            if connection.execute(taken).first():
                raise ApiError(409, "taken", f"there is somebody called {name!r} already")
            return insert_row(connection, users, **row)
        except IntegrityError as error:
            raise ApiError(409, "taken", f"there is somebody called {name!r} already") from error

    def log_in(self, name: str, password: str, address: str, code: str | None = None) -> Login:
        """Open a session; an error does not say whether the name or the password is wrong.

        Who has a second factor also needs its code, and is asked for it after the password.
        """
        name = name.strip()
        keys = {f"name:{name.lower()[:100]}": PER_NAME, f"address:{address}"[:200]: PER_ADDRESS}
        attempts = self.attempts.begin(keys)
        with self.database.read() as connection:
            same = func.lower(users.c.name) == name.lower()
            row = connection.execute(select(users).where(same)).first()
        valid = password_matches(row.password if row else _dummy_hash(), password)
        now = self.database.clock()
        if row is None or not valid or row.disabled:
            with self.database.write() as connection:
                log_action(connection, now, None, "login failed", name)
            raise ApiError(401, "credentials", "the name or the password is wrong")
        try:
            with self.database.write() as connection:
                self._check_code(connection, row.id, code)
                self.attempts.succeeded(connection, attempts, next(iter(keys)))
                log_action(connection, now, row.id, "login")
                return self.open(connection, row.id)
        except ApiError as error:
            if error.code == "code" and code:
                with self.database.write() as connection:
                    log_action(connection, now, None, "login failed", name)
            raise

    def _check_code(self, connection: Connection, user: int, code: str | None) -> None:
        """Require a code of the second factor that has not been used, if there is one."""
        own = select(users).where(users.c.id == user).with_for_update()
        row = connection.execute(own).one()
        if row.totp is None:
            return
        if not code:
            raise ApiError(401, "code", "enter the code that your authenticator shows")
        step = matching_step(row.totp, code, self.database.clock(), row.totp_step)
        if step is None:
            raise ApiError(401, "code", "the code is wrong, or has been used: wait for the next")
        connection.execute(update(users).where(users.c.id == user).values(totp_step=step))

    def open(self, connection: Connection, user: int) -> Login:
        """Open a session of a person."""
        now = self.database.clock()
        login = Login(user, secrets.token_urlsafe(32), secrets.token_urlsafe(32))
        row = {"digest": digest(login.secret), "user": user, "csrf": login.csrf, "created": now}
        connection.execute(delete(sessions).where(sessions.c.expires < now))
        connection.execute(insert(sessions), {**row, "expires": now + SESSION_DAYS * DAY})
        return login

    def session(self, secret: str) -> Row[Any] | None:
        """Return the person of a session, with its `csrf`; None if it has ended."""
        return self._holder(sessions, sessions.c.csrf, secret)

    def token(self, secret: str) -> Row[Any] | None:
        """Return the person of an API token; None if it is not valid."""
        return self._holder(tokens, tokens.c.scope, secret)

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
        """Change a password; end all sessions but one, and all tokens."""
        attempts, row = self._confirmed(user, old, "the old password is wrong")
        new_hash = hash_password(new, row.name)
        with self.database.write() as connection:
            self.attempts.succeeded(connection, attempts, _password_key(user))
            connection.execute(update(users).where(users.c.id == user).values(password=new_hash))
            others = sessions.c.user == user
            if keep is not None:
                others &= sessions.c.digest != digest(keep)
            connection.execute(delete(sessions).where(others))
            ended = connection.execute(delete(tokens).where(tokens.c.user == user)).rowcount
            log_action(
                connection, self.database.clock(), user, "password changed", tokens_ended=ended
            )

    def _confirmed(self, user: int, password: str, wrong: str) -> tuple[list[int], Row[Any]]:
        """Return the row of a person who has entered their password, and the counted attempt."""
        attempts = self.attempts.begin({_password_key(user): PER_NAME})
        with self.database.read() as connection:
            row = connection.execute(select(users).where(users.c.id == user)).one()
        if not password_matches(row.password, password):
            raise ApiError(403, "credentials", wrong)
        return attempts, row

    def confirm_password(self, user: int, password: str) -> None:
        """Require the password of somebody who is logged in, before something final."""
        attempts, _ = self._confirmed(user, password, "the password is wrong")
        with self.database.write() as connection:
            self.attempts.succeeded(connection, attempts, _password_key(user))

    def turn_second_factor_on(self, user: int, password: str, secret: str, code: str) -> None:
        """Store the secret of an authenticator whose code has been entered."""
        attempts, row = self._confirmed(user, password, "the password is wrong")
        if row.totp is not None:
            raise ApiError(409, "totp", "there is a second factor already: turn it off first")
        step = matching_step(secret, code, self.database.clock())
        if step is None:
            raise ApiError(422, "code", "the code is wrong: check the clock of your device")
        self._set_second_factor(user, attempts, secret, step, "second factor turned on")

    def turn_second_factor_off(self, user: int, password: str) -> None:
        """Remove the second factor of a person who has entered their password."""
        attempts, _ = self._confirmed(user, password, "the password is wrong")
        self._set_second_factor(user, attempts, None, None, "second factor turned off")

    def _set_second_factor(
        self, user: int, attempts: list[int], secret: str | None, step: int | None, action: str
    ) -> None:
        with self.database.write() as connection:
            self.attempts.succeeded(connection, attempts, _password_key(user))
            values = {"totp": secret, "totp_step": step}
            connection.execute(update(users).where(users.c.id == user).values(**values))
            log_action(connection, self.database.clock(), user, action)

    def new_token(self, user: int, name: str, days: int, scope: str = "all") -> tuple[int, str]:
        """Create an API token; return its id and the secret, which is shown once."""
        secret, now = f"cx_{secrets.token_urlsafe(32)}", self.database.clock()
        row = {"user": user, "name": name, "digest": digest(secret), "created": now, "scope": scope}
        with self.database.write() as connection:
            id = insert_row(connection, tokens, expires=now + days * DAY, **row)
            log_action(connection, now, user, "token made", name, scope=scope, days=days)
        return id, secret

    def invite(
        self, by: int | None, *, administrator: bool = False, project: int | None = None,
        role: str | None = None, days: int = INVITATION_DAYS,
    ) -> tuple[str, int]:  # fmt: skip
        """Create an invitation; return its secret and when it expires."""
        secret, now = secrets.token_urlsafe(24), self.database.clock()
        row = {"digest": digest(secret), "administrator": administrator, "project": project}
        row["made_by"] = by
        expires = now + days * DAY
        with self.database.write() as connection:
            values = {**row, "role": role, "created": now, "expires": expires}
            connection.execute(insert(invitations), values)
            log_action(
                connection, now, by, "invitation made", role or "", administrator=administrator
            )
        return secret, expires

    def first_link(self) -> FirstLink | None:
        """Return a one-time link for the first administrator; None if there is one already.

        Only the digest of a link is stored, so an earlier one cannot be shown again: it ends.
        """
        active = users.c.administrator.is_(True) & users.c.disabled.is_(False)
        unused = invitations.c.administrator.is_(True) & invitations.c.used.is_(None)
        with self.database.write() as connection:
            if connection.execute(select(users.c.id).where(active)).first() is not None:
                return None
            replaced = connection.execute(delete(invitations).where(unused)).rowcount
        secret, _ = self.invite(None, administrator=True, days=1)
        return FirstLink(f"/welcome/{secret}", bool(replaced))

    def invitation(self, connection: Connection, secret: str) -> Row[Any]:
        """Return an invitation that can still be used."""
        valid = (invitations.c.digest == digest(secret)) & invitations.c.used.is_(None)
        valid &= invitations.c.expires > self.database.clock()
        row = connection.execute(select(invitations).where(valid).with_for_update()).first()
        if row is None:
            raise not_found("link; it may have been used or be too old")
        return row

    def accept(self, secret: str, name: str, password: str) -> Login:
        """Create an account with an invitation, which cannot be used again."""
        now = self.database.clock()
        with self.database.write() as connection:
            row = self.invitation(connection, secret)
            user = self.add(connection, name, password, row.administrator)
            used = invitations.c.digest == row.digest
            connection.execute(update(invitations).where(used).values(used=now, used_by=user))
            if row.project is not None:
                member = {"project": row.project, "user": user, "role": row.role or "annotator"}
                connection.execute(insert(members), member)
            log_action(connection, now, user, "account made", name)
            return self.open(connection, user)
