// Load for boardgame.io: two players a match, each on a socket of its own, who move as soon as it is their turn.
// They speak the protocol directly: the library's own client would take most of the core that the load runs on.
const { io } = require("socket.io-client");
const fs = require("fs");

const [base, matches, seconds, pause, pid] = process.argv.slice(2);
const acknowledged = [];
const toOther = [];
let stopping = false;
let lost = 0;

const post = async (path, body) => {
  const answer = await fetch(base + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(3000),
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

async function joinMatch() {
  // Now and then its flat files never answer a request: then another match is opened.
  for (let attempt = 0; attempt < 20; attempt++) {
    try {
      const { matchID } = await post("/games/counter/create", { numPlayers: 2 });
      const players = [];
      for (const playerID of ["0", "1"]) {
        const { playerCredentials } = await post(`/games/counter/${matchID}/join`, { playerID, playerName: "P" });
        players.push({ playerID, credentials: playerCredentials });
      }
      return { matchID, players };
    } catch (error) {
      if (error.name !== "TimeoutError") throw error;
    }
  }
  throw new Error("no match can be opened");
}

async function openMatch() {
  const { matchID, players } = await joinMatch();
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
    match.started = true;
    match.next = performance.now();
    move();
    // A move that was swallowed in the same way is sent once more.
    setInterval(() => {
      if (performance.now() - match.sent > 2000 + 1000 * pause) {
        lost += 1;
        move();
      }
    }, 1000);
  };
  await Promise.all(
    players.map(
      (player, seat) =>
        new Promise((resolve, reject) => {
          const socket = io(`${base}/counter`, { transports: ["websocket"], forceNew: true, reconnection: false });
          player.socket = socket;
          socket.on("connect_error", reject);
          // Its flat files sometimes answer nothing, when a file is read while it is being written: ask again.
          const ask = () => socket.emit("sync", matchID, player.playerID, player.credentials, 2);
          const again = setInterval(ask, 1000);
          socket.on("connect", ask);
          socket.on("sync", (_, info) => {
            clearInterval(again);
            if (match.started) return;
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
  for (let index = 0; index < Number(matches); index++) all.push(await openMatch());
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
  if (lost) console.error(`${lost} moves had to be sent again`);
  console.log(JSON.stringify(result));
  process.exit(0);
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
