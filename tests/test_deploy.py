"""The files for hosts are about this version: their settings exist, and what they start runs."""

import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import httpx
import yaml

from starfrost.table import Settings
from starfrost.table.metrics import Metrics
from tests.hosting.files import DEPLOY, DOMAIN, compose, image_settings, unit_command, unit_values
from tests.interrupts import interruptible
from tests.serving import Player, for_server, free_port
from tests.waiting import eventually

OF_THE_SOLVER = {"STARFROST_CACHE"}


def known(names: dict[str, str]) -> dict[str, str]:
    """Return settings by their names in the environment as arguments; they must exist."""
    ours = {name: value for name, value in names.items() if name.startswith("STARFROST_")}
    assert ours
    return {name.removeprefix("STARFROST_").lower(): value for name, value in ours.items() if name not in OF_THE_SOLVER}


def test_the_settings_of_the_files_are_accepted() -> None:
    served = Settings(**known(compose()["services"]["starfrost"]["environment"]))
    assert not served.is_sqlite
    assert served.hosts == (DOMAIN,)
    assert served.trusts("172.30.0.5")
    assert Settings(**known(image_settings())).sqlite_path == Path("/var/lib/starfrost/tables.db")
    for name in ("starfrost.service", "starfrost-backup.service"):
        environment = dict(value.split("=", 1) for value in unit_values(name, "Environment"))
        assert Settings(**known(environment)).sqlite_path == Path("/var/lib/starfrost/tables.db")


def test_the_image_copies_what_it_needs_and_what_is_not_ignored() -> None:
    root, text = DEPLOY.parent, (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    kept = {line[1:] for line in (root / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    sources = [word for line in re.findall(r"^COPY (?!--)(.*) \S+$", text, re.MULTILINE) for word in line.split()]
    assert sources
    for source in sources:
        # `make dist` makes the wheel.
        assert source == "dist/*.whl" or (root / source).exists(), source
        assert any(source == name or source.startswith(f"{name}/") for name in kept), source
    services = compose()["services"]
    assert services["starfrost"]["build"]["dockerfile"] == "deploy/Containerfile"
    assert (DEPLOY / services["proxy"]["volumes"][0].split(":")[0]).is_file()
    # Nothing of the image runs as root.
    assert re.search(r"^USER 10001$", text, re.MULTILINE)


def test_proxies_pass_on_what_the_server_needs() -> None:
    nginx = (DEPLOY / "nginx.conf").read_text()
    for header in ("Host $http_host", "X-Forwarded-For $remote_addr", "X-Forwarded-Proto $scheme"):
        assert f"proxy_set_header {header};" in nginx
    assert "proxy_buffering off;" in nginx
    haproxy = (DEPLOY / "haproxy.cfg").read_text()
    assert "option forwardfor" in haproxy
    assert "set-header X-Forwarded-Proto https" in haproxy


def test_the_units_run_as_written(tmp_path: Path) -> None:
    """The server starts, a backup is made beside it, and stopping is a success for systemd."""
    for folder in ("var/lib/backups", "var/cache", "etc"):
        (tmp_path / folder).mkdir(parents=True)
    # systemd starts it in the folder of the settings.
    (tmp_path / "etc" / "starfrost.toml").write_text('trusted_proxies = ["10.0.0.0/8"]\nbot_pace = 0\n')
    assert unit_values("starfrost.service", "WorkingDirectory") == ["/etc/starfrost"]
    command, environment = unit_command("starfrost.service", tmp_path)
    assert command[:2] == ["/opt/starfrost/bin/starfrost", "serve"]
    port = str(free_port())
    ours = [sys.executable, "-m", "starfrost"]
    command = [*ours, *command[1:]]
    command[command.index("--port") + 1] = port
    where = {"cwd": tmp_path / "etc", "env": for_server(**environment)}
    with interruptible(), (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, **where)
    try:
        url = f"http://127.0.0.1:{port}"

        def is_ready() -> bool:
            assert process.poll() is None, (tmp_path / "log").read_text()
            with suppress(httpx.TransportError):
                return httpx.get(f"{url}/readyz").is_success
            return False

        eventually(is_ready)
        Player(url).open()
        shell, _, script = unit_command("starfrost-backup.service", tmp_path)[0]
        script = script.replace("/opt/starfrost/bin/starfrost", " ".join(ours)).replace("$$", "$").replace("%%", "%")
        done = subprocess.run([shell, "-c", script], capture_output=True, text=True, check=False, **where)
        assert done.returncode == 0, done
        [made] = (tmp_path / "var" / "lib" / "backups").iterdir()
        assert re.fullmatch(r"\d{8}-\d{6}\.db", made.name)
    finally:
        process.send_signal(signal.SIGTERM)
        status = process.wait(20)
    assert unit_values("starfrost.service", "SuccessExitStatus") == [str(status)]
    assert (tmp_path / "var" / "lib" / "tables.db").exists()


def test_the_alerts_ask_for_numbers_that_exist() -> None:
    """Every number and label of the rules is one that a server counts."""
    metrics = Metrics()
    metrics.refusals.labels("storage").inc()
    metrics.requests.labels("GET", "429").inc()
    text = metrics.text().decode()
    rules = yaml.safe_load((DEPLOY / "alerts.yml").read_text())["groups"][0]["rules"]
    asked = re.findall(r"(starfrost_\w+)(\{\w+=[~]?\"([^\"]*)\"\})?", " ".join(rule["expr"] for rule in rules))
    assert len(asked) >= 7
    for name, _, value in asked:
        lines = [line for line in text.splitlines() if line.startswith((f"{name}{{", f"{name} "))]
        assert lines, name
        assert not value or value == "5.." or any(f'"{value}"' in line for line in lines), value
