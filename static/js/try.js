// The clock of a try: it counts down from the minutes of the question and decides nothing.

const digits = document.getElementById("clock-digits");
const end = performance.now() + Number(document.querySelector("[data-minutes]").dataset.minutes) * 60000;

function draw() {
  const left = Math.max(0, Math.ceil((end - performance.now()) / 1000));
  digits.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  document.getElementById("clock").dataset.tone = left <= 60 ? "last" : left <= 300 ? "low" : "calm";
}

draw();
setInterval(draw, 500);
