"""What a password and a code must be.

A password that is easily guessed is refused, by zxcvbn, with its advice. A second factor is the
six digits that an authenticator shows (TOTP, RFC 6238), by pyotp.
"""

from __future__ import annotations

import re

from coindex.annotate.errors import ApiError

SHORTEST, LONGEST = 10, 200
SCORE = 3
"""The least score of zxcvbn, from 0 to 4: 3 is safe against guessing if the hash is slow."""
READ = 72
"""How many characters zxcvbn reads: more would take it long, and make no password weaker."""
STEP = 30
WINDOW = 1
"""Seconds of a step, and how many steps a clock may be off."""
_SECRET = re.compile(r"[A-Z2-7]{32}")


def check_password(password: str, *names: str) -> None:
    """Refuse a password that is too short, too long, or easily guessed; `names` are of its owner."""
    from zxcvbn import zxcvbn

    if not SHORTEST <= len(password) <= LONGEST:
        message = f"expected a password of {SHORTEST} to {LONGEST} characters"
        raise ApiError(422, "password", f"{message}, found {len(password)}")
    found = zxcvbn(password[:READ], user_inputs=[*names, "coindex", "annotate"])
    if found["score"] >= SCORE:
        return
    advice = [found["feedback"]["warning"], *found["feedback"]["suggestions"]]
    text = " ".join(each.rstrip(".") + "." for each in advice if each)
    hint = text or "Add another word or two. Uncommon words are better."
    raise ApiError(422, "password", f"this password is easily guessed. {hint}")


def new_secret() -> str:
    """Return a random secret."""
    import pyotp

    secret: str = pyotp.random_base32()
    return secret


def setup_link(secret: str, name: str) -> str:
    """Return the `otpauth` link of a secret."""
    import pyotp

    link: str = pyotp.TOTP(secret).provisioning_uri(name, "coindex annotate")
    return link


def setup_image(link: str) -> str:
    """Return a QR code of a link, as the address of a picture."""
    import segno

    image: str = segno.make(link, error="m").svg_data_uri(scale=5, border=4, light="white")
    return image


def matching_step(secret: str, code: str, now: int, after: int | None = None) -> int | None:
    """Return the step of time whose code this is, at `now` in milliseconds; None if it is of none.

    Steps up to `after` have been used.
    """
    import pyotp
    from pyotp.utils import strings_equal

    if not _SECRET.fullmatch(secret):
        raise ApiError(422, "invalid", "secret: expected 32 letters and digits of base 32")
    given = code.replace(" ", "")
    current = now // 1000 // STEP
    for step in range(current - WINDOW, current + WINDOW + 1):
        fresh = after is None or step > after
        if strings_equal(given, pyotp.TOTP(secret).generate_otp(step)) and fresh:
            return step
    return None
