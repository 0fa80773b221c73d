"""Push services of the tests' own, one of them silent, and a browser that reads what it gets."""

import asyncio
import datetime
import hmac
import json
import secrets
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.x509.oid import NameOID
from py_vapid.utils import b64urldecode, b64urlencode

NAME = "push.example"
"""The name in the certificate of the push service with TLS."""


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
        self.connections = 0
        self.names: list[str | None] = []
        """The names that clients asked for when they began TLS."""
        self.port = 0
        self.url = ""

    def answer(self, message: Message) -> int:
        self.messages.append(message)
        return self.statuses.pop(0) if self.statuses else 201


def certificate(folder: Path) -> Path:
    """Write a key and a certificate that signs itself for NAME; return the file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = folder / "certificate.pem"
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file.write_bytes(private + made.public_bytes(Encoding.PEM))
    return file


@asynccontextmanager
async def silent_service() -> AsyncIterator[tuple[str, set[object], list[int]]]:
    """Run a push service that never answers: its address, the open connections, how many there were at each new one."""
    open_now: set[object] = set()
    counts: list[int] = []

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        open_now.add(writer)
        counts.append(len(open_now))
        await reader.read()
        open_now.discard(writer)
        writer.close()

    server = await asyncio.start_server(take, "127.0.0.1", 0, backlog=1000)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", open_now, counts


@contextmanager
def push_service(tls: Path | None = None) -> Iterator[PushService]:
    """Run a push service; with a certificate it takes messages over TLS only."""
    service = PushService()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            service.connections += 1
            super().setup()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.send_response(service.answer(Message(self.path, headers, body)))
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service.port = server.server_port
    service.url = f"http://127.0.0.1:{service.port}"
    if tls is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tls)
        context.sni_callback = lambda _, name, __: service.names.append(name)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        service.url = f"https://{NAME}:{service.port}"
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
        keys = {"p256dh": b64urlencode(self._public), "auth": b64urlencode(self._auth)}
        self.json = {"endpoint": endpoint, "keys": keys}

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
    scheme, parts = message.headers["authorization"].split()
    token, key = parts.split(",")
    assert (scheme, key) == ("vapid", f"k={public}")
    head, body, signature = token.removeprefix("t=").split(".")
    assert json.loads(b64urldecode(head.encode())) == {"typ": "JWT", "alg": "ES256"}
    raw = b64urldecode(signature.encode())
    known = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), b64urldecode(public.encode()))
    numbers = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    known.verify(numbers, f"{head}.{body}".encode(), ec.ECDSA(hashes.SHA256()))
    found: dict[str, Any] = json.loads(b64urldecode(body.encode()))
    return found
