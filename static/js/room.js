// The room in the browser: keeps every keystroke, shows the truth about saving, ticks the clock, keys.
//
// One save is in flight per answer. What is typed meanwhile waits and is sent next ("queue last"). A save
// whose fate is unknown is repeated unchanged before anything newer is sent, so that it can never
// conflict with itself. The text box is never replaced while somebody types in it.

import { draftKey, draftsOf, dropDraft, readDraft, sendAnswer, writeDraft } from "./answers.js";
import { startClock } from "./clock.js";

const PAUSE = 800; // a save this long after the last key
const AT_MOST = 8000; // and at least this often while typing goes on
const RETRIES = [1000, 2000, 4000, 8000]; // then every 8 s

let leave = () => {}; // stops the timers of the question that is left

function enter(room) {
  leave();
  const form = document.getElementById("answer-form");
  const box = document.getElementById("answer");
  const state = document.getElementById("save-state");
  const trouble = document.getElementById("trouble");
  const conflict = document.getElementById("conflict");
  const url = form.dataset.saveUrl;
  const limit = Number(box.dataset.limit);
  const key = draftKey(room.dataset.person, room.dataset.attempt, room.dataset.position);

  let saved = box.value; // what the server last acknowledged
  let revision = Number(form.elements.revision.value);
  let inFlight = null; // the payload on its way, repeated unchanged while its fate is unknown
  let failures = 0;
  let blocked = false; // a conflict or refusal waits for the person
  let signedOut = false; // blocked only until the person is back from signing in
  let ended = false;
  let moving = false;
  let pauseTimer, atMostTimer, retryTimer;
  let shownSince = performance.now();
  let waiting = []; // resolved when nothing is left to save, or saving cannot go on

  const length = (text) => [...text].length;
  const isDirty = () => box.value !== saved || inFlight !== null;

  function show(kind, text) {
    state.dataset.state = kind;
    state.textContent = text;
  }

  function explain(text, link) {
    trouble.replaceChildren(document.createTextNode(text));
    if (link) {
      const anchor = Object.assign(document.createElement("a"), { href: link.href, textContent: link.text });
      trouble.append(" ", anchor);
    }
    trouble.hidden = text === "";
  }

  function count() {
    const characters = length(box.value);
    const words = box.value.trim() ? box.value.trim().split(/\s+/).length : 0;
    const near = characters > limit * 0.9;
    document.getElementById("count").textContent = near
      ? `${words} words · ${characters.toLocaleString("en-GB")} of ${limit.toLocaleString("en-GB")} characters`
      : `${words} words`;
    box.setAttribute("aria-invalid", characters > limit ? "true" : "false");
    return characters <= limit;
  }

  function secondsShown() {
    const now = performance.now();
    const seconds = document.visibilityState === "visible" ? Math.round((now - shownSince) / 1000) : 0;
    shownSince = now;
    return Math.min(Math.max(seconds, 0), 3600);
  }

  function settle() {
    for (const done of waiting.splice(0)) done();
  }

  function schedule() {
    clearTimeout(pauseTimer);
    pauseTimer = setTimeout(save, PAUSE);
    atMostTimer ??= setTimeout(save, AT_MOST);
  }

  async function save() {
    clearTimeout(pauseTimer);
    clearTimeout(atMostTimer);
    atMostTimer = undefined;
    if (blocked || ended || moving) return settle();
    if (inFlight?.sending) return; // what is typed now is sent when this one is back
    if (!inFlight) {
      if (box.value === saved) return settle();
      if (!count()) {
        show("bad", "Not saved: too long");
        explain(
          `Your answer has ${length(box.value).toLocaleString("en-GB")} characters; ${limit.toLocaleString("en-GB")} is the most. ` +
            "Shorten it to save again; the last saved text is safe.",
        );
        return settle();
      }
      inFlight = { text: box.value, revision, spent: secondsShown() };
    }
    inFlight.sending = true;
    if (failures === 0) show("busy", "Saving…");
    const sent = inFlight;
    const answer = await sendAnswer(url, sent);
    sent.sending = false;
    take(sent, answer);
  }

  function take(sent, answer) {
    if (answer.outcome === "trouble") {
      failures += 1;
      const offline = navigator.onLine === false;
      show("bad", offline ? "Offline: kept on this device" : "Not saved, retrying");
      clearTimeout(retryTimer);
      retryTimer = setTimeout(save, RETRIES[Math.min(failures - 1, RETRIES.length - 1)]);
      return settle();
    }
    inFlight = null;
    if (answer.outcome === "saved") {
      failures = 0;
      saved = sent.text;
      revision = answer.revision;
      form.elements.revision.value = revision;
      if (answer.late) {
        dropDraft(key);
        show("bad", "Kept as late, not graded");
        return settle();
      }
      const at = new Date(answer.at * 1000).toLocaleTimeString("en-GB");
      show("saved", `Saved ${at}`);
      explain("");
      if (box.value === saved) {
        dropDraft(key);
        return settle();
      }
      writeDraft(key, box.value, revision);
      return save();
    }
    if (answer.outcome === "conflict") return showConflict(answer);
    if (answer.outcome === "refused") {
      blocked = true;
      show("bad", "Not saved");
      explain(answer.message);
    } else if (answer.outcome === "signed-out") {
      blocked = signedOut = true;
      show("bad", "Not saved: signed out");
      explain("You are signed out. Your text is kept on this device and saved when you are back.", {
        href: answer.sign_in,
        text: "Sign in and come back",
      });
    } else if (answer.outcome === "forbidden") {
      blocked = true;
      show("bad", "Not saved: page too old");
      explain("This page is too old to save. Your text is kept on this device.", { href: location.href, text: "Reload" });
    } else {
      blocked = true;
      show("bad", "Not saved: interview not found");
      explain("This interview is not yours to change here: you may be signed in as somebody else. Your text is kept on this device.");
    }
    settle();
  }

  function showConflict(answer) {
    blocked = true;
    show("bad", "Changed in another tab");
    document.getElementById("conflict-other").value = answer.text;
    conflict.hidden = false;
    conflict.onclick = (event) => {
      const choice = event.target.dataset?.choose;
      if (!choice) return;
      if (choice === "other") box.value = answer.text;
      if (choice === "both") box.value = `${answer.text}\n\n${box.value}`;
      revision = answer.revision;
      form.elements.revision.value = revision;
      saved = answer.text;
      blocked = false;
      conflict.hidden = true;
      box.focus();
      if (choice === "other") dropDraft(key);
      else writeDraft(key, box.value, revision);
      show("idle", "");
      count();
      save();
    };
    if (document.activeElement !== box) document.getElementById("conflict-title").focus();
    settle();
  }

  /** Resolves when all is saved, or when saving needs the person or the network. */
  function flush() {
    return new Promise((done) => {
      if (!isDirty() || blocked || ended) return done();
      waiting.push(done);
      save();
    });
  }

  function lastWords() {
    if (!isDirty() || blocked || moving) return;
    writeDraft(key, box.value, revision);
    const payload = inFlight?.sending ? null : (inFlight ?? { text: box.value, revision, spent: secondsShown() });
    if (payload && length(payload.text) <= limit) sendAnswer(url, payload, { keepalive: true });
  }

  function onInput() {
    count();
    writeDraft(key, box.value, revision);
    if (!blocked) schedule();
    if (blocked && trouble.hidden === false && state.textContent === "Not saved") {
      blocked = false; // a refused text was changed: try again
      schedule();
    }
  }

  async function timeIsOver() {
    show("busy", "Time is over: saving");
    await Promise.race([flush(), new Promise((done) => setTimeout(done, 4000))]);
    box.readOnly = true;
    if (isDirty() && !blocked) {
      writeDraft(key, box.value, revision);
      show("bad", "Time is over. Your text is kept on this device");
      explain("Time is over and the server cannot be reached. What you typed is kept on this device and sent when it can be.");
      window.addEventListener("online", moveOn, { once: true });
      retryTimer = setTimeout(timeIsOver, 5000);
      return;
    }
    moveOn();
  }

  function moveOn() {
    ended = true;
    // Handing in is what the button does too; the server stamps the deadline, not this moment.
    const finish = document.createElement("form");
    finish.method = "post";
    finish.action = `${room.dataset.attemptUrl}finish/`;
    finish.innerHTML = '<input type="hidden" name="csrfmiddlewaretoken">';
    document.body.append(finish);
    finish.requestSubmit();
  }

  // Moving: wait for the save that is on its way, then let the form carry the newest text.
  function beforeMove(event) {
    if (event.detail.elt !== form) return;
    if (inFlight?.sending) {
      event.preventDefault();
      const button = lastSubmitter;
      flush().then(() => !blocked && form.requestSubmit(button));
      return;
    }
    if (blocked && !conflict.hidden) {
      event.preventDefault();
      document.getElementById("conflict-title").focus();
      return;
    }
    moving = true;
    clearTimeout(pauseTimer);
    show("busy", "Saving…");
  }
  let lastSubmitter = null;
  const remember = (event) => {
    lastSubmitter = event.submitter;
    form.elements.spent.value = secondsShown();
    form.elements.revision.value = revision;
  };
  // The buttons stand outside the form, where htmx does not look for the one that was pressed.
  const addWish = (event) => {
    if (event.detail.elt === form) event.detail.parameters.go = lastSubmitter?.value ?? "stay";
  };
  function moveFailed(event) {
    if (event.detail.elt !== form) return;
    moving = false;
    const status = event.detail.xhr?.status ?? 0;
    if (status === 401 || status === 403) return void save(); // says why, keeps the text
    failures += 1;
    show("bad", navigator.onLine === false ? "Offline: kept on this device" : "Not saved, retrying");
    writeDraft(key, box.value, revision);
    retryTimer = setTimeout(save, RETRIES[0]);
  }

  function warnBeforeLeaving(event) {
    // Signed out, the text is on this device and the way out is the sign-in page.
    if (isDirty() && !ended && !moving && !signedOut) event.preventDefault();
  }
  const hidden = () => {
    if (document.visibilityState === "hidden") lastWords();
    else {
      shownSince = performance.now();
      if (!signedOut) return;
      // Perhaps signed in again in another tab.
      blocked = signedOut = false;
      save();
    }
  };
  const back = () => {
    if (!isDirty()) return;
    failures = 0;
    save();
  };

  box.addEventListener("input", onInput);
  box.addEventListener("blur", save);
  form.addEventListener("submit", remember, true);
  form.addEventListener("htmx:configRequest", addWish);
  document.addEventListener("htmx:beforeRequest", beforeMove);
  for (const name of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) document.addEventListener(name, moveFailed);
  window.addEventListener("pagehide", lastWords);
  window.addEventListener("beforeunload", warnBeforeLeaving);
  window.addEventListener("online", back);
  document.addEventListener("visibilitychange", hidden);
  const stopClock = startClock(room, {
    onZero: timeIsOver,
    onEnded: () => {
      ended = true;
      lastWords();
      location.href = room.dataset.attemptUrl;
    },
  });

  const rendered = document.getElementById("conflict-rendered");
  const draft = readDraft(key);
  if (rendered || document.getElementById("problem")) {
    // The text in the box came back from a move that was refused: it is not saved.
    saved = null;
    writeDraft(key, box.value, revision);
    show("bad", "Not saved");
    if (rendered) {
      rendered.closest("section").hidden = true;
      document.getElementById("problem").hidden = true;
      showConflict({ revision, text: rendered.value });
    }
  } else if (draft && draft.text !== box.value) {
    // From before a crash, a reload or a sign-in: put it back and send it.
    box.value = draft.text;
    revision = Math.min(draft.base, revision);
    form.elements.revision.value = revision;
    show("busy", "Restored from this device");
    save();
  } else if (draft) dropDraft(key);
  count();

  leave = () => {
    clearTimeout(pauseTimer);
    clearTimeout(atMostTimer);
    clearTimeout(retryTimer);
    stopClock();
    document.removeEventListener("htmx:beforeRequest", beforeMove);
    for (const name of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) document.removeEventListener(name, moveFailed);
    window.removeEventListener("pagehide", lastWords);
    window.removeEventListener("beforeunload", warnBeforeLeaving);
    window.removeEventListener("online", back);
    document.removeEventListener("visibilitychange", hidden);
    moving = false;
  };
  sendOthers(room);
}

/** Drafts of other questions of this attempt, left behind by a crash, are sent as well. */
async function sendOthers(room) {
  for (const draft of draftsOf(room.dataset.person, room.dataset.attempt)) {
    if (draft.position === Number(room.dataset.position)) continue;
    const url = `${room.dataset.attemptUrl}q/${draft.position}/save`;
    const answer = await sendAnswer(url, { text: draft.text, revision: draft.base });
    // A conflict stays a draft: opening that question shows both texts.
    if (answer.outcome === "saved") dropDraft(draft.key);
  }
}

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches?.("textarea, input, select");
  const press = (selector) => {
    event.preventDefault();
    document.querySelector(selector)?.click();
  };
  if (event.ctrlKey && event.key === "Enter") press("#next-button");
  else if (event.altKey && event.key === "ArrowRight") press("#next-button");
  else if (event.altKey && event.key === "ArrowLeft") press('.room-bar [value="previous"]');
  else if (event.altKey && event.key.toLowerCase() === "f") press("#flag-button");
  else if (event.key === "?" && !typing) document.getElementById("keys")?.showModal();
});

document.addEventListener("click", (event) => {
  const toggle = event.target.closest?.("#clock-toggle");
  if (!toggle) return;
  const hide = toggle.getAttribute("aria-pressed") !== "true";
  toggle.setAttribute("aria-pressed", String(hide));
  toggle.firstChild.textContent = hide ? "Show" : "Hide";
  document.getElementById("clock").classList.toggle("is-hidden", hide);
});

document.addEventListener("htmx:afterSwap", (event) => {
  const room = document.getElementById("room");
  if (room && (event.detail.target?.id === "room" || event.target.id === "room" || event.detail.elt?.id === "room")) {
    enter(room);
    document.title = `${room.querySelector("h1").textContent} · prepapp`;
    room.querySelector("h1").focus({ preventScroll: false });
  }
  if (event.detail.target?.id === "room-bar") document.getElementById("flag-button")?.focus();
});

enter(document.getElementById("room"));
