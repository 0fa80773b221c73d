"""The host's page, and what players report to the host."""

import re
from collections.abc import Callable
from pathlib import Path

import httpx
from playwright.sync_api import BrowserContext, expect

from tests.cli.command import starfrost
from tests.serving import Player, Server
from tests.table.helpers import empty_database
from tests.waiting import eventually
from tests.web.conftest import PHONE
from tests.web.test_access import serious


def test_the_host_reads_a_report_bans_and_closes(context: Callable[..., BrowserContext], tmp_path: Path) -> None:
    with Server(empty_database(tmp_path), tmp_path / "log") as server:
        anna, eve = Player(server.url, "Anna"), Player(server.url, "Eve")
        table = anna.open()
        for one in (anna, eve):
            one.join(table)
        # Only people at the table report, and only others there.
        ben = Player(server.url, "Ben")
        assert ben.http.get(f"/t/{table}/report").status_code == 403
        assert "Eve" in (asked := anna.http.get(f"/t/{table}/report").text)
        assert "Anna" not in re.sub(r"(?s)<header.*?</header>", "", asked)
        for _twice in range(2):
            sent = anna.http.post(f"/t/{table}/report", data={"whom": "0", "why": "insults <b>me</b>"})
            assert sent.is_success
        assert anna.http.post(f"/t/{table}/report", data={"whom": "1", "why": "x"}).status_code == 422
        # Nobody comes in without the key, and nobody guesses it.
        answers = [ben.http.get("/host", params={"key": str(number)}).status_code for number in range(12)]
        assert set(answers) == {403, 429}
        told = starfrost("admin", "link", "--database", server.database)
        link = re.search(r"/host\?key=\w+", told.stdout)
        assert link
        page = context(viewport=PHONE).new_page()
        page.goto(f"{server.url}{link[0]}")
        assert page.url == f"{server.url}/host"
        reports = page.locator("section", has=page.locator("#reports"))
        expect(reports).to_contain_text("insults <b>me</b>")
        expect(reports.locator("b")).to_have_text(["Eve"])
        assert not serious(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        reports.get_by_role("button", name="Ban").click()
        bans = page.locator("section", has=page.locator("#bans"))
        expect(bans.get_by_role("button", name="Let in again")).to_be_visible()
        eventually(lambda: eve.http.get("/api/me").status_code == 403)
        bans.get_by_role("button", name="Let in again").click()
        expect(bans).to_contain_text("Nobody is banned.")
        eventually(lambda: eve.http.get("/api/me").is_success)
        with httpx.Client(base_url=server.url, follow_redirects=True) as host:
            assert host.get(link[0]).is_success
            nobody = host.post("/host", data={"what": "ban", "whom": "nobody"})
            assert nobody.status_code == 422
            assert "neither a guest&#39;s id nor an address" in nobody.text
        page.locator("section", has=page.locator("#tables")).get_by_role("button", name="Close the table").click()
        eventually(lambda: anna.get(f"/tables/{table}")["status"] == "closed")
        # Whoever is deleted takes what was reported about them along.
        me = eve.get("/me")["id"]
        assert starfrost("admin", "delete", me, "--database", server.database).returncode == 0
        page.reload()
        expect(reports).to_contain_text("Nobody has reported anything.")
