"""Web Push: who may be asked, the encryption of messages (RFC 8291), the signature (RFC 8292) and the requests."""

import asyncio
import re
import socket
import ssl
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any, Final

import http_ece
import httpcore
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02
from py_vapid.utils import b64urldecode, b64urlencode

from starfrost.errors import Refused
from starfrost.table.subscriptions import Subscription

_SERVICES: Final = (
    "fcm.googleapis.com",
    "jmt17.google.com",
    ".push.services.mozilla.com",
    ".notify.windows.com",
    ".push.apple.com",
)
"""The push services of the browsers: their host names, or what those end with."""
_ENDPOINT: Final = re.compile(r"(https?)://([A-Za-z0-9.-]+)(?::([0-9]{1,5}))?/[!-\"$-~]*")
_LONGEST_ENDPOINT: Final = 1000
_LONGEST_ANSWER: Final = 4096
_PATIENCE: Final = 10.0
"""Seconds for a whole request."""
_NAME_PATIENCE: Final = 3.0
"""Seconds for a name server."""
_UNICAST: Final = ip_network("2000::/3")
_SPECIAL: Final = tuple(map(ip_network, ("192.0.0.0/24", "192.88.99.0/24", "2001::/23", "2002::/16", "3fff::/20")))
"""Networks for protocols such as Teredo and 6to4, which may lead anywhere; not every Python knows all of them."""


def is_public(address: str) -> bool:
    """Return whether an address is one of the plain unicast addresses of the public network."""
    found = ip_address(address.partition("%")[0])
    # Whatever maps or translates IPv4 lies outside of the global unicast addresses, or is named above.
    plain = found in _UNICAST if isinstance(found, IPv6Address) else not found.is_multicast
    return plain and found.is_global and not any(found in network for network in _SPECIAL)


def bad_subscription(why: str) -> Refused:
    """Return the refusal of a subscription that cannot be used; the reason is for programs, in English."""
    return Refused("bad-subscription", "This push subscription cannot be used: %(why)s.", 422, why=why)


def origin_of(endpoint: str, anywhere: bool) -> str:
    """Return the origin of an endpoint; raise Refused unless it belongs to a push service of the browsers.

    Anybody can subscribe any endpoint: without this a stranger could aim the server at others.
    """
    parts = _ENDPOINT.fullmatch(endpoint)
    if parts is None or len(endpoint) > _LONGEST_ENDPOINT:
        raise bad_subscription("its endpoint is no address of a push service")
    scheme, host, port = parts[1], parts[2].lower(), int(parts[3] or {"https": 443, "http": 80}[parts[1]])
    known = any(host.endswith(name) if name.startswith(".") else host == name for name in _SERVICES)
    if not anywhere and (scheme, port, known) != ("https", 443, True):
        raise bad_subscription("its endpoint does not belong to a push service of the browsers")
    return f"{scheme}://{host}:{port}" if parts[3] else f"{scheme}://{host}"


def check_address(endpoint: str, anywhere: bool) -> str:
    """Return the origin of an address of somebody's own; raise Refused unless it is one on the public network.

    Where its name leads is checked when a connection is made.
    """
    parts = _ENDPOINT.fullmatch(endpoint)
    own = parts is not None and len(endpoint) <= _LONGEST_ENDPOINT
    if parts is None or not own or (not anywhere and (parts[1], parts[3]) != ("https", None)):
        raise Refused("bad-address", "Give an address that begins with https:// and has no port in it.", 422)
    return f"{parts[1]}://{parts[2].lower()}" + (f":{parts[3]}" if parts[3] else "")


def encrypt(message: bytes, subscription: Subscription) -> bytes:
    """Encrypt a message for a browser, in a fifth of a millisecond. Raises ValueError."""
    theirs, secret = (b64urldecode(key.encode()) for key in (subscription.p256dh, subscription.auth))
    if (len(theirs), len(secret)) != (65, 16):
        raise ValueError("wrong length of a key")
    ours = ec.generate_private_key(ec.SECP256R1())
    sealed: bytes = http_ece.encrypt(message, private_key=ours, dh=theirs, auth_secret=secret)
    return sealed


def check_subscription(subscription: Subscription, anywhere: bool) -> None:
    """Raise Refused unless messages can be encrypted for a subscription and its endpoint may be asked."""
    try:
        encrypt(b"", subscription)
    except ValueError:
        raise bad_subscription("its keys cannot be read") from None
    origin_of(subscription.endpoint, anywhere)


class Signer:
    """The key by which push services know this server."""

    def __init__(self, secret: bytes) -> None:
        key = ec.derive_private_key(int.from_bytes(secret, "big"), ec.SECP256R1())
        # The site's name may be one that the library does not expect, such as an IPv6 address.
        self._vapid = Vapid02(key, conf={"no-strict": True})
        self.public: str = b64urlencode(key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))
        """The public key as browsers want it."""

    @staticmethod
    def make() -> bytes:
        """Make the secret of a new server."""
        return ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value.to_bytes(32, "big")

    def authorization(self, origin: str, contact: str) -> str:
        """Return the header that tells a push service who sends a message."""
        claims = {"aud": origin, "exp": int(time.time()) + 12 * 3600, "sub": contact}
        header: str = self._vapid.sign(claims)["Authorization"]
        return header


class _Network(httpcore.AnyIOBackend):
    """Connects to the address that was checked, whatever the name server says a moment later."""

    def __init__(self, anywhere: bool) -> None:
        self._anywhere = anywhere
        # Threads of its own: a name server that does not answer holds up nothing else.
        self._threads = ThreadPoolExecutor(4, "push-names")

    async def connect_tcp(self, host: str, port: int, *options: Any, **named: Any) -> httpcore.AsyncNetworkStream:
        look = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        try:
            looking = asyncio.get_running_loop().run_in_executor(self._threads, look)
            known = await asyncio.wait_for(looking, _NAME_PATIENCE)
        except (OSError, ValueError, OverflowError) as error:
            raise httpcore.ConnectError("unknown host") from error
        addresses = list(dict.fromkeys(str(info[4][0]) for info in known))
        if not self._anywhere and not all(map(is_public, addresses)):
            raise bad_subscription("its endpoint is not on the public network")
        try:
            return await super().connect_tcp(addresses[0], port, *options, **named)
        except httpcore.ConnectError:
            # A name with addresses of both kinds, and a machine with one of them only.
            return await super().connect_tcp(addresses[-1], port, *options, **named)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


class PushClient:
    """Sends requests to push services: one TLS context and one pool of connections for all of them."""

    def __init__(self, most: int, anywhere: bool) -> None:
        self._network = _Network(anywhere)
        tls = ssl.create_default_context()
        self._pool = httpcore.AsyncConnectionPool(tls, max_connections=most, network_backend=self._network)

    async def post(self, endpoint: str, headers: dict[bytes | str, bytes | str], body: bytes) -> tuple[int, str]:
        """Send a message; return the status and Retry-After. Redirects are not followed. Raises OSError and Refused."""
        request = self._pool.stream("POST", endpoint, headers=headers, content=body)
        try:
            async with asyncio.timeout(_PATIENCE), request as answer:
                # A connection is used again only if its answer has been read.
                size = 0
                async for part in answer.aiter_stream():
                    size += len(part)
                    if size > _LONGEST_ANSWER:
                        break
                after = {name.lower(): value for name, value in answer.headers}.get(b"retry-after", b"")
                return answer.status, after.decode("latin-1")
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException) as error:
            raise OSError("no answer") from error

    async def close(self) -> None:
        """Close all connections."""
        await self._pool.aclose()
        self._network.close()
