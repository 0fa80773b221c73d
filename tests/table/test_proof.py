from pathlib import Path

import pytest

from starfrost.cli import main
from starfrost.errors import RecordError
from starfrost.fair.proof import prove
from starfrost.table import TableService
from tests.table.helpers import guests, move, open_and_join, play_out, seen


@pytest.mark.parametrize("game", ["dicy-cards", "dice-stars"])
async def test_a_finished_game_proves_its_dice(service: TableService, game: str) -> None:
    people = await guests(service, 2)
    table = await open_and_join(service, people, game)
    with pytest.raises(RecordError, match="envelope is still closed"):
        prove(await service.record(table))
    await play_out(service, table, people)
    record = await service.record(table)
    proof = prove(record)
    assert proof.finished
    assert proof.rolls == record.count("\n* ")
    assert (proof.players, proof.made_by_server) == (2, 0)


async def test_an_abandoned_game_opens_its_envelope_too(service: TableService) -> None:
    people = await guests(service, 2)
    table = await open_and_join(service, people)
    for _ in range(6):
        await move(service, table, people)
    version = (await seen(service, table, None))["version"]
    await service.close(table, people[0], version=version, key="close")
    assert len((await seen(service, table, None))["seed"]) == 64
    proof = prove(await service.record(table))
    assert not proof.finished
    assert proof.rolls > 0


async def test_any_change_to_the_dice_or_the_envelope_is_seen(service: TableService) -> None:
    people = await guests(service, 2)
    table = await open_and_join(service, people, "dice-stars")
    await play_out(service, table, people)
    record = await service.record(table)
    seed = next(line for line in record.splitlines() if line.startswith("seed: "))
    commitment = next(line for line in record.splitlines() if line.startswith("commitment: "))
    changes = {
        "not the seed that was sealed": record.replace(seed, seed[:-1] + ("0" if seed[-1] != "0" else "1")),
        "These dice are not": record.replace("1=player:c1", "1=player:c2"),
        "is not the commitment": record.replace(commitment, "commitment: " + "0" * 64),
        "64 hexadecimal": record.replace(seed, "seed: zz"),
        "is not a contribution": record.replace("1=player:c1", "1=god:c1"),
        "for each of 2 seats": record.replace(" 2=player:c2", ""),
        "header 'table'": record.replace(f"table: {table}\n", ""),
    }
    for words, text in changes.items():
        with pytest.raises(RecordError, match=words):
            prove(text)
    # Another face that the rules allow: only the proof can tell.
    lines = record.splitlines()
    first = next(index for index, line in enumerate(lines) if line.startswith("* "))
    die = lines[first].split()[1]
    face = next(face for face in "3456" if face != die[-1])
    unfinished = [line for line in lines[: first + 1] if not line.startswith(("result:", "winners:"))]
    unfinished[-1] = unfinished[-1].replace(die, die[:-1] + face, 1)
    with pytest.raises(RecordError, match="These dice are not"):
        prove("\n".join(unfinished) + "\n")


async def test_the_command_proves_files(
    service: TableService, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    people = await guests(service, 2)
    table = await open_and_join(service, people)
    early = tmp_path / "early.sfr"
    early.write_text(await service.record(table))
    await play_out(service, table, people)
    good = tmp_path / "good.sfr"
    good.write_text(await service.record(table))
    for files, status in (([good], 0), ([good, early], 1), ([tmp_path / "none.sfr"], 1)):
        with pytest.raises(SystemExit) as ended:
            main(["verify", *map(str, files)])
        assert ended.value.code == status
    out = capsys.readouterr().out
    assert "every die proven" in out
    assert "envelope is still closed" in out
