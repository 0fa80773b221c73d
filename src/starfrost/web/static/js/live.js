// One stream per tab. A signal only says that the table has changed; the page then fetches what it lacks, one scene after
// another, so that the moves of others can be seen. While the stream shows that it is
// alive, the page asks nothing; if it falls silent, the page opens another one and looks itself.

import { board } from "./boards.js";
import { ask, meaning, pause, sentence, tell, top } from "./line.js";
import { hurry, sending } from "./send.js";

const CHECK = 20000;
// The stream shows every fifteen seconds that it is alive; while it does, the page asks nothing.
const SILENT = 40000;
const SOLVING = 4000;
// In practice what is judged stays in view until the coach has judged it, or for so long.
const JUDGING = "#judge-form[aria-busy]:has([data-by-itself])";
const PATIENCE = 2500;

export function follow({ main, show, read, announce }) {
  let busy = false;
  let known = Number(main().dataset.version);
  let stream = null;
  let heard = 0;
  let told = "";
  // Failures in a row, of scenes and of the stream, and the timers of the next attempts.
  let failed = 0;
  let lost = 0;
  let again = 0;
  let retry = 0;
  // When the last scene was shown.
  let shown = Number.NEGATIVE_INFINITY;
  const sleep = (time) => new Promise((done) => setTimeout(done, time));
  // How long a decision of somebody else stands. Nobody reads a page that is hidden.
  const pace = () => (document.hidden ? 0 : Number(document.documentElement.dataset.pace));

  // A tap or a key ends the wait for the next scene.
  let press = () => {};
  for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, () => press(), true);

  /** Let the scene on the screen stand; in the last part of its time light what the next decision uses. */
  async function stand(fresh) {
    for (let waited = 0; document.querySelector(JUDGING) && waited < PATIENCE; waited += 50) await sleep(50);
    const pressed = new Promise((done) => {
      press = () => done(true);
    });
    const wait = (time) => (time > 0 ? Promise.race([sleep(time), pressed]) : false);
    const part = fresh.dataset.deed && board().light?.(main(), fresh.dataset.deed, true) ? pace() / 2 : 0;
    if (await wait(shown + pace() - part - Date.now())) return;
    if (part) board().light(main(), fresh.dataset.deed);
    await wait(part);
  }

  /** Fetch the next scene and show it; return an answer that is no success. */
  async function fetchScene() {
    const table = { ...main().dataset };
    if (!table.table) return null;
    const query = new URLSearchParams({ after: table.step, version: table.version });
    if (table.gone) query.set("gone", table.gone);
    if ("show" in table) query.set("show", "1");
    if (table.invitation) query.set("invitation", table.invitation);
    const answer = await ask(`${top}t/${table.table}/scene?${query}`);
    if (!answer.ok) return answer;
    if (answer.status === 204) return null;
    const fresh = read(answer.text);
    if (fresh && Number(fresh.dataset.step) > Number(table.step) && pace()) await stand(fresh);
    // A form that is being sent brings its own answer, which must not be shown twice.
    if (sending() || main().dataset.version !== table.version || main().dataset.step !== table.step) return null;
    if (!fresh || (await show(fresh)) === false) return { status: 502, headers: answer.headers, text: "" };
    shown = Date.now();
    return null;
  }

  /** Fetch a scene and say how that went: an outage is not a refusal. After a failure try again, later each time. */
  async function look() {
    const refusal = await fetchScene().catch(() => ({ status: 0 }));
    if (!refusal) {
      failed = 0;
      tell("scene", "");
      return true;
    }
    const state = refusal.status ? { down: "silent", refused: "closed" }[meaning(refusal)] : "lost";
    tell("scene", state ?? "slow", { text: refusal.status ? sentence(refusal) : "" });
    clearTimeout(again);
    again = setTimeout(wake, pause(1 + failed++, refusal));
    return false;
  }

  async function catchUp() {
    if (busy) return;
    busy = true;
    try {
      while (main().dataset.table && (Number(main().dataset.version) < known || "more" in main().dataset)) {
        while (sending()) await sleep(50);
        if (Number(main().dataset.version) >= known && !("more" in main().dataset)) break;
        const version = main().dataset.version;
        const step = main().dataset.step;
        if (!(await look())) break;
        if (main().dataset.version === version && main().dataset.step === step && !("more" in main().dataset)) {
          known = Number(version);
        }
      }
    } finally {
      busy = false;
    }
  }

  // A reaction rises beside the seat that sent it.
  function reaction({ seat, sign, text, name }) {
    // A newer one takes the place of an older one of the same person.
    const sender = String(seat || name);
    for (const old of document.querySelectorAll(".cheer")) if (old.dataset.sender === sender) old.remove();
    const cheer = document.createElement("div");
    cheer.dataset.sender = sender;
    const look = document.getElementById(`lane-${seat}`)?.className.match(/seat-\d/)?.[0] ?? "";
    cheer.className = `cheer ${look}`;
    const emoji = document.createElement("i");
    emoji.textContent = sign;
    cheer.append(emoji, text);
    const place = document.querySelector(`#lane-${seat} .who`)?.getBoundingClientRect() ?? { left: 8, top: 60 };
    cheer.style.left = `${Math.max(8, place.left)}px`;
    cheer.style.top = `${Math.max(48, place.top - 12)}px`;
    document.getElementById("cheers").append(cheer);
    announce(`${name}: ${sign} ${text}`);
    setTimeout(() => cheer.remove(), 2700);
  }

  // The stream says who is present, and whether they look: while nobody does, push messages tell of turns. So it is
  // opened anew when somebody sits down, when the page is left and when its reader comes back.
  const presence = () => `${main().dataset.me} ${document.hidden}`;
  function renew() {
    if (!stream || told === presence()) return;
    stream.close();
    stream = null;
    connect();
  }

  function connect() {
    const table = main().dataset.table;
    if (!table || stream) return;
    clearTimeout(retry);
    told = presence();
    heard = Date.now();
    // Nobody is told on a television that it is their turn.
    const looking = document.hidden || "show" in main().dataset ? "" : "&looking=true";
    // A page that is played without a server is told by the page around it.
    stream = new (window.parent.Stream ?? EventSource)(
      `${top}api/tables/${table}/stream?after=${main().dataset.version}${looking}`,
    );
    stream.addEventListener("ping", (event) => {
      heard = Date.now();
      // Who is away too long is no event of the table.
      if (String(JSON.parse(event.data).gone ?? "") !== (main().dataset.gone ?? "")) wake();
    });
    stream.addEventListener("version", (event) => {
      known = Math.max(known, Number(event.lastEventId || JSON.parse(event.data).version));
      catchUp();
    });
    stream.addEventListener("presence", (event) => {
      const { seats, watchers } = JSON.parse(event.data);
      for (const dot of document.querySelectorAll("[data-present]")) {
        const off = dot.classList.toggle("off", !seats.includes(Number(dot.dataset.present)));
        dot.title = off ? dot.dataset.away : dot.dataset.here;
        dot.setAttribute("aria-label", dot.title);
      }
      // Nobody lets a bot play for somebody who has just come back.
      if (seats.includes(Number(main().dataset.gone))) wake();
      for (const count of document.querySelectorAll("[data-watchers]")) {
        // Whoever watches is not told of themselves.
        const others = watchers - (main().dataset.me ? 0 : 1);
        count.textContent = Math.max(0, others);
        count.parentElement.hidden = others <= 0;
      }
    });
    stream.addEventListener("reaction", (event) => {
      const { seat, reaction: name, by } = JSON.parse(event.data);
      const button = document.querySelector(`[data-reaction="${name}"]`);
      const names = JSON.parse(document.querySelector("[data-names]")?.dataset.names ?? "[]");
      const [sign, text] = [button?.textContent.trim(), button?.getAttribute("aria-label")];
      if (button) reaction({ seat, sign, text, name: by || (names[seat - 1] ?? seat) });
    });
    // Somebody opened another game, which changes nothing at this table.
    stream.addEventListener("offer", () => {
      main().dataset.version = "-1";
      wake();
    });
    stream.addEventListener("open", () => {
      lost = 0;
      tell("stream", "");
      hurry();
      wake();
    });
    stream.addEventListener("error", reconnect);
  }

  // A browser would open a stream that broke off once a second, and one that was refused never; it does not say why.
  async function reconnect() {
    const { readyState, url } = stream;
    stream.close();
    stream = null;
    const control = new AbortController();
    const refused = readyState === EventSource.CLOSED;
    const answer = refused ? await fetch(url, { signal: control.signal }).catch(() => null) : null;
    const state = answer && !answer.ok ? meaning(answer) : "lost";
    control.abort();
    // A stream that broke off once may be back in a moment; whether the line is lost, a scene shows.
    if (state !== "lost" || lost) tell("stream", { down: "silent", refused: "still" }[state] ?? state);
    else wake();
    clearTimeout(retry);
    retry = setTimeout(resume, pause(1 + lost++, answer));
  }

  function resume() {
    connect();
    wake();
  }

  async function wake() {
    clearTimeout(again);
    known = Math.max(known, Number(main().dataset.version));
    renew();
    if (!busy && !(await look())) return;
    await catchUp();
  }

  connect();
  setInterval(() => {
    if (stream && Date.now() - heard < SILENT) return;
    stream?.close();
    stream = null;
    resume();
  }, CHECK);
  window.addEventListener("online", resume);
  document.addEventListener("visibilitychange", () => (document.hidden ? renew() : resume()));
  window.addEventListener("pagehide", () => {
    stream?.close();
    stream = null;
  });
  window.addEventListener("pageshow", (event) => event.persisted && resume());

  const until = (deadline) =>
    new Date(1000 * deadline).toLocaleString(document.documentElement.lang.replace(/^en$/, "en-GB"), {
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
    });

  // The clock of the acting seat, where the table has one, and what is offered from a certain time on.
  setInterval(() => {
    for (const offer of document.querySelectorAll("[data-from][hidden]"))
      if (Date.now() / 1000 >= Number(offer.dataset.from)) offer.hidden = false;
    const { deadline } = main().dataset;
    for (const clock of document.querySelectorAll(".clock")) {
      if (clock.parentElement.hidden !== !deadline) clock.parentElement.hidden = !deadline;
      if (!deadline) continue;
      const left = Math.max(0, Math.round(Number(deadline) - Date.now() / 1000));
      // A clock of days says until when.
      clock.textContent =
        left > 5400 ? until(deadline) : `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
      clock.classList.toggle("low", left < 15);
      clock.classList.toggle("days", left > 5400);
    }
  }, 500);

  // The line that says how far a bot's preparation is; it is removed when the bot is ready.
  setInterval(async () => {
    const line = document.getElementById("solving");
    if (!line || document.hidden) return;
    // After a failure the next round asks again; the stream reports a lost connection.
    const answer = await ask(`${top}t/${main().dataset.table}/solving`).catch(() => null);
    if (answer?.status === 204) document.getElementById("solving")?.remove();
    else if (answer?.ok) line.textContent = answer.text;
  }, SOLVING);

  return { wake };
}
