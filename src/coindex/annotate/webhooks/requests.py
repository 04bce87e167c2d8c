"""Requests to addresses that people have typed in, which must not reach the server's own network.

A host name is resolved once, every address that it has must be one of the public internet, and
the connection goes to that address: a name that is resolved to something else a moment later
(DNS rebinding) gains nothing. Redirects are not followed. An administrator may allow private
addresses when the server is started.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from coindex.annotate.errors import ApiError
from coindex.errors import CoindexError

SECONDS = 10
PORTS = {"http": 80, "https": 443}
_TRANSLATED = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("2002::/16"))
"""IPv6 addresses that stand for IPv4 ones, which may be private."""


class RequestFailed(CoindexError):
    """A request that was not answered with success; it may be repeated."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request goes: `https://example.org:8443/path?query`."""

    scheme: str
    host: str
    port: int
    path: str


def parse_target(url: str) -> Target:
    """Return the parts of an address; an error if it is not one of http or https."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ApiError(422, "invalid", f"url: {error}") from error
    plain = url.isascii() and url.isprintable() and " " not in url
    if parts.scheme not in PORTS or not parts.hostname or parts.username is not None or not plain:
        raise ApiError(422, "invalid", "url: expected an address such as https://example.org/done")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme, parts.hostname, port or PORTS[parts.scheme], path)


def is_public(address: str) -> bool:
    """Return whether an IP address is one of the public internet."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped is not None:
            return is_public(str(ip.ipv4_mapped))
        if any(ip in network for network in _TRANSLATED):
            return False
    return ip.is_global and not ip.is_multicast


def resolve(target: Target, *, private: bool) -> str:
    """Return the IP address of a host; an error unless all its addresses are public."""
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise RequestFailed(f"{target.host}: no such host") from error
    addresses = [str(each[4][0]) for each in found]
    if not addresses:
        raise RequestFailed(f"{target.host}: no such host")
    if not private and not all(map(is_public, addresses)):
        raise RequestFailed(
            f"{target.host} is an address of a private network; an administrator can allow"
            " these with --private-webhooks"
        )
    return addresses[0]


class _PinnedConnection(http.client.HTTPConnection):
    """A connection to an address that has been checked, under the name of its host."""

    def __init__(self, target: Target, address: str) -> None:
        self.default_port = PORTS[target.scheme]
        super().__init__(target.host, target.port, timeout=SECONDS)
        self._address, self._scheme = address, target.scheme

    def connect(self) -> None:
        """Connect to the checked address, never to what the name is resolved to now."""
        self.sock = socket.create_connection((self._address, self.port), SECONDS)
        if self._scheme == "https":
            context = ssl.create_default_context()
            self.sock = context.wrap_socket(self.sock, server_hostname=self.host)


def post(url: str, body: bytes, headers: Mapping[str, str], *, private: bool) -> int:
    """Send a request and return the status of the answer; `RequestFailed` if there is none."""
    target = parse_target(url)
    connection = _PinnedConnection(target, resolve(target, private=private))
    try:
        connection.request("POST", target.path, body, dict(headers))
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        raise RequestFailed(f"no answer: {error}"[:300]) from error
    finally:
        connection.close()
    if not 200 <= status < 300:
        raise RequestFailed(f"answered with {status}")
    return status
