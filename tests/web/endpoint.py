"""A push service of the tests' own: takes messages over HTTP as those of browsers do, and a browser that reads them."""

import hmac
import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from starfrost.web.webpush import decode, encode


class Message(NamedTuple):
    """What a push service was sent."""

    path: str
    headers: dict[str, str]
    body: bytes


class PushService:
    """The service: `statuses` are its next answers, 201 once they are used up."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.statuses: list[int] = []
        self.url = ""

    def answer(self, message: Message) -> int:
        self.messages.append(message)
        return self.statuses.pop(0) if self.statuses else 201


@contextmanager
def push_service() -> Iterator[PushService]:
    """Run a push service."""
    service = PushService()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.send_response(service.answer(Message(self.path, headers, body)))
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, args=[0.05])
    thread.start()
    yield service
    server.shutdown()
    thread.join()
    server.server_close()


def _hkdf(salt: bytes, key: bytes, info: bytes, length: int) -> bytes:
    return hmac.digest(hmac.digest(salt, key, "sha256"), info + b"\1", "sha256")[:length]


class Subscriber:
    """A browser that subscribed at a push service, and can read what it gets."""

    def __init__(self, endpoint: str) -> None:
        self._private = ec.generate_private_key(ec.SECP256R1())
        self._auth = secrets.token_bytes(16)
        self._public = self._private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        self.json = {"endpoint": endpoint, "keys": {"p256dh": encode(self._public), "auth": encode(self._auth)}}

    def read(self, body: bytes) -> Any:
        """Decrypt a message as RFC 8291 and RFC 8188 say."""
        salt, size, theirs, sealed = body[:16], body[20], body[21 : 21 + body[20]], body[21 + body[20] :]
        assert size == 65
        assert len(sealed) <= int.from_bytes(body[16:20], "big")
        shared = self._private.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), theirs))
        key = _hkdf(self._auth, shared, b"WebPush: info\0" + self._public + theirs, 32)
        cipher = AESGCM(_hkdf(salt, key, b"Content-Encoding: aes128gcm\0", 16))
        padded = cipher.decrypt(_hkdf(salt, key, b"Content-Encoding: nonce\0", 12), sealed, None)
        text, mark, rest = padded.rpartition(b"\2")
        assert mark
        assert not rest
        return json.loads(text)


def claims(message: Message, public: str) -> dict[str, Any]:
    """Check who signed a message and return what they claim. Raises InvalidSignature."""
    scheme, token, key = message.headers["authorization"].split()
    assert (scheme, key) == ("vapid", f"k={public}")
    head, body, signature = token.removeprefix("t=").removesuffix(",").split(".")
    assert json.loads(decode(head)) == {"typ": "JWT", "alg": "ES256"}
    raw = decode(signature)
    known = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decode(public))
    numbers = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    known.verify(numbers, f"{head}.{body}".encode(), ec.ECDSA(hashes.SHA256()))
    found: dict[str, Any] = json.loads(decode(body))
    return found
