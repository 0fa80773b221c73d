// One stream per tab. A signal only says that the table has changed; the page then fetches what it lacks, one scene after
// another, so that the moves of others can be seen. If a signal is lost, the page still asks from time to time.

const CHECK = 20000;
const SOLVING = 4000;

export function follow({ main, show, announce, quiet }) {
  let busy = false;
  let known = Number(main().dataset.version);
  let stream = null;
  let retry = 1000;
  const sleep = (time) => new Promise((done) => setTimeout(done, time));
  const pace = () =>
    quiet.matches
      ? Math.min(300, Number(document.documentElement.dataset.pace))
      : Number(document.documentElement.dataset.pace);

  function offline(is) {
    document.documentElement.classList.toggle("offline", is);
    const sign = document.getElementById("offline");
    if (sign) sign.hidden = !is;
  }

  async function fetchScene() {
    const table = { ...main().dataset };
    const query = new URLSearchParams({ after: table.step, version: table.version });
    const answer = await fetch(`/t/${table.table}/scene?${query}`, { headers: { "X-Fragment": "1" } });
    if (answer.status === 204) return false;
    if (!answer.ok) throw new Error(String(answer.status));
    const html = await answer.text();
    // A form that is being sent brings its own answer, which must not be shown twice.
    if (
      main().querySelector("form[aria-busy]") ||
      main().dataset.version !== table.version ||
      main().dataset.step !== table.step
    )
      return true;
    show(html);
    return true;
  }

  async function catchUp() {
    if (busy) return;
    busy = true;
    try {
      while (main().dataset.table && (Number(main().dataset.version) < known || "more" in main().dataset)) {
        if ("more" in main().dataset) await sleep(pace());
        while (main().querySelector("form[aria-busy]")) await sleep(50);
        if (Number(main().dataset.version) >= known && !("more" in main().dataset)) break;
        const version = main().dataset.version;
        const step = main().dataset.step;
        await fetchScene();
        if (main().dataset.version === version && main().dataset.step === step && !("more" in main().dataset)) {
          known = Number(version);
        }
      }
      offline(false);
    } catch {
      offline(true);
      setTimeout(catchUp, 3000);
    } finally {
      busy = false;
    }
  }

  function reaction({ seat, sign, name }) {
    const cheer = document.createElement("div");
    cheer.className = `cheer seat-${seat}`;
    cheer.textContent = `${name}: ${sign}`;
    document.getElementById("cheers").append(cheer);
    announce(cheer.textContent);
    setTimeout(() => cheer.remove(), 2700);
  }

  function connect() {
    const table = main().dataset.table;
    if (!table) return;
    stream = new EventSource(`/api/tables/${table}/stream?after=${main().dataset.version}`);
    stream.addEventListener("version", (event) => {
      known = Math.max(known, Number(event.lastEventId || JSON.parse(event.data).version));
      catchUp();
    });
    stream.addEventListener("presence", (event) => {
      const { seats, watchers } = JSON.parse(event.data);
      for (const dot of document.querySelectorAll("[data-present]"))
        dot.classList.toggle("off", !seats.includes(Number(dot.dataset.present)));
      for (const count of document.querySelectorAll("[data-watchers]")) count.textContent = watchers;
    });
    stream.addEventListener("reaction", (event) => {
      const { seat, reaction: name } = JSON.parse(event.data);
      const button = document.querySelector(`[data-reaction="${name}"]`);
      const who = document.querySelector(`#lane-${seat} .who b`);
      if (button) reaction({ seat, sign: button.getAttribute("aria-label"), name: who?.textContent ?? seat });
    });
    stream.addEventListener("open", () => {
      retry = 1000;
      offline(false);
      wake();
    });
    stream.addEventListener("error", () => {
      offline(true);
      if (stream.readyState === EventSource.CLOSED) {
        setTimeout(connect, retry);
        retry = Math.min(retry * 2, 15000);
      }
    });
  }

  async function wake() {
    known = Math.max(known, Number(main().dataset.version));
    try {
      if (!busy) await fetchScene();
      await catchUp();
    } catch {
      offline(true);
    }
  }

  connect();
  setInterval(wake, CHECK);
  window.addEventListener("online", wake);
  document.addEventListener("visibilitychange", () => document.hidden || wake());
  window.addEventListener("pagehide", () => stream?.close());
  window.addEventListener("pageshow", (event) => event.persisted && connect());

  // The clock of the acting seat, where the table has one.
  setInterval(() => {
    const { deadline } = main().dataset;
    for (const clock of document.querySelectorAll(".clock")) {
      clock.parentElement.hidden = !deadline;
      const left = Math.max(0, Math.round(Number(deadline) - Date.now() / 1000));
      clock.textContent =
        left > 5400 ? `${Math.round(left / 3600)} h` : `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
      clock.classList.toggle("low", left < 15);
    }
  }, 500);

  // The line that says how far a bot's preparation is; it is removed when the bot is ready.
  setInterval(async () => {
    const line = document.getElementById("solving");
    if (!line || document.hidden) return;
    try {
      const answer = await fetch(`/t/${main().dataset.table}/solving`);
      if (answer.status === 204) document.getElementById("solving")?.remove();
      else if (answer.ok) line.textContent = await answer.text();
    } catch {
      // The next round asks again; the stream reports a lost connection.
    }
  }, SOLVING);

  return { wake };
}
