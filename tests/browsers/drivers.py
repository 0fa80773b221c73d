"""Firefox and WebKit by WebDriver, without a library: Firefox speaks it on a socket, WebKit's driver over HTTP."""

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx

from tests.browsers import install
from tests.serving import free_port
from tests.waiting import eventually

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
PATIENCE = 120.0


class Failed(Exception):
    """The browser refused a command."""


class Browser:
    """One window of one browser."""

    def command(self, name: str, **values: Any) -> Any:
        """Carry out a WebDriver command. Raises Failed."""
        raise NotImplementedError

    def go(self, address: str) -> None:
        self.command("Navigate", url=address)

    def run(self, script: str, *values: Any) -> Any:
        """Run a script in the page and return what it returns."""
        return self.command("ExecuteScript", script=script, args=list(values))

    def count(self, selector: str) -> int:
        """Count the elements that can be seen; 0 while a page is loading."""
        try:
            found: int = self.run(
                "return [...document.querySelectorAll(arguments[0])].filter(one => one.checkVisibility()).length",
                selector,
            )
        except Failed:
            return 0
        return found

    def wait(self, selector: str) -> None:
        """Wait for an element, seen or not."""
        end = time.monotonic() + PATIENCE
        while True:
            with suppress(Failed):
                if self.run("return document.querySelector(arguments[0]) !== null", selector):
                    return
            assert time.monotonic() < end, f"{selector} does not come: {self.run('return document.body.innerText')}"
            time.sleep(0.02)

    def click(self, selector: str) -> None:
        """Click the first such element that can be seen, as a person does: another element above it fails."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                found = self.run(
                    """const found = [...document.querySelectorAll(arguments[0])].find(one => one.checkVisibility());
                       found?.scrollIntoView({ block: "center" }); return found""",
                    selector,
                )
                if found is None:
                    raise Failed(f"there is no {selector}")
                self.command("ElementClick", id=found[ELEMENT])
                return
            except Failed:
                # It may be moving, or covered for a moment.
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def press(self, script: str, *values: Any) -> bool:
        """Click the element that a script returns; return whether there was one."""
        with suppress(Failed):
            found = self.run(script, *values)
            if found is None:
                return False
            self.command("ElementClick", id=found[ELEMENT])
            return True
        return False

    def text(self, selector: str) -> str:
        found: str = self.run("return document.querySelector(arguments[0])?.textContent ?? ''", selector)
        return found

    def fill(self, selector: str, value: str) -> None:
        self.run("document.querySelector(arguments[0]).value = arguments[1]", selector, value)

    def cookie(self, name: str, value: str) -> None:
        self.command("AddCookie", cookie={"name": name, "value": value, "path": "/"})

    def picture(self) -> str:
        """Return a PNG picture of the window, in base 64."""
        found: str = self.command("TakeScreenshot", full=False)
        return found


class Firefox(Browser):
    """A Firefox by Marionette, the protocol that geckodriver speaks to it."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), 30)
        self._stream = self._socket.makefile("rwb")
        self._number = 0
        self._read()
        self.command("NewSession", capabilities={"alwaysMatch": {}})

    def _read(self) -> Any:
        length = b""
        while (sign := self._stream.read(1)) != b":":
            if not sign:
                raise Failed("Firefox is gone")
            length += sign
        return json.loads(self._stream.read(int(length)))

    def command(self, name: str, **values: Any) -> Any:
        self._number += 1
        message = json.dumps([0, self._number, f"WebDriver:{name}", values]).encode()
        self._stream.write(b"%d:%b" % (len(message), message))
        self._stream.flush()
        _, _, error, result = self._read()
        if error:
            raise Failed(f"{name}: {error['message']}")
        return result["value"] if isinstance(result, dict) and "value" in result else result


PATHS = {
    "Navigate": "url",
    "ExecuteScript": "execute/sync",
    "ElementClick": "element/{id}/click",
    "AddCookie": "cookie",
    "TakeScreenshot": "screenshot",
}


class WebKit(Browser):
    """The MiniBrowser of WebKitGTK by its driver."""

    def __init__(self, port: int, browser: str) -> None:
        self._http = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE)
        options = {"binary": browser, "args": ["--automation"]}
        wanted = {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}}
        self._session = f"/session/{self._answer(self._http.post('/session', json=wanted))['sessionId']}"

    def _answer(self, answer: httpx.Response) -> Any:
        value = answer.json()["value"]
        if answer.is_error:
            raise Failed(value.get("message") or value["error"])
        return value

    def command(self, name: str, **values: Any) -> Any:
        path = f"{self._session}/{PATHS[name].format(**values)}"
        if name == "TakeScreenshot":
            return self._answer(self._http.get(path))
        return self._answer(self._http.post(path, json=values))

    def close(self) -> None:
        with suppress(httpx.HTTPError):
            self._http.delete(self._session)
        self._http.close()


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


@contextmanager
def _process(*command: str, **environment: str) -> Iterator[None]:
    process = subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(20)


@contextmanager
def firefox(folder: Path) -> Iterator[Browser]:
    """Run a Firefox with a new profile, without a screen."""
    path = install.firefox()
    assert path, "No Firefox here: `make browsers` gets one."
    port = free_port()
    folder.mkdir()
    preferences = {
        "marionette.port": port,
        "intl.accept_languages": "en",
        "ui.prefersReducedMotion": 1,
        "datareporting.policy.dataSubmissionEnabled": False,
        "app.update.disabledForTesting": True,
        "browser.shell.checkDefaultBrowser": False,
        "network.captive-portal-service.enabled": False,
        "network.connectivity-service.enabled": False,
    }
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items()]
    (folder / "user.js").write_text("".join(lines), encoding="utf-8")
    with _process(path, "--headless", "--marionette", "--no-remote", "--profile", str(folder), HOME=str(folder)):
        eventually(lambda: _answers(port))
        yield Firefox(port)


@contextmanager
def webkit(folder: Path) -> Iterator[Browser]:
    """Run a WebKit on a screen of its own."""
    found = install.webkit()
    assert found, "No WebKit here: `make browsers` gets one."
    driver, browser = found
    # Without animations of the desktop, pages are asked for less motion.
    settings = folder / ".config/gtk-3.0/settings.ini"
    settings.parent.mkdir(parents=True)
    settings.write_text("[Settings]\ngtk-enable-animations=0\n", encoding="utf-8")
    reader, writer = os.pipe()
    screen = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
        pass_fds=[writer],
        stderr=subprocess.DEVNULL,
    )
    os.close(writer)
    with os.fdopen(reader) as told:
        display = f":{told.readline().strip()}"
    port = free_port()
    places = {"HOME": str(folder), "XDG_RUNTIME_DIR": str(folder), "DISPLAY": display, "LC_ALL": "C.UTF-8"}
    try:
        with _process(driver, f"--port={port}", GDK_BACKEND="x11", **places):
            eventually(lambda: _answers(port))
            window = WebKit(port, browser)
            yield window
            window.close()
    finally:
        screen.terminate()
        screen.wait(20)


BROWSERS = {"firefox": firefox, "webkit": webkit}
