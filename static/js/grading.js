// Grading in the browser, of one's own answers and of samples: keys, the active point with its hints, words of
// the answer as evidence.
// Everything here has a form or a link that does the same without it.

import { say } from "./base.js";

const SETTLE = 600; // a selection that has rested this long is meant
const LONGEST_QUOTE = 1000;

const grading = () => document.getElementById("grading");
const points = () => [...document.querySelectorAll("#rubric .point")];
const activePoint = () => document.querySelector("#rubric .point.active");

function light(point) {
  const id = point?.dataset.point;
  for (const hint of document.querySelectorAll("#answer-text mark")) {
    hint.classList.toggle("on", id !== undefined && hint.dataset.points.split(" ").includes(id));
  }
}

function activate(point) {
  if (!point || point.classList.contains("active")) return;
  activePoint()?.classList.remove("active");
  point.classList.add("active");
  light(point);
  showFirstHint();
}

/** Scrolls the answer, not the page, so that the first hint of the active point can be seen. */
function showFirstHint() {
  const box = document.getElementById("answer-text");
  const hint = box?.querySelector("mark.on");
  if (!hint || box.scrollHeight <= box.clientHeight) return;
  const above = hint.getBoundingClientRect().top - box.getBoundingClientRect().top;
  if (above < 0 || above > box.clientHeight - 40) box.scrollTop += above - box.clientHeight / 3;
}

/** To the next or previous point, by keys. */
function step(by) {
  const all = points();
  const at = all.indexOf(activePoint());
  const next = all[Math.min(Math.max(at + by, 0), all.length - 1)];
  activate(next);
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "nearest" });
}

function isTyping(target) {
  return target.closest('input:not([type="radio"]), textarea, select, [contenteditable]') !== null;
}

function press(key, event) {
  const point = activePoint();
  if (["1", "2", "3"].includes(key) && point) {
    // The key came from nowhere in particular: now it is known where the person is.
    if (!point.contains(document.activeElement)) point.focus({ preventScroll: true });
    point.querySelectorAll(".seg :is(button, input)")[Number(key) - 1].click();
  } else if (key === "j" || key === "k") step(key === "j" ? 1 : -1);
  else if (key === "n" && document.getElementById("fix-next")) document.getElementById("fix-next").focus();
  else if (key === "enter" && !event.target.closest("a, button, summary, dialog")) {
    const next = document.getElementById("grade-next");
    if (!next) return;
    next.click();
  } else if (key === "?") document.getElementById("keys").showModal();
  else return;
  event.preventDefault();
}

document.addEventListener("keydown", (event) => {
  // A key held down is one press: repeated, each would be sent.
  if (event.repeat && ["1", "2", "3", "Enter"].includes(event.key) && !isTyping(event.target)) {
    event.preventDefault();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (!grading() || document.querySelector("dialog[open]")) return;
  press(event.key.toLowerCase(), event);
});

document.addEventListener("focusin", (event) => activate(event.target.closest("#rubric .point")));
document.addEventListener("click", (event) => {
  activate(event.target.closest("#rubric .point"));
  if (event.target.closest("#keys-button")) document.getElementById("keys").showModal();
});
// Hovering looks ahead: the hints of that point light up, the active point stays what it is. Moves only:
// a page that shifts under a resting mouse says nothing.
let hovered = null;
document.addEventListener("pointermove", (event) => {
  if (event.pointerType !== "mouse") return;
  const point = event.target.closest?.("#rubric .point") ?? null;
  if (point === hovered) return;
  hovered = point;
  light(point ?? activePoint());
});

/** The selected words of the answer, '' if something else is selected. */
function selectedWords() {
  const selection = document.getSelection();
  const box = document.getElementById("answer-text");
  if (!box || !selection || selection.isCollapsed) return "";
  if (!box.contains(selection.anchorNode) || !box.contains(selection.focusNode)) return "";
  return selection.toString().trim().replace(/\s+/g, " ");
}

function attach() {
  const words = selectedWords();
  const form = activePoint()?.querySelector("form");
  if (!words || !form || form.elements.quote.value === words) return;
  if (words.length > LONGEST_QUOTE) {
    say(`Select at most ${LONGEST_QUOTE} characters: the words that earn the mark.`, "warning");
    return;
  }
  form.elements.quote.value = words;
  const marked = form.querySelector('.seg [aria-pressed="true"]');
  if (marked) marked.click();
  else form.querySelector("details").open = true;
}

// Touch moves a selection by handles that send no pointer events, so its rest is what counts.
let rest;
let isDown = false;
document.addEventListener("selectionchange", () => {
  clearTimeout(rest);
  if (!isDown) rest = setTimeout(attach, SETTLE);
});
document.addEventListener("pointerdown", () => { isDown = true; });
for (const name of ["pointerup", "pointercancel"]) {
  document.addEventListener(name, () => {
    isDown = false;
    clearTimeout(rest);
    rest = setTimeout(attach, SETTLE);
  });
}

function enter() {
  for (const part of document.querySelectorAll(".with-script")) part.hidden = false;
  const all = points();
  if (all.length && !activePoint()) {
    const marked = (point) => point.querySelector('.seg :is([aria-pressed="true"], :checked)');
    activate(all.find((point) => point.contains(document.activeElement)) ?? all.find((point) => !marked(point)) ?? all[0]);
  }
}
enter();
document.addEventListener("htmx:afterSettle", enter);
