"""`make hosting`: the examples of deploy/ with TLS in front of real servers, as written but for ports and paths."""

import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import sync_playwright

from tests.cli.command import starfrost
from tests.docs.pages import blocks
from tests.hosting.files import DEPLOY, DOMAIN, compose
from tests.hosting.install import program
from tests.postgres import Postgres
from tests.serving import Server, free_port, messages
from tests.torture.fuzz import fuzz
from tests.waiting import eventually
from tests.web import chromium

FUZZED = int(os.environ.get("STARFROST_TORTURE_REQUESTS", "2000"))
VISITOR, SLOW = "127.0.0.2", "127.0.0.3"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    made, key = folder / "cert.pem", folder / "key.pem"
    name = ["-subj", f"/CN={DOMAIN}", "-addext", f"subjectAltName=DNS:{DOMAIN}"]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *name, "-out", made, "-keyout", key],
        check=True,
        capture_output=True,
    )
    return made, key


@contextmanager
def running(command: list[str], log: Path, **environment: str) -> Iterator[None]:
    """Run a proxy in the foreground; end it by its process id."""
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, stdout=out, stderr=out, env={**os.environ, **environment}, start_new_session=True
        )
    try:
        time.sleep(0.2)
        assert process.poll() is None, log.read_text(encoding="utf-8")
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)


class Browser:
    """Requests as a browser sends them to the site's name, which leads to a port of this machine."""

    def __init__(self, port: int, address: str = VISITOR) -> None:
        self.origin = f"https://{DOMAIN}:{port}"
        unchecked = ssl.create_default_context()
        unchecked.check_hostname, unchecked.verify_mode = False, ssl.CERT_NONE
        self.http = httpx.Client(
            base_url=f"https://127.0.0.1:{port}",
            headers={"host": f"{DOMAIN}:{port}", "origin": self.origin, "sec-fetch-site": "same-origin"},
            # Another address than the proxy's.
            transport=httpx.HTTPTransport(verify=unchecked, local_address=address),
            timeout=20,
        )
        self.sni = {"sni_hostname": DOMAIN}

    def request(self, method: str, path: str, **more: Any) -> httpx.Response:
        for _ in range(100):
            try:
                answer = self.http.request(method, path, extensions=self.sni, **more)
            except httpx.TransportError:
                time.sleep(0.1)
                continue
            if answer.status_code not in (502, 503):
                return answer
            time.sleep(0.1)
        raise AssertionError("the proxy does not answer")


def check(port: int, server: Server) -> None:
    """Play through a proxy as a browser does."""
    browser = Browser(port)
    page = browser.request("GET", "/")
    assert page.status_code == 200
    assert page.headers["strict-transport-security"].startswith("max-age=")
    made = browser.request("POST", "/api/guests", json={"name": "Anna"})
    assert made.status_code == 201, made.text
    browser.http.headers["authorization"] = f"Bearer {made.json()['token']}"
    opening = {"game": "dice-stars", "seats": ["open"], "options": {}, "key": "k"}
    table = browser.request("POST", "/api/tables", json=opening).json()["table"]
    path = f"/api/tables/{table}"
    assert browser.request("POST", f"{path}/join", json={"version": 1, "key": "j", "seat": 1}).is_success
    with browser.http.stream("GET", f"{path}/stream?with=events&after=2", extensions=browser.sni) as stream:
        heard = messages(stream.iter_lines())
        for number in range(5):
            view = browser.request("GET", path).json()
            body = {"version": view["version"], "key": f"m{number}", "seat": 1, "action": view["legal"][0]}
            moved = browser.request("POST", f"{path}/act", json=body)
            assert moved.status_code == 200, moved.text
            # The stream says it at once: nothing waits in a buffer.
            assert any(name == "version" and data["version"] > view["version"] for name, _, data in heard)
    # The form of the page, too: its cookie is for https only.
    form = browser.request("POST", "/set-language", data={}, headers={"accept": "text/html"})
    assert form.status_code != 403
    assert browser.request("HEAD", "/readyz").status_code == 200
    # Other sites and other names are refused.
    evil = browser.request("POST", "/api/guests", json={"name": "E"}, headers={"origin": "https://evil.example"})
    assert (evil.status_code, evil.json()["code"]) == (403, "cross-site")
    # The server knows the visitor's own address.
    for word, status in (("ban", 403), ("unban", 200)):
        assert starfrost("admin", word, VISITOR, "--database", server.database).returncode == 0
        while browser.request("GET", "/api/tables").status_code != status:
            time.sleep(0.1)
        assert httpx.get(f"{server.url}/api/tables", headers={"host": DOMAIN}).status_code == 200


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    with Server(str(folder / "t.db"), folder / "log", ALLOWED_HOSTS=DOMAIN) as running_server:
        yield running_server


def written(example: str, changes: dict[str, str]) -> str:
    """Return an example with its ports, addresses and paths changed; each must be there."""
    text = (DEPLOY / example).read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text, f"{example}: {old}"
        text = text.replace(old, new)
    return text


def nginx_command(folder: Path, site: str) -> list[str]:
    """Write a configuration around a site and return the command."""
    (folder / "site.conf").write_text(site)
    paths = "".join(
        f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/pid; error_log stderr; events {{}}\n"
        f"http {{ access_log off; {paths} include {folder}/site.conf; }}\n"
    )
    nginx = program("nginx")
    assert nginx
    subprocess.run([nginx, "-t", "-c", folder / "nginx.conf"], check=True, capture_output=True)
    return [nginx, "-c", str(folder / "nginx.conf")]


def certified(certificate: tuple[Path, Path]) -> dict[str, str]:
    return {
        f"/etc/letsencrypt/live/{DOMAIN}/fullchain.pem": str(certificate[0]),
        f"/etc/letsencrypt/live/{DOMAIN}/privkey.pem": str(certificate[1]),
    }


def test_nginx(server: Server, certificate: tuple[Path, Path], tmp_path: Path) -> None:
    port, plain = free_port(), free_port()
    changes = {
        "127.0.0.1:8000": f"127.0.0.1:{server.port}",
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "listen 80": f"listen 127.0.0.1:{plain}",
    }
    site = written("nginx.conf", {**changes, **certified(certificate)})
    with running(nginx_command(tmp_path, site), tmp_path / "log"):
        check(port, server)
        moved = httpx.get(f"http://127.0.0.1:{plain}/t/x", headers={"host": DOMAIN})
        assert (moved.status_code, moved.headers["location"]) == (301, f"https://{DOMAIN}/t/x")


def drip(port: int) -> float:
    """Send the head of a request a byte a second; return after how many seconds the proxy gives up."""
    unchecked = ssl.create_default_context()
    unchecked.check_hostname, unchecked.verify_mode = False, ssl.CERT_NONE
    plain = socket.create_connection(("127.0.0.1", port), 10, source_address=(SLOW, 0))
    with unchecked.wrap_socket(plain, server_hostname=DOMAIN) as slow:
        slow.settimeout(1)
        began = time.monotonic()
        for byte in f"GET / HTTP/1.1\r\nHost: {DOMAIN}\r\nX: {'a' * 40}":
            slow.sendall(byte.encode())
            try:
                if not slow.recv(1000):
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        return time.monotonic() - began


def test_nginx_stops_floods_and_slow_senders(server: Server, certificate: tuple[Path, Path], tmp_path: Path) -> None:
    port = free_port()
    changes = {
        "127.0.0.1:8000": f"127.0.0.1:{server.port}",
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "listen 80": f"listen 127.0.0.1:{free_port()}",
        # The limits of one address with the same shape, reached by fewer requests.
        "rate=50r/s": "rate=1r/s",
        "burst=200": "burst=20",
    }
    site = written("nginx.conf", {**changes, **certified(certificate)})
    with running(nginx_command(tmp_path, site), tmp_path / "log"):
        flood = Browser(port)
        answers = [flood.request("GET", "/healthz").status_code for _ in range(60)]
        assert answers[:15] == [200] * 15
        assert answers.count(429) >= 30
        assert drip(port) < 30
        big = Browser(port, SLOW).request("POST", "/replay", content=b"x" * 70_000)
        assert big.status_code == 413


def test_caddy_stops_slow_senders(server: Server, certificate: tuple[Path, Path], tmp_path: Path) -> None:
    port = free_port()
    caddy = program("caddy")
    assert caddy
    command = [caddy, "run", "--config", str(caddyfile(tmp_path, port, certificate)), "--adapter", "caddyfile"]
    with running(command, tmp_path / "log", DOMAIN=DOMAIN, STARFROST=f"127.0.0.1:{server.port}", HOME=str(tmp_path)):
        assert Browser(port).request("GET", "/healthz").status_code == 200
        assert drip(port) < 30


def test_without_host_every_move_is_refused_and_the_log_says_why(
    certificate: tuple[Path, Path], tmp_path: Path
) -> None:
    """What the advice of the first release led to."""
    port = free_port()
    with Server(str(tmp_path / "t.db"), tmp_path / "server") as plain:
        changes = {
            "127.0.0.1:8000": f"127.0.0.1:{plain.port}",
            "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
            "listen 80": f"listen 127.0.0.1:{free_port()}",
            "proxy_set_header Host $http_host;": "",
        }
        site = written("nginx.conf", {**changes, **certified(certificate)})
        with running(nginx_command(tmp_path, site), tmp_path / "log"):
            refused = Browser(port).request("POST", "/api/guests", json={"name": "Anna"})
            assert (refused.status_code, refused.json()["code"]) == (403, "cross-site")
    assert '"host": "b\'starfrost\'"' in (tmp_path / "server").read_text()


def caddyfile(folder: Path, port: int, certificate: tuple[Path, Path]) -> Path:
    """Return the example with a certificate of our own: there is nobody here to issue one."""
    changes = {
        "{$DOMAIN} {\n": f"{{$DOMAIN}}:{port} {{\n\ttls {certificate[0]} {certificate[1]}\n",
        "\tservers {\n": "\tadmin off\n\tauto_https disable_redirects\n\tservers {\n",
    }
    made = folder / "Caddyfile"
    made.write_text(written("Caddyfile", changes))
    return made


def caddy_command(file: Path) -> list[str]:
    caddy = program("caddy")
    assert caddy
    return [caddy, "run", "--adapter", "caddyfile", "--config", str(file)]


def test_caddy(server: Server, certificate: tuple[Path, Path], tmp_path: Path) -> None:
    port = free_port()
    file = caddyfile(tmp_path, port, certificate)
    where = {"DOMAIN": DOMAIN, "STARFROST": f"127.0.0.1:{server.port}", "XDG_DATA_HOME": str(tmp_path)}
    with running(caddy_command(file), tmp_path / "log", HOME=str(tmp_path), **where):
        check(port, server)


def check_below(port: int) -> None:
    """Play with a browser below /games/: moves, stream, worker and manifest stay below it."""
    with sync_playwright() as playwright:
        names = f"--host-resolver-rules=MAP {DOMAIN} 127.0.0.1"
        chrome = playwright.chromium.launch(
            executable_path=chromium.find(), args=[*chromium.SWITCHES, names, "--ignore-certificate-errors"]
        )
        page = chrome.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.context.on("request", lambda request: asked.append(request.url))
        below = f"https://{DOMAIN}:{port}/games/"
        page.goto(below.removesuffix("/"))
        assert page.url == below
        page.locator("#play-dicy-cards").click()
        page.wait_for_url(f"{below}t/*")
        table = page.url.removeprefix(below).partition("?")[0]
        # Until a bot has moved, of which the stream tells.
        for _ in range(40):
            if any("/scene?" in url for url in asked):
                break
            with suppress(PlaywrightError):
                page.locator("form[data-live] button:enabled:visible").first.click(timeout=2000)
            page.wait_for_timeout(500)
        page.goto(f"{below}{table}")
        assert page.locator("#main[data-me='1']").count() == 1
        scope = page.evaluate("() => navigator.serviceWorker.ready.then((one) => one.scope)")
        assert scope == below
        kept = page.evaluate("() => caches.keys().then((names) => caches.open(names[0])).then((one) => one.keys())")
        assert kept
        cookies = page.context.cookies()
        assert {cookie["path"] for cookie in cookies if cookie["name"].startswith("starfrost")} == {"/games/"}
        page.context.set_offline(True)
        page.goto(f"{below}me")
        assert page.locator("h1").count() == 1
        assert any("/scene?" in url for url in asked)
        assert [url for url in asked if not url.startswith((below, "data:", below.removesuffix("/")))] == []
        chrome.close()


def lines_of(language: str) -> str:
    """Return the lines by which the documentation puts a site below a path."""
    [block] = [one for one in blocks(DEPLOY.parent / "docs" / "hosting.md") if one.language == language]
    return block.text


def test_nginx_below_a_path(server: Server, certificate: tuple[Path, Path], tmp_path: Path) -> None:
    port = free_port()
    changes = {
        "127.0.0.1:8000": f"127.0.0.1:{server.port}",
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "listen 80": f"listen 127.0.0.1:{free_port()}",
        "    location / {\n": lines_of("nginx"),
    }
    site = written("nginx.conf", {**changes, **certified(certificate)})
    with running(nginx_command(tmp_path, site), tmp_path / "log"):
        check_below(port)


def test_caddy_below_a_path(server: Server, certificate: tuple[Path, Path], tmp_path: Path) -> None:
    port = free_port()
    file = caddyfile(tmp_path, port, certificate)
    text = file.read_text()
    assert text.count("\treverse_proxy {$STARFROST:127.0.0.1:8000} {\n") == 1
    file.write_text(text.replace("\treverse_proxy {$STARFROST:127.0.0.1:8000} {\n", lines_of("caddy")))
    where = {"DOMAIN": DOMAIN, "STARFROST": f"127.0.0.1:{server.port}", "XDG_DATA_HOME": str(tmp_path)}
    with running(caddy_command(file), tmp_path / "log", HOME=str(tmp_path), **where):
        check_below(port)


@pytest.mark.parametrize("proxy", ["nginx", "caddy"])
async def test_no_request_makes_the_server_fail(proxy: str, certificate: tuple[Path, Path], tmp_path: Path) -> None:
    @contextmanager
    def front(server: int) -> Iterator[int]:
        port = free_port()
        if proxy == "nginx":
            changes = {
                "127.0.0.1:8000": f"127.0.0.1:{server}",
                "listen 443 ssl http2": f"listen 127.0.0.1:{port}",
                "listen 80": f"listen 127.0.0.1:{free_port()}",
                "rate=50r/s": "rate=100000r/s",
            }
            command = nginx_command(tmp_path, written("nginx.conf", {**changes, **certified(certificate)}))
        else:
            file = caddyfile(tmp_path, port, certificate)
            file.write_text(re.sub(r"\{\$DOMAIN\}:\d+ \{\n\ttls .*", f"http://:{port} {{", file.read_text()))
            command = caddy_command(file)
        where = {"STARFROST": f"127.0.0.1:{server}", "XDG_DATA_HOME": str(tmp_path), "HOME": str(tmp_path)}
        with running(command, tmp_path / "log", **where):
            eventually(lambda: not socket.socket().connect_ex(("127.0.0.1", port)))
            yield port

    found = await fuzz(tmp_path, requests=FUZZED, seed=20, front=front)
    print(f"{proxy}: {len(found.faults)} faults in {FUZZED} requests, answers {dict(found.statuses)}")
    assert not found.faults, "\n".join(found.faults[:5])
    assert found.statuses[200] > FUZZED / 20


@contextmanager
def several(postgres: Postgres, folder: Path, database: str) -> Iterator[list[Server]]:
    with (
        Server(database, folder / "one", ALLOWED_HOSTS=DOMAIN) as one,
        Server(database, folder / "two", ALLOWED_HOSTS=DOMAIN) as two,
    ):
        yield [one, two]


def check_hashing(port: int, servers: list[Server]) -> None:
    """Everybody at a table reaches the same server; different tables are spread over both."""
    check(port, servers[0])
    browser = Browser(port)
    token = browser.request("POST", "/api/guests", json={"name": "Ben"}).json()["token"]
    browser.http.headers["authorization"] = f"Bearer {token}"
    before = [counted(server) for server in servers]
    for number in range(24):
        path = f"/api/tables/table{number}"
        for _ in range(4):
            assert browser.request("GET", f"{path}/events").status_code == 404
    asked = [counted(server) - old for server, old in zip(servers, before, strict=True)]
    assert all(asked), asked
    # Four times the same table: all at one server.
    assert all(number % 4 == 0 for number in asked), asked
    assert sum(asked) == 96


def counted(server: Server) -> int:
    text = httpx.get(f"{server.url}/metrics").text
    found = re.search(r'starfrost_requests_total\{method="GET",status="404"\} (\d+)', text)
    return int(found[1]) if found else 0


def test_nginx_in_front_of_two_servers(postgres: Postgres, certificate: tuple[Path, Path], tmp_path: Path) -> None:
    with several(postgres, tmp_path, postgres.database()) as servers:
        port = free_port()
        upstream = written(
            "nginx-several.conf",
            {"10.0.0.11:8000": f"127.0.0.1:{servers[0].port}", "10.0.0.12:8000": f"127.0.0.1:{servers[1].port}"},
        )
        site = written(
            "nginx.conf",
            {
                "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
                "listen 80": f"listen 127.0.0.1:{free_port()}",
                **certified(certificate),
            },
        )
        site = re.sub(r"upstream starfrost \{.*?\n\}\n", lambda _: upstream, site, flags=re.DOTALL)
        with running(nginx_command(tmp_path, site), tmp_path / "log"):
            check_hashing(port, servers)


def test_haproxy_in_front_of_two_servers(postgres: Postgres, certificate: tuple[Path, Path], tmp_path: Path) -> None:
    both = tmp_path / "both.pem"
    both.write_bytes(certificate[0].read_bytes() + certificate[1].read_bytes())
    haproxy = program("haproxy")
    assert haproxy
    with several(postgres, tmp_path, postgres.database()) as servers:
        port = free_port()
        changes = {
            "bind :80\n": f"bind 127.0.0.1:{free_port()}\n",
            "bind :443": f"bind 127.0.0.1:{port}",
            f"/etc/haproxy/{DOMAIN}.pem": str(both),
            "10.0.0.11:8000": f"127.0.0.1:{servers[0].port}",
            "10.0.0.12:8000": f"127.0.0.1:{servers[1].port}",
        }
        (tmp_path / "haproxy.cfg").write_text(written("haproxy.cfg", changes))
        subprocess.run([haproxy, "-c", "-f", tmp_path / "haproxy.cfg"], check=True, capture_output=True)
        with running([haproxy, "-db", "-f", str(tmp_path / "haproxy.cfg")], tmp_path / "log"):
            check_hashing(port, servers)


def test_the_services_of_the_compose_file(postgres: Postgres, certificate: tuple[Path, Path], tmp_path: Path) -> None:
    """Its three services as processes of this machine, each with the command and the environment of the file."""
    services = compose()["services"]
    environment = dict(services["starfrost"]["environment"])
    database = postgres.database()
    environment["STARFROST_DATABASE"] = database
    # Here the proxy has an address of this machine.
    environment["STARFROST_TRUSTED_PROXIES"] += ", 127.0.0.1"
    options = [word for word in services["starfrost"]["command"][1:] if word not in ("--host", "0.0.0.0")]
    given = {name.removeprefix("STARFROST_"): value for name, value in environment.items()}
    with Server(database, tmp_path / "server", *options, **given) as server:
        proxy = {**services["proxy"]["environment"], "STARFROST": f"127.0.0.1:{server.port}"}
        port = free_port()
        file = caddyfile(tmp_path, port, certificate)
        with running(caddy_command(file), tmp_path / "log", HOME=str(tmp_path), **proxy):
            check(port, server)


def test_compose_accepts_the_file(tmp_path: Path) -> None:
    """Where Docker is installed, it reads the file itself."""
    command = [shutil.which("docker-compose")] if shutil.which("docker-compose") else ["docker", "compose"]
    found = subprocess.run([*command, "version"], capture_output=True, check=False)  # type: ignore[list-item]
    if found.returncode:
        pytest.skip("there is no docker compose here; test_deploy.py reads the file")
    where = {"DOMAIN": DOMAIN, "POSTGRES_PASSWORD": "sesame"}
    done = subprocess.run(
        [*command, "-f", DEPLOY / "compose.yaml", "config"],  # type: ignore[list-item]
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **where},
    )
    assert done.returncode == 0, done.stderr


def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    units = [path.name for path in DEPLOY.iterdir() if path.suffix in (".service", ".timer")]
    for name in units:
        text = (DEPLOY / name).read_text().replace("/opt/starfrost/bin/starfrost", "/bin/true")
        (tmp_path / name).write_text(text)
    for command in (
        ["verify", *(f"./{name}" for name in units)],
        ["security", "--offline=true", "--threshold=20", "./starfrost.service"],
    ):
        done = subprocess.run(["systemd-analyze", *command], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
