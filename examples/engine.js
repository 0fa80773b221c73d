// An engine for Starfrost in JavaScript: it takes the most dice that it can, and else any legal action.
//
//   starfrost simulate dice-stars --bots "cmd:node examples/engine.js,greedy" --games 100
//
// docs/engines.md describes the lines that it reads and writes.
const readline = require("node:readline");

let legal = [];

function choose(seed) {
  // Scores and takes name their dice: the longest one has the most.
  const best = legal.filter((action) => /^(score|take)/.test(action)).sort((a, b) => b.length - a.length)[0];
  return best ?? legal[seed % legal.length];
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const [word, ...rest] = line.split(" ");
  if (word === "starfrost") {
    console.log("id name most-dice");
    console.log("ready");
  } else if (word === "legal") {
    legal = rest.join(" ").split("; ");
  } else if (word === "go") {
    console.log(`bestmove ${choose(Number(rest[rest.indexOf("seed") + 1]))}`);
  }
});
