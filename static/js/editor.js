// Comfort while writing a question: rows are added, moved and dragged, findings appear beside their fields,
// leaving with unsaved text warns. Without it the form has empty rows and a field for the place of each.

import { say } from "./base.js";

const form = document.querySelector("[data-editor]");
const state = document.getElementById("editor-state");
let isChanged = form.hasAttribute("data-changed");
let isSent = false;

for (const part of document.querySelectorAll(".with-script")) part.hidden = false;
for (const part of document.querySelectorAll("[data-without-script], [data-place]")) part.hidden = true;

// --- rows ---

const rowsOf = (list) => [...list.children].filter((row) => row.matches("[data-row]"));

/** Numbers the rows as they stand; the place fields carry it to the server. */
function renumber(list) {
  rowsOf(list).forEach((row, index) => {
    row.querySelector("[data-number]").textContent = index + 1;
    row.querySelector(`[name="${row.dataset.row}-position"]`).value = index + 1;
  });
}

function changed() {
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

/** An empty copy of the last row, under a name that no row has had. */
function addRow(name) {
  const list = form.querySelector(`[data-rows="${CSS.escape(name)}"]`);
  const rows = rowsOf(list);
  const last = rows.at(-1);
  const next = Math.max(...rows.map((row) => Number(row.dataset.row.slice(name.length + 1)))) + 1;
  const old = last.dataset.row;
  const row = last.cloneNode(true);
  for (const element of [row, ...row.querySelectorAll("*")]) {
    for (const attribute of [...element.attributes]) {
      if (attribute.value.includes(old)) attribute.value = attribute.value.replaceAll(old, `${name}-${next}`);
    }
    element.removeAttribute("aria-invalid");
  }
  for (const field of row.querySelectorAll("input, textarea, select")) {
    if (field.type === "checkbox") field.checked = field.defaultChecked = false;
    else if (field.tagName === "SELECT") field.selectedIndex = 0;
    else field.value = field.defaultValue = "";
  }
  for (const part of row.querySelectorAll("[data-said], [data-count]")) part.replaceChildren();
  for (const part of row.querySelectorAll(".error, .row-title .chip")) part.remove();
  list.append(row);
  renumber(list);
  for (const inner of row.querySelectorAll("[data-rows]")) renumber(inner);
  row.querySelector("textarea, input:not([type=hidden], [hidden])")?.focus();
  changed();
}

function move(row, step) {
  const list = row.parentElement;
  const rows = rowsOf(list);
  const other = rows[rows.indexOf(row) + step];
  if (!other) return;
  if (step < 0) other.before(row);
  else other.after(row);
  renumber(list);
  changed();
}

form.addEventListener("click", (event) => {
  const add = event.target.closest("[data-add]");
  if (add) addRow(add.dataset.add);
  const button = event.target.closest("[data-move]");
  if (button) {
    const row = button.closest("[data-row]");
    move(row, button.dataset.move === "up" ? -1 : 1);
    button.focus();
    state.textContent = `Now at place ${rowsOf(row.parentElement).indexOf(row) + 1}`;
  }
});

let dragged = null;
form.addEventListener("pointerdown", (event) => {
  const row = event.target.closest("[data-drag]")?.closest("[data-row]");
  if (row) row.draggable = true;
});
form.addEventListener("dragstart", (event) => {
  dragged = event.target.closest?.("[data-row][draggable=true]");
  event.dataTransfer.effectAllowed = "move";
});
form.addEventListener("dragover", (event) => {
  const over = event.target.closest("[data-row]");
  if (!dragged || !over || over === dragged || over.parentElement !== dragged.parentElement) return;
  event.preventDefault();
  const box = over.getBoundingClientRect();
  if (event.clientY < box.top + box.height / 2) over.before(dragged);
  else over.after(dragged);
});
form.addEventListener("dragend", () => {
  if (!dragged) return;
  dragged.draggable = false;
  renumber(dragged.parentElement);
  dragged = null;
  changed();
});

// --- what is said beside the fields ---

document.addEventListener("htmx:afterSwap", (event) => {
  const news = event.target.querySelector?.("[data-news]");
  if (!news) return;
  for (const place of form.querySelectorAll("[data-said]")) place.replaceChildren();
  for (const place of form.querySelectorAll("[data-count]")) place.textContent = "";
  for (const part of news.querySelectorAll("[data-for]")) {
    form.querySelector(`[data-said="${CSS.escape(part.dataset.for)}"]`)?.append(...part.childNodes);
  }
  for (const part of news.querySelectorAll("[data-count-for]")) {
    const place = form.querySelector(`[data-count="${CSS.escape(part.dataset.countFor)}"]`);
    if (place) place.textContent = part.textContent;
  }
  news.remove();
});

// --- keys, and leaving ---

form.addEventListener("input", () => {
  isChanged = true;
  state.textContent = "Not saved yet";
});
/** Why a save would not arrive now, or "". Asked first: a form that is sent leaves the page, text and all. */
async function whyNot() {
  try {
    const answer = await fetch(form.dataset.alive, { method: "HEAD", redirect: "manual" });
    return answer.type === "opaqueredirect" ? "You are signed out. Sign in in another tab, then save again; nothing is lost." : "";
  } catch {
    return "The server cannot be reached. What you typed is still here; save again in a moment.";
  }
}

function tell(problem) {
  say(problem);
  state.textContent = "Not saved";
  if (problem.startsWith("You are signed out")) {
    const link = document.createElement("a");
    link.href = form.dataset.signIn;
    link.target = "_blank";
    link.textContent = "Sign in";
    document.querySelector("#messages .message")?.append(" ", link);
  }
  document.getElementById("messages").scrollIntoView();
}

let mayLeave = false;
form.addEventListener("submit", async (event) => {
  if (!mayLeave) {
    event.preventDefault();
    if (isSent) return;
    isSent = true;
    const problem = await whyNot();
    isSent = false;
    if (problem) {
      tell(problem);
      return;
    }
    mayLeave = true;
    form.requestSubmit(event.submitter);
    return;
  }
  mayLeave = false;
  isSent = true;
  isChanged = false;
  sessionStorage.setItem("editor-scroll", `${location.pathname} ${scrollY}`);
});
document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key !== "s") return;
  event.preventDefault();
  form.requestSubmit(form.querySelector('[name="act"][value="save"]'));
});
addEventListener("beforeunload", (event) => {
  if (isChanged) event.preventDefault();
});
addEventListener("pageshow", () => {
  isSent = false;
  const [path, height] = (sessionStorage.getItem("editor-scroll") ?? "").split(" ");
  sessionStorage.removeItem("editor-scroll");
  if (path === location.pathname && !document.querySelector("[role=alert]")) scrollTo(0, Number(height));
});
