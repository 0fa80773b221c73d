"""One guest on several devices: phrases, links, signing out."""

import asyncio
import math
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import pytest

from starfrost.table import Guest, Refused, TableService
from starfrost.table import devices as devices_module
from starfrost.table.devices import MOST_DEVICES
from starfrost.table.phrase import LENGTH, new_phrase, read_phrase, word_list
from tests.table.helpers import running, settings_for
from tests.table.test_service import refused


def test_a_phrase_cannot_be_guessed() -> None:
    words = list(word_list().values())
    assert LENGTH * math.log2(len(words)) >= 80
    assert len({word[:4] for word in words}) == len(words)
    assert all(word.isascii() and word.isalpha() and word.islower() for word in words)
    drawn = {new_phrase() for _ in range(200)}
    assert len(drawn) == 200
    assert {word for phrase in drawn for word in phrase.split()} <= set(words)


def test_a_phrase_is_read_as_people_type_it() -> None:
    phrase = "acorn bridge copper dolphin eagle forest garden harbor"
    assert read_phrase("  Acorn, BRIDGE-copper\ndolphin. eagle\tforest garden harbour ") == phrase
    for wrong, said in (
        ("acorn bridge", "8 words"),
        (phrase + " acorn", "these are 9"),
        (phrase.replace("eagle", "xylophone"), "xylophone"),
        ("", "these are 0"),
        ("\0" * 10_000, "these are 0"),
    ):
        with pytest.raises(Refused, match=said) as error:
            read_phrase(wrong)
        assert error.value.code == "bad-phrase"


async def test_a_phrase_brings_the_guest_to_other_devices(service: TableService) -> None:
    devices = service.devices
    anna, first = await service.new_guest("Anna", "Firefox, Linux")
    assert await devices.phrase_made(anna) is None
    phrase = await devices.new_phrase(anna)
    assert await devices.phrase_made(anna) is not None
    assert await devices.whose(phrase=phrase) == anna
    found, second = await devices.sign_in(phrase=phrase, label="Safari, iPhone")
    assert found == anna
    assert await service.find_guest(second) == await service.find_guest(first) == anna
    # Once per device: where the guest is known already it is refused, elsewhere it works.
    for token in (first, second):
        assert await refused(devices.sign_in(phrase=phrase, token=token)) == "already-here"
    _, third = await devices.sign_in(phrase=phrase)
    assert len({first, second, third}) == 3
    shown = await devices.of(anna, second)
    assert (shown[0].label, shown[0].here) == ("Safari, iPhone", True)
    assert {device.label for device in shown} == {"Firefox, Linux", "Safari, iPhone", ""}
    # A name that one device changes is changed on all.
    await service.rename_guest(anna, "Bea")
    assert (await service.find_guest(third)) == (anna.id, "Bea")
    # A new phrase takes the place of the last one.
    newer = await devices.new_phrase(anna)
    assert await refused(devices.sign_in(phrase=phrase)) == "no-phrase"
    await devices.sign_in(phrase=newer)


async def test_what_was_read_before_a_change_does_not_outlive_it(
    service: TableService, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, token = await service.new_guest("Anna")
    service.guests.forget(anna.id)
    read, go_on, reading = service.guests._read, asyncio.Event(), asyncio.Event()

    async def slow(asked: Iterable[str]) -> dict[str, Guest]:
        found = await read(asked)
        reading.set()
        await go_on.wait()
        return found

    monkeypatch.setattr(service.guests, "_read", slow)
    before = asyncio.create_task(service.find_guest(token))
    await reading.wait()
    await service.rename_guest(anna, "Bea")
    go_on.set()
    assert await before == anna
    assert await service.find_guest(token) == (anna.id, "Bea")


async def test_a_device_that_is_signed_out_stays_out(service: TableService) -> None:
    devices = service.devices
    anna, first = await service.new_guest("Anna")
    ben, bens = await service.new_guest("Ben")
    phrase = await devices.new_phrase(anna)
    _, second = await devices.sign_in(phrase=phrase)
    lost = next(device for device in await devices.of(anna, first) if not device.here)
    assert await refused(devices.sign_out(ben, lost.id, bens)) == "no-device"
    assert await service.find_guest(second) == anna
    assert not await devices.sign_out(anna, lost.id, first)
    assert await service.find_guest(second) is None
    assert await service.find_guest(first) == anna
    assert await refused(devices.sign_in(phrase=phrase)) == "no-phrase"
    assert await refused(devices.sign_out(anna, lost.id, first)) == "no-device"
    # Whoever signs out here may come back with the phrase.
    phrase = await devices.new_phrase(anna)
    assert await devices.sign_out(anna, (await devices.of(anna, first))[0].id, first)
    assert await service.find_guest(first) is None
    assert (await devices.sign_in(phrase=phrase))[0] == anna


async def test_a_device_of_somebody_else_changes_hands(service: TableService) -> None:
    anna, _ = await service.new_guest("Anna")
    ben, bens = await service.new_guest("Ben")
    phrase = await service.devices.new_phrase(anna)
    _, token = await service.devices.sign_in(phrase=phrase, token=bens)
    assert await service.find_guest(token) == anna
    assert await service.find_guest(bens) is None
    assert await service.devices.of(ben, "") == []


async def test_a_link_works_once_and_not_for_long(service: TableService, monkeypatch: pytest.MonkeyPatch) -> None:
    devices = service.devices
    anna, _ = await service.new_guest("Anna")
    code = await devices.new_link(anna)
    assert await devices.whose(code=code) == anna
    tries = [devices.sign_in(code=code) for _ in range(5)]
    answers = await asyncio.gather(*tries, return_exceptions=True)
    assert [getattr(answer, "code", "in") for answer in answers].count("no-link") == 4
    assert await refused(devices.whose(code=code)) == "no-link"
    late = await devices.new_link(anna)
    now = devices_module.time.time()
    monkeypatch.setattr(devices_module.time, "time", lambda: now + devices_module.LINK_LASTS + 1)
    assert await refused(devices.sign_in(code=late)) == "no-link"


async def test_there_is_a_limit_to_devices(service: TableService) -> None:
    anna, _ = await service.new_guest("Anna")
    for _ in range(MOST_DEVICES - 1):
        await service.devices.sign_in(code=await service.devices.new_link(anna))
    code = await service.devices.new_link(anna)
    assert await refused(service.devices.sign_in(code=code)) == "many-devices"


async def test_phrases_and_codes_are_stored_hashed(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as service:
        anna, _ = await service.new_guest("Anna")
        phrase, code = await service.devices.new_phrase(anna), await service.devices.new_link(anna)
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"Anna" in stored
    for secret in (phrase, code, *map(" ".join, pairwise(phrase.split()))):
        assert secret.encode() not in stored
    # A restart changes nothing.
    async with running(settings_for(tmp_path)) as service:
        assert (await service.devices.sign_in(phrase=phrase))[0] == anna
