"""What may differ between two runs of the same version, or two places, is made alike.

For all outputs:
- `v:0.1.0` and `version:0.1.0` in a signature become `v:VERSION` and `version:VERSION`; in JSON
  the version as a value of `version` or `coindex`, or beside `version` in a list, likewise;
- the absolute paths of the scratch folder, the corpora, this folder and the caches become
  SCRATCH, DATA, GOLDEN and SESSION.

By name, for the cases that ask for it (`Case.rules`):
- `times`: milliseconds since 1970 (13 digits) and dates with times become TIME;
- `seconds`: numbers beside the words seconds, minutes or `s` in logs become SECONDS;
- `ids`: random ids (32 hexadecimal digits, UUIDs) become ID1, ID2, ... by their first place;
- `shown`: the order in which the app shows two candidates, drawn for each sheet, becomes ORDER;
- `secrets`: the secret of a link `/welcome/...` and CSRF tokens become SECRET;
- `options`: of a page of `--help` only the names of options and commands stay;
- `digits`: numbers with more than six decimals are rounded to six.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

VERSIONS = (
    (re.compile(r"\bv:\d+\.\d+\.\d+\w*"), "v:VERSION"),
    (re.compile(r"\bversion:\d+\.\d+\.\d+\w*"), "version:VERSION"),
    (re.compile(r'("(?:version|coindex)"[:,]\s*")\d+\.\d+\.\d+\w*"'), r'\1VERSION"'),
)


def normalised(data: bytes, places: Mapping[str, str], rules: tuple[str, ...] = ()) -> bytes:
    """An output made comparable; what is not UTF-8 stays as it is."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return data
    for path, name in sorted(places.items(), key=lambda each: -len(each[0])):
        text = text.replace(path, name)
    for pattern, into in VERSIONS:
        text = pattern.sub(into, text)
    for rule in rules:
        text = RULES[rule](text)
    return text.encode("utf-8")


def times(text: str) -> str:
    """Moments, as milliseconds or as dates."""
    text = re.sub(r"\b1[6-9]\d{11}\b|\b20\d{6}T\d{6}\b", "TIME", text)
    return re.sub(
        r"\b20\d\d-\d\d-\d\d[T _]\d\d[:.-]?\d\d([:.-]?\d\d([.,]\d+)?)?(Z|[+-]\d\d:?\d\d)?",
        "TIME",
        text,
    )


def seconds(text: str) -> str:
    """How long something took."""
    text = re.sub(
        r'("(?:seconds|minutes|took|time|spent)\\?": )\d+(\.\d+)?(e-?\d+)?', r"\1SECONDS", text
    )
    return re.sub(r"\b\d+(\.\d+)? (s|seconds|minutes)\b", r"SECONDS \2", text)


def ids(text: str) -> str:
    """Random ids, numbered by their first place, so that the same id has the same number."""
    known: dict[str, str] = {}

    def name(match: re.Match[str]) -> str:
        return known.setdefault(match.group(), f"ID{len(known) + 1}")

    uuid = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    return re.sub(rf"\b(?:[0-9a-f]{{32}}|{uuid})\b", name, text)


def shown(text: str) -> str:
    """The order of two candidates."""
    return re.sub(r'("order\\?": )\[\s*[01],\s*[01]\s*\]', r"\1ORDER", text)


def secrets(text: str) -> str:
    """One-time links and tokens."""
    return re.sub(r'(/welcome/|"csrf": ")[\w-]+', r"\1SECRET", text)


def options(text: str) -> str:
    """What a command takes, without the words that explain it."""
    names = r"^  (?:-\w, )?--[\w-]+(?: / --[\w-]+)?|^  [a-z]+(?=  +\S)|^Usage: .*"
    return "".join(f"{line.strip()}\n" for line in re.findall(names, text, re.MULTILINE))


def digits(text: str) -> str:
    """Numbers to six decimals."""
    return re.sub(r"\d+\.\d{7,}(e-?\d+)?", lambda match: f"{float(match.group()):.6f}", text)


RULES: Mapping[str, Callable[[str], str]] = {
    rule.__name__: rule for rule in (times, seconds, ids, shown, secrets, options, digits)
}
