// Sends one answer to the server and says in one word what became of it. No page, no timers here.

import { csrfToken } from "./base.js";

const TIMEOUT = 10000;

/**
 * Outcomes: saved {revision, at, late}, conflict {revision, text}, refused {message}, signed-out
 * {sign_in}, forbidden, gone, and trouble (network, timeout, 5xx: worth trying again unchanged).
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
    return { outcome: "trouble" };
  } catch {
    return { outcome: "trouble" };
  } finally {
    clearTimeout(timer);
  }
}
