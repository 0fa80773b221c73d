"""Live streams, on a real server."""

import json
import socket
import time

import httpx

from tests.serving import Player, Server, messages


def seated(server: Server) -> tuple[str, Player, Player]:
    anna, ben = Player(server.url), Player(server.url, "Ben")
    table = anna.open(key=f"o{time.monotonic_ns()}")
    anna.join(table, 1)
    ben.join(table, 2)
    return table, anna, ben


def test_a_stream_says_which_version_is_reached(server: Server) -> None:
    table, anna, ben = seated(server)
    with ben.http.stream("GET", f"/api/tables/{table}/stream") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert stream.headers["cache-control"] == "no-store"
        news = messages(stream.iter_lines())
        assert next(news) == ("version", "3", {"version": 3})
        anna.move(table)
        found = next(item for item in news if item[0] == "version")
        assert found == ("version", "4", {"version": 4})


def test_a_stream_resumes_where_the_reader_left_off(server: Server) -> None:
    table, anna, ben = seated(server)
    for _ in range(2):
        anna.move(table)
    with ben.http.stream("GET", f"/api/tables/{table}/stream?with=events", headers={"last-event-id": "3"}) as stream:
        name, number, data = next(messages(stream.iter_lines()))
    assert (name, number) == ("version", "5")
    assert [event["version"] for event in data["events"]] == [4, 5]
    with ben.http.stream("GET", f"/api/tables/{table}/stream?with=events&after=4") as stream:
        assert [event["version"] for event in next(messages(stream.iter_lines()))[2]["events"]] == [5]
    for nonsense in ("x", "-1", "9" * 30, "99"):
        headers = {"last-event-id": nonsense}
        with ben.http.stream("GET", f"/api/tables/{table}/stream", headers=headers) as stream:
            assert stream.status_code == 200


def test_presence_and_reactions_pass_by(server: Server) -> None:
    table, anna, ben = seated(server)
    with anna.http.stream("GET", f"/api/tables/{table}/stream?after=3") as stream:
        news = messages(stream.iter_lines())
        assert next(news) == ("presence", None, {"seats": [1], "watchers": 0})
        with (
            httpx.stream("GET", f"{server.url}/api/tables/{table}/stream"),
            ben.http.stream("GET", f"/api/tables/{table}/stream"),
        ):
            # Who comes at the same time is told of at once.
            assert any(data == {"seats": [1, 2], "watchers": 1} for _, _, data in news)
            assert ben.get(f"/tables/{table}")["seats"][0]["present"]
            ben.http.post(f"/api/tables/{table}/reactions", json={"reaction": "wow"})
            assert next(news) == ("reaction", None, {"seat": 2, "reaction": "wow"})
        assert any(data == {"seats": [1], "watchers": 0} for _, _, data in news)
        assert not ben.get(f"/tables/{table}")["seats"][1]["present"]


def test_strangers_watch_but_unknown_tables_have_no_stream(server: Server) -> None:
    table, anna, _ = seated(server)
    with httpx.stream("GET", f"{server.url}/api/tables/{table}/stream?with=events", timeout=30) as stream:
        assert stream.status_code == 200
        news = messages(stream.iter_lines())
        name, number, data = next(news)
        assert (name, number, data["version"]) == ("version", "3", 3)
        anna.move(table)
        moved = next(item for item in news if item[0] == "version")
        assert [event["kind"] for event in moved[2]["events"]] == ["act"]
    answer = httpx.get(f"{server.url}/api/tables/unknown/stream")
    assert (answer.status_code, answer.json()["code"]) == (404, "no-table")


def test_one_guest_cannot_open_streams_without_end(server: Server) -> None:
    table, anna, _ = seated(server)
    clients = [httpx.Client(base_url=server.url, headers=dict(anna.http.headers)) for _ in range(21)]
    streams = [client.stream("GET", f"/api/tables/{table}/stream") for client in clients]
    statuses = [stream.__enter__().status_code for stream in streams]
    assert statuses == [200] * 20 + [429]
    for stream in streams:
        stream.__exit__(None, None, None)


def test_bodies_larger_than_a_head_still_get_their_answer(server: Server) -> None:
    answer = httpx.post(f"{server.url}/api/guests", content=b"x" * 300_000)
    assert answer.status_code == 413


def test_what_follows_a_body_is_no_header(server: Server) -> None:
    """Nobody signs in, or changes the name of the site, by a trailer, whether it comes at once or later."""
    token = Player(server.url, "Anna").token
    head = (
        "PATCH /api/me HTTP/1.1\r\nHost: a.test\r\nOrigin: http://{}\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )
    body = '{"name":"Eve"}'
    chunk = f"{len(body):x}\r\n{body}\r\n0\r\n"
    trailer = f"Authorization: Bearer {token}\r\nHost: evil.test\r\n\r\n"
    own, other = head.format("a.test"), head.format("evil.test")
    for pieces, status in (
        ([own, chunk, trailer], b"401"),
        ([own + chunk + trailer], b"401"),
        ([other + chunk + trailer], b"403"),
    ):
        with socket.create_connection(("127.0.0.1", server.port), 30) as line:
            for piece in pieces:
                line.sendall(piece.encode())
                # So that the server reads one piece after the other.
                time.sleep(0.1)
            assert line.makefile("rb").readline().split()[1] == status
    two = b"GET /api/tables HTTP/1.1\r\nHost: a.test\r\nHost: b.test\r\nConnection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), 30) as line:
        line.sendall(two)
        assert line.makefile("rb").readline().split()[1] == b"400"


def test_logs_are_json_lines(server: Server) -> None:
    httpx.get(f"{server.url}/api/tables")
    lines = [line for line in server.log.read_text().splitlines() if not line.startswith("Starfrost is open")]
    assert all({"event", "level", "timestamp"} <= set(json.loads(line)) for line in lines)
