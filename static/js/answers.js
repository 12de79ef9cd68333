// What keeps an answer: a local copy until the server has acknowledged it, and the save itself.
//
// A draft is written before a save is sent and removed by its acknowledgement; it is kept per person,
// attempt, question and page for at most a day, so that two tabs never write over each other. No timers here.

import { csrfToken } from "./base.js";

const PREFIX = "prepapp:draft:";
const DAY = 24 * 3600 * 1000;
// Not the tab's: what a tab keeps is copied along when it is duplicated.
const PAGE = crypto.getRandomValues(new Uint32Array(2)).join("");

/** Where this page, and no other, keeps an answer. */
export function draftKey(person, attempt, position) {
  return `${PREFIX}${person}:${attempt}:${position}:${PAGE}`;
}

/** `sent` is a text on its way whose fate is unknown. False if this browser keeps nothing. */
export function writeDraft(key, text, base, sent = null) {
  try {
    localStorage.setItem(key, JSON.stringify({ text, base, sent, at: Date.now() }));
    return true;
  } catch {
    return false; // storage full or switched off: saving to the server goes on without a net
  }
}

export function readDraft(key) {
  try {
    const draft = JSON.parse(localStorage.getItem(key));
    return draft && typeof draft.text === "string" ? draft : null;
  } catch {
    return null;
  }
}

/** Removes a draft; with `text` only if it is still that one, since its own tab may have written since. */
export function dropDraft(key, text) {
  try {
    if (text !== undefined && readDraft(key)?.text !== text) return;
    localStorage.removeItem(key);
  } catch {
    // nothing to drop where nothing could be kept
  }
}

/** Drafts of one attempt, whichever page wrote them, newest first: [{key, position, text, base, sent, at}]. */
export function draftsOf(person, attempt) {
  const prefix = `${PREFIX}${person}:${attempt}:`;
  return draftKeys()
    .filter((key) => key.startsWith(prefix))
    .map((key) => ({ key, position: parseInt(key.slice(prefix.length), 10), ...readDraft(key) }))
    .filter((draft) => typeof draft.text === "string")
    .sort((a, b) => b.at - a.at);
}

/** The keys of every draft on this device, whoever wrote it. */
export function draftKeys() {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  } catch {
    return [];
  }
}

// Not those of the interview on this page: a clock that was set meanwhile must not cost its text.
const here = document.querySelector("[data-attempt]")?.dataset.attempt;
for (const key of draftKeys()) {
  const draft = readDraft(key);
  if (!draft || (Date.now() - draft.at > DAY && !(here && key.includes(here)))) dropDraft(key);
}

// A visitor has signed in: what this device kept for the visitor belongs to the account now. The cookie is
// set by the server together with the claim and names both. It stays for as long as a draft does: a page
// that was open before may still write under the visitor's name.
const claim = document.cookie.match(/(?:^|; )claimed=([0-9a-f-]{36})\.([0-9a-f-]{36})(?:;|$)/);
if (claim) {
  const [, guest, person] = claim;
  try {
    for (const key of draftKeys()) {
      if (!key.startsWith(`${PREFIX}${guest}:`)) continue;
      const own = key.replace(guest, person);
      const isNewer = readDraft(own)?.at > readDraft(key)?.at;
      if (!isNewer) localStorage.setItem(own, localStorage.getItem(key));
      localStorage.removeItem(key);
    }
  } catch {
    // storage is off or full: what was kept stays where it is, and the next page tries again
  }
}

const TIMEOUT = 8000;
const LONGEST_WAIT = 60000; // whatever a server asks for, a text is not left alone for longer

/** The milliseconds that a `Retry-After` in seconds asks for, else 0. */
export function waitOf(header) {
  return Math.min(Number(header) * 1000 || 0, LONGEST_WAIT);
}

/**
 * Outcomes: saved {revision, at, late}, conflict {revision, text}, refused {message}, signed-out
 * {sign_in}, forbidden, gone, and trouble {wait} (network, timeout, 429, 5xx: worth trying again unchanged,
 * after `wait` milliseconds if there is one).
 */
export async function sendAnswer(url, { text, revision, spent = 0 }, { keepalive = false } = {}) {
  const body = new URLSearchParams({ text, revision, spent });
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), TIMEOUT);
  try {
    const answer = await fetch(url, {
      method: "POST",
      body,
      keepalive,
      signal: keepalive ? undefined : stop.signal,
      headers: { "X-CSRFToken": csrfToken(), Accept: "application/json" },
      redirect: "error",
      credentials: "same-origin",
    });
    const isJson = answer.headers.get("Content-Type")?.startsWith("application/json");
    const content = isJson ? await answer.json() : {};
    if (answer.ok) return { outcome: "saved", ...content };
    if (answer.status === 409 && content.problem === "conflict") return { outcome: "conflict", ...content };
    if (answer.status === 409 || answer.status === 422) return { outcome: "refused", ...content };
    if (answer.status === 401) return { outcome: "signed-out", ...content };
    if (answer.status === 403) return { outcome: "forbidden" };
    if (answer.status === 404) return { outcome: "gone" };
    return { outcome: "trouble", wait: waitOf(answer.headers.get("Retry-After")) };
  } catch {
    return { outcome: "trouble" };
  } finally {
    clearTimeout(timer);
  }
}
