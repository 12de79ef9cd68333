// Shows what is left of the interview. The server owns the time: this display counts from what the
// server said on a clock that cannot be set, asks again now and then and after every sleep, and decides
// nothing.

const RESYNC = 30000;
const WARNINGS = [
  [300, "5 minutes left"],
  [60, "1 minute left"],
];

/**
 * `place`: the element with data-left and data-clock-url. `onZero` runs once when the time is over,
 * `onEnded` when the server says that the interview has ended.
 */
export function startClock(place, { onZero, onEnded }) {
  const digits = document.getElementById("clock-digits");
  if (!digits || place.dataset.left === "") return () => {};
  const news = document.getElementById("clock-news");
  let zeroAt = performance.now() + Number(place.dataset.left) * 1000;
  let announced = new Set(WARNINGS.filter(([at]) => Number(place.dataset.left) <= at).map(([at]) => at));
  let over = false;

  function draw() {
    const left = Math.max(0, (zeroAt - performance.now()) / 1000);
    const shown = Math.ceil(left);
    digits.textContent = `${Math.floor(shown / 60)}:${String(shown % 60).padStart(2, "0")}`;
    document.getElementById("clock")?.setAttribute("data-tone", left <= 60 ? "last" : left <= 300 ? "low" : "calm");
    for (const [at, words] of WARNINGS) {
      if (left <= at && !announced.has(at)) {
        announced.add(at);
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
    try {
      const answer = await fetch(place.dataset.clockUrl, { headers: { Accept: "application/json" }, redirect: "error" });
      if (!answer.ok) return;
      const { left, running } = await answer.json();
      if (!running) return onEnded();
      // The reply is about half the round trip old.
      if (left !== null) zeroAt = performance.now() + left * 1000 - (performance.now() - asked) / 2;
      if (left > 0) over = false;
      draw();
    } catch {
      // offline: the display goes on from what it knows
    }
  }

  const visible = () => document.visibilityState === "visible" && resync();
  const ticking = setInterval(draw, 250);
  const resyncing = setInterval(resync, RESYNC);
  document.addEventListener("visibilitychange", visible);
  window.addEventListener("pageshow", visible);
  window.addEventListener("online", resync);
  draw();
  return () => {
    clearInterval(ticking);
    clearInterval(resyncing);
    document.removeEventListener("visibilitychange", visible);
    window.removeEventListener("pageshow", visible);
    window.removeEventListener("online", resync);
  };
}
