// What every page needs: the request token, the time zone, plain words when the network fails, boxes that
// scroll within reach of the keyboard.

const csrfCookie = document.querySelector('meta[name="csrf-cookie"]')?.content;

/** The current token. Read at request time: signing in from another tab makes a new one. */
export function csrfToken() {
  const found = document.cookie.split("; ").find((part) => part.startsWith(`${csrfCookie}=`));
  return found ? decodeURIComponent(found.slice(csrfCookie.length + 1)) : "";
}

document.addEventListener("htmx:configRequest", (event) => {
  delete event.detail.parameters.csrfmiddlewaretoken;
  event.detail.formData?.delete("csrfmiddlewaretoken");
  if (event.detail.verb !== "get") event.detail.headers["X-CSRFToken"] = csrfToken();
});

// A plain form posts the token that was current when the page was made: renew it as well.
document.addEventListener("submit", (event) => {
  const field = event.target.elements?.namedItem("csrfmiddlewaretoken");
  if (field && csrfToken()) field.value = csrfToken();
});

/** Shows one message in the polite live region. */
export function say(text, kind = "error") {
  const line = document.createElement("p");
  line.className = `message ${kind}`;
  line.textContent = text;
  document.getElementById("messages")?.replaceChildren(line);
}

function reportFailure(event) {
  // Saving has its own state line in the room; see room.js.
  if (event.target.closest?.("[data-own-errors]")) return;
  const status = event.detail.xhr?.status ?? 0;
  if (status === 401) {
    const link = event.detail.xhr.getResponseHeader("X-Sign-In");
    say("You are signed out. Sign in to go on; nothing was changed.");
    if (link) {
      const anchor = document.createElement("a");
      anchor.href = link;
      anchor.textContent = "Sign in";
      document.querySelector("#messages .message")?.append(" ", anchor);
    }
  } else if (status === 404) say("That is not there any more. Reload the page.");
  else if (status === 429) {
    const seconds = event.detail.xhr.getResponseHeader("Retry-After") ?? "60";
    say(`Too many requests, so nothing was changed. Wait ${seconds} second${seconds === "1" ? "" : "s"}, then try again.`);
  } else if (status === 0) say("The server cannot be reached. Nothing was changed; try again in a moment.");
  else say("That did not work and nothing was changed. Reload the page and try again.");
}
document.addEventListener("htmx:responseError", reportFailure);
document.addEventListener("htmx:sendError", reportFailure);
document.addEventListener("htmx:timeout", reportFailure);

// The zone is a guess until the person confirms it; it only decides how dates are shown.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone && !document.cookie.includes("time_zone=")) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `time_zone=${zone}; path=/; max-age=31536000; SameSite=Lax${secure}`;
}
for (const field of document.querySelectorAll("[data-guess-time-zone]")) {
  if (zone && [...field.options].some((option) => option.value === zone)) field.value = zone;
}

// A menu closes when the person goes elsewhere or presses Escape.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

// Code, tables and long answers scroll inside their own box. Such a box can be reached with the keyboard
// while something of it is hidden: not every browser does that by itself.
function reachScrollers() {
  for (const box of document.querySelectorAll("pre, .prose table, .answer-text, .answer-own")) {
    if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}
// htmx says this of the whole page first, then of each part it puts in.
document.addEventListener("htmx:load", reachScrollers);
document.addEventListener("toggle", reachScrollers, true);
addEventListener("resize", reachScrollers);

// After a plain form came back with errors, focus goes to the first of them.
document.querySelector('[role="alert"][data-focus], fieldset[data-focus], [aria-invalid="true"]')?.focus();

// After a swap that replaced the focused control, focus moves to the successor the page names.
document.addEventListener("htmx:afterSettle", (event) => {
  const target = event.target.querySelector?.("[data-focus]");
  if (target && (document.activeElement === document.body || !document.activeElement)) target.focus();
});
