// Shows what is left of the interview. The server owns the time: this display counts from what the
// server said on a clock that cannot be set, asks again now and then and after every sleep, and decides
// nothing.

const RESYNC = 30000;
const WARNINGS = [
  [300, "5 minutes left"],
  [60, "1 minute left"],
];

/** What the server says now: {left: seconds or null, running}, or null if it cannot be reached. */
export async function askServer(url) {
  try {
    const answer = await fetch(url, { headers: { Accept: "application/json" }, redirect: "error" });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

/**
 * `place`: the element with data-left and data-clock-url. `onZero` runs when the time shown is over,
 * `onEnded` when the server says that the interview has ended. Without a clock it only listens for the
 * end. Returns {stop, resync}.
 */
export function startClock(place, { onZero, onEnded }) {
  const digits = document.getElementById("clock-digits");
  const news = document.getElementById("clock-news");
  const at = (left) => (left === null || left === "" ? Infinity : performance.now() + Number(left) * 1000);
  let zeroAt = at(place.dataset.left);
  const secondsLeft = () => Math.max(0, (zeroAt - performance.now()) / 1000);
  const announced = new Set(WARNINGS.filter(([mark]) => secondsLeft() <= mark).map(([mark]) => mark));
  let over = false;
  let ended = false;

  function draw() {
    if (!digits || ended) return;
    const left = secondsLeft();
    if (left === Infinity) {
      digits.textContent = "No limit";
      return;
    }
    const shown = Math.ceil(left);
    digits.textContent = `${Math.floor(shown / 60)}:${String(shown % 60).padStart(2, "0")}`;
    document.getElementById("clock")?.setAttribute("data-tone", left <= 60 ? "last" : left <= 300 ? "low" : "calm");
    for (const [mark, words] of WARNINGS) {
      if (left <= mark && !announced.has(mark)) {
        announced.add(mark);
        if (left > 0) news.textContent = words;
      }
    }
    if (left <= 0 && !over) {
      over = true;
      news.textContent = "Time is over";
      onZero();
    }
  }

  async function resync() {
    const asked = performance.now();
    const answer = await askServer(place.dataset.clockUrl);
    if (!answer || ended) return;
    if (!answer.running) {
      ended = true;
      onEnded();
      return;
    }
    // The reply is about half the round trip old.
    zeroAt = at(answer.left) - (performance.now() - asked) / 2;
    if (secondsLeft() > 0) over = false;
    draw();
  }

  const visible = () => document.visibilityState === "visible" && resync();
  const ticking = setInterval(draw, 250);
  const resyncing = setInterval(resync, RESYNC);
  document.addEventListener("visibilitychange", visible);
  window.addEventListener("pageshow", visible);
  window.addEventListener("online", resync);
  draw();
  const stop = () => {
    ended = true;
    clearInterval(ticking);
    clearInterval(resyncing);
    document.removeEventListener("visibilitychange", visible);
    window.removeEventListener("pageshow", visible);
    window.removeEventListener("online", resync);
  };
  return { stop, resync };
}
