// A boardgame.io server with a game as small as can be: two players, a counter, turns that alternate.
const { Server, FlatFile } = require("boardgame.io/server");

const [port, folder] = process.argv.slice(2);

const game = {
  name: "counter",
  setup: () => ({ count: 0 }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: { add: ({ G }) => ({ count: G.count + 1 }) },
};

const options = { games: [game], origins: ["*"] };
if (folder) options.db = new FlatFile({ dir: folder, logging: false, ttl: false });

Server(options).run(Number(port), () => console.log("ready"));
