// Load for boardgame.io: two players a match, each on a socket of its own, who move as soon as it is their turn.
// They speak the protocol directly: the library's own client would take most of the core that the load runs on.
const { io } = require("socket.io-client");
const fs = require("fs");

const [base, matches, seconds, pause, pid] = process.argv.slice(2);
const acknowledged = [];
const toOther = [];
let stopping = false;

const post = async (path, body) => {
  const answer = await fetch(base + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
};

const cpu = () => {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
};

const percentile = (values, share) => {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
};

async function openMatch(index) {
  const { matchID } = await post("/games/counter/create", { numPlayers: 2 });
  const players = [];
  for (const playerID of ["0", "1"]) {
    const { playerCredentials } = await post(`/games/counter/${matchID}/join`, { playerID, playerName: "P" });
    players.push({ playerID, credentials: playerCredentials });
  }
  const match = { matchID, players, stateID: 0, turn: 0, sent: 0, next: 0 };
  const move = () => {
    if (stopping) return;
    const player = players[match.turn];
    match.sent = performance.now();
    match.mover = match.turn;
    const action = {
      type: "MAKE_MOVE",
      payload: { type: "add", args: [], playerID: player.playerID, credentials: player.credentials },
    };
    player.socket.emit("update", action, match.stateID, matchID, player.playerID);
  };
  const update = (seat, state) => {
    if (!state || state._stateID === undefined) return;
    const now = performance.now();
    const seen = players[seat].seen ?? -1;
    if (state._stateID <= seen) return;
    players[seat].seen = state._stateID;
    if (state._stateID <= 0) return;
    // The mover's own copy is the acknowledgement; the other player's is the move arriving.
    if (seat === match.mover) acknowledged.push(now - match.sent);
    else toOther.push(now - match.sent);
    if (state._stateID > match.stateID) {
      match.stateID = state._stateID;
      match.turn = Number(state.ctx.currentPlayer);
    }
    // Go on once both have it, as two people would.
    if (players[0].seen === match.stateID && players[1].seen === match.stateID) {
      if (pause > 0) setTimeout(move, Math.max(0, (match.next += 1000 * pause) - performance.now()));
      else move();
    }
  };
  match.start = () => {
    match.next = performance.now();
    move();
  };
  await Promise.all(
    players.map(
      (player, seat) =>
        new Promise((resolve, reject) => {
          const socket = io(`${base}/counter`, { transports: ["websocket"], forceNew: true, reconnection: false });
          player.socket = socket;
          socket.on("connect_error", reject);
          socket.on("connect", () => socket.emit("sync", matchID, player.playerID, player.credentials, 2));
          socket.on("sync", (_, info) => {
            match.stateID = info.state._stateID;
            match.turn = Number(info.state.ctx.currentPlayer);
            player.seen = info.state._stateID;
            resolve();
          });
          socket.on("update", (_, state) => update(seat, state));
        }),
    ),
  );
  return match;
}

(async () => {
  const all = [];
  for (let index = 0; index < Number(matches); index++) all.push(await openMatch(index));
  all.forEach((match, index) => setTimeout(match.start, (1000 * pause * index) / all.length));
  await new Promise((resolve) => setTimeout(resolve, 1000));
  acknowledged.length = toOther.length = 0;
  const began = performance.now();
  const busy = cpu();
  await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  const took = (performance.now() - began) / 1000;
  const used = cpu() - busy;
  const result = { rate: acknowledged.length / took, server_us: (1e6 * used) / acknowledged.length };
  for (const p of [50, 95, 99]) {
    result[`ack_p${p}`] = percentile(acknowledged, p / 100);
    result[`other_p${p}`] = percentile(toOther, p / 100);
  }
  stopping = true;
  console.log(JSON.stringify(result));
  process.exit(0);
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
