"""Web Push: the encryption of messages (RFC 8291), the signature of the server (RFC 8292), and the delivery.

The library pywebpush would bring two HTTP clients and a package without wheels; this is what of it a server needs.
"""

import asyncio
import base64
import binascii
import hmac
import ipaddress
import json
import re
import secrets
import socket
import ssl
import time
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from starfrost.errors import Refused
from starfrost.table.subscriptions import Subscription

_CURVE: Final = ec.SECP256R1()
_RECORD: Final = 4096
_PATIENCE: Final = 10.0
_LONGEST_ENDPOINT: Final = 1000


def encode(data: bytes) -> str:
    """Return URL-safe base 64 without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text: str) -> bytes:
    """Read URL-safe base 64 with or without padding. Raises ValueError."""
    try:
        return base64.b64decode(text.encode() + b"=" * (-len(text) % 4), b"-_", validate=True)
    except (binascii.Error, UnicodeEncodeError):
        raise ValueError("not base 64") from None


def _point(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _expand(key: bytes, info: bytes, length: int) -> bytes:
    return HKDFExpand(hashes.SHA256(), length, info).derive(key)


def encrypt(
    message: bytes, p256dh: str, auth: str, private: ec.EllipticCurvePrivateKey | None = None, salt: bytes | None = None
) -> bytes:
    """Encrypt a message for a browser; the private key and the salt are new for every message. Raises ValueError."""
    theirs = decode(p256dh)
    private = private or ec.generate_private_key(_CURVE)
    salt = salt or secrets.token_bytes(16)
    ours = _point(private.public_key())
    shared = private.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, theirs))
    secret = _expand(hmac.digest(decode(auth), shared, "sha256"), b"WebPush: info\0" + theirs + ours, 32)
    key = hmac.digest(salt, secret, "sha256")
    cipher = AESGCM(_expand(key, b"Content-Encoding: aes128gcm\0", 16))
    sealed = cipher.encrypt(_expand(key, b"Content-Encoding: nonce\0", 12), message + b"\2", None)
    return salt + _RECORD.to_bytes(4, "big") + bytes([len(ours)]) + ours + sealed


class Signer:
    """The key by which push services know this server."""

    def __init__(self, secret: bytes) -> None:
        self._key = ec.derive_private_key(int.from_bytes(secret, "big"), _CURVE)
        self.public = encode(_point(self._key.public_key()))
        """The public key as browsers want it."""

    @staticmethod
    def make() -> bytes:
        """Make the secret of a new server."""
        return ec.generate_private_key(_CURVE).private_numbers().private_value.to_bytes(32, "big")

    def authorization(self, endpoint: str, contact: str) -> str:
        """Return the header that tells an endpoint's push service who sends a message."""
        address = urlsplit(endpoint)
        claims = {"aud": f"{address.scheme}://{address.netloc}", "exp": int(time.time()) + 12 * 3600, "sub": contact}
        parts = [encode(json.dumps(part).encode()) for part in ({"typ": "JWT", "alg": "ES256"}, claims)]
        signature = self._key.sign(".".join(parts).encode(), ec.ECDSA(hashes.SHA256()))
        signed = b"".join(number.to_bytes(32, "big") for number in decode_dss_signature(signature))
        return f"vapid t={'.'.join([*parts, encode(signed)])}, k={self.public}"


def bad_subscription(why: str) -> Refused:
    """Return the refusal of a subscription that cannot be used; the reason is for programs, in English."""
    return Refused("bad-subscription", "This push subscription cannot be used: %(why)s.", 422, why=why)


async def check_subscription(subscription: Subscription, anywhere: bool) -> None:
    """Raise Refused unless messages can be encrypted for a subscription and its endpoint is on the public network."""
    try:
        encrypt(b"", subscription.p256dh, subscription.auth)
        right = len(decode(subscription.auth)) == 16 and len(decode(subscription.p256dh)) == 65
    except ValueError:
        right = False
    if not right:
        raise bad_subscription("its keys cannot be read")
    # The address becomes part of a request's head.
    if len(subscription.endpoint) > _LONGEST_ENDPOINT or not re.fullmatch(r"[!-~]+", subscription.endpoint):
        raise bad_subscription("its endpoint is too long or has unusual letters")
    await find_address(subscription.endpoint, anywhere)


async def find_address(endpoint: str, anywhere: bool) -> tuple[str, int]:
    """Return the network address of an endpoint: a public one, or any in tests. Raises Refused.

    Anybody can subscribe any endpoint, so without this a stranger could make the server talk to its own network.
    """
    try:
        address = urlsplit(endpoint)
        host, port = address.hostname or "", address.port or (443 if address.scheme == "https" else 80)
        if address.scheme != "https" and not (anywhere and address.scheme == "http"):
            raise bad_subscription("its endpoint does not begin with https")
        known = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        found = [str(info[4][0]) for info in known]
    except (ValueError, OSError):
        raise bad_subscription("its endpoint leads nowhere") from None
    if not anywhere and not all(ipaddress.ip_address(one.partition("%")[0]).is_global for one in found):
        raise bad_subscription("its endpoint is not on the public network")
    return found[0], port


async def deliver(endpoint: str, headers: Mapping[str, str], body: bytes, anywhere: bool) -> tuple[int, str]:
    """Send a message; return the status and Retry-After. Redirects are not followed. Raises OSError and Refused."""
    to = urlsplit(endpoint)
    # The connection goes to the address that was checked, whatever the name server says a moment later.
    address, port = await find_address(endpoint, anywhere)
    tls = ssl.create_default_context() if to.scheme == "https" else None
    lines = {
        "Host": to.netloc,
        "Content-Encoding": "aes128gcm",
        "Content-Length": str(len(body)),
        "Connection": "close",
        **headers,
    }
    target = (to.path or "/") + (f"?{to.query}" if to.query else "")
    head = [f"POST {target} HTTP/1.1", *(f"{name}: {value}" for name, value in lines.items()), "", ""]
    async with asyncio.timeout(_PATIENCE):
        reader, writer = await asyncio.open_connection(
            address, port, ssl=tls, server_hostname=to.hostname if tls else None
        )
        try:
            writer.write("\r\n".join(head).encode("latin-1") + body)
            await writer.drain()
            answer = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        except (EOFError, asyncio.LimitOverrunError) as error:
            raise OSError("no answer") from error
        finally:
            writer.close()
    status = re.match(r"HTTP/1\.[01] (\d{3})", answer)
    if status is None:
        raise OSError("no answer")
    after = re.search(r"\nretry-after: *(\d+)", answer, re.IGNORECASE)
    return int(status[1]), after[1] if after else ""
