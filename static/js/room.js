// The room in the browser: keeps every keystroke, shows the truth about saving, ticks the clock, keys.
//
// One save is in flight per answer. What is typed meanwhile waits and is sent next ("queue last"). A save
// whose fate is unknown is repeated unchanged before anything newer is sent; what was typed here before
// is recognised when it comes back, so that an answer never conflicts with itself. The text box is never
// replaced while somebody types in it.

import { draftKey, draftsOf, dropDraft, sendAnswer, waitOf, writeDraft } from "./answers.js";
import { askServer, startClock } from "./clock.js";

const PAUSE = 800; // a save this long after the last key
const AT_MOST = 8000; // and at least this often while typing goes on
const SLOW = 4000; // a save that takes longer is named
const RETRIES = [1000, 2000, 4000, 8000]; // then every 8 s
const SESSION_RETRY = 15000; // for refusals that signing in elsewhere can end
const LIVE = 3000; // a draft younger than this may belong to a tab that is typing
const REMEMBERED = 300; // texts typed here, to know them again
const NO_ROOM =
  "This browser has no room for a copy of your text. Leave this page open until it is saved, or copy it.";

const MOVE_FAILURES = ["htmx:sendError", "htmx:timeout", "htmx:responseError", "htmx:sendAbort", "htmx:swapError"];
const own = new Map(); // draft key → the latest texts typed here, newest last
let clockHidden = false;
let moved = null; // the answer a move has carried off
let leave = () => {}; // stops the timers of the question that is left

const length = (text) => [...text].length;
const grouped = (number) => number.toLocaleString("en-GB");

function remember(key, text) {
  const texts = own.get(key) ?? new Set();
  own.set(key, texts);
  texts.delete(text);
  texts.add(text);
  if (texts.size > REMEMBERED) texts.delete(texts.values().next().value);
}

function enter(room) {
  leave();
  const form = document.getElementById("answer-form");
  const box = document.getElementById("answer");
  const state = document.getElementById("save-state");
  const news = document.getElementById("save-news");
  const trouble = document.getElementById("trouble");
  const conflict = document.getElementById("conflict");
  const url = form.dataset.saveUrl;
  const limit = Number(box.dataset.limit);
  const key = draftKey(room.dataset.person, room.dataset.attempt, room.dataset.position);

  let saved = box.defaultValue; // what the server last acknowledged; the box may hold more, typed before this ran
  let savedWords = state.textContent.trim();
  let revision = Number(form.elements.revision.value);
  let inFlight = null; // the payload on its way, repeated unchanged while its fate is unknown
  let failures = 0;
  let notBefore = 0; // the server has asked not to be sent anything before this moment
  let blocked = ""; // "choice" waits for the person, "session" for a sign-in, "text" for another text
  let kept = true; // whether this browser keeps drafts
  let ended = false;
  let isOver = false; // the time shown is over
  let moving = false;
  let submitter = null;
  let pauseTimer, atMostTimer, retryTimer, slowTimer, overTimer;
  let carried = 0; // seconds on screen that no save has reported yet
  let shownSince = performance.now();
  let left = []; // drafts that other pages left here for this answer, newest first
  const waiting = []; // called when nothing is left to save, or saving cannot go on

  const isDirty = () => box.value !== saved || inFlight !== null;
  const tooLong = () => length(box.value) > limit;
  const keptWords = () =>
    kept ? "Your text is kept on this device" : "Copy your text before you leave: this browser keeps nothing";

  function show(kind, text) {
    const before = state.dataset.state;
    state.dataset.state = kind;
    state.textContent = text;
    // Trouble and its end are said; that a pause was saved is not.
    if (kind === "bad" && before !== "bad") news.textContent = text;
    if (kind === "saved" && before === "bad") news.textContent = "Saved again";
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
      ? `${words} words · ${grouped(characters)} of ${grouped(limit)} characters`
      : `${words} word${words === 1 ? "" : "s"}`;
    box.setAttribute("aria-invalid", String(characters > limit));
  }

  function keep() {
    remember(key, box.value);
    kept = writeDraft(key, box.value, revision, inFlight?.text ?? null);
  }

  function seconds() {
    const now = performance.now();
    if (shownSince !== null) carried += (now - shownSince) / 1000;
    shownSince = document.visibilityState === "visible" ? now : null;
    return Math.min(Math.floor(carried), 3600);
  }

  function settle() {
    for (const done of waiting.splice(0)) done();
  }

  function schedule() {
    clearTimeout(pauseTimer);
    pauseTimer = setTimeout(save, PAUSE);
    atMostTimer ??= setTimeout(save, AT_MOST);
  }

  function nothingToSave() {
    dropDraft(key);
    if (state.dataset.state === "bad") {
      explain("");
      document.getElementById("problem")?.remove();
      show(savedWords ? "saved" : "idle", savedWords);
    }
    settle();
  }

  async function save() {
    clearTimeout(pauseTimer);
    clearTimeout(atMostTimer);
    clearTimeout(retryTimer);
    atMostTimer = undefined;
    if (blocked || ended || moving) return settle();
    if (inFlight?.sending) return; // what is typed now is sent when this one is back
    if (performance.now() < notBefore) {
      retryTimer = setTimeout(save, notBefore - performance.now());
      return isOver ? undefined : settle(); // the last words wait for their turn, for as long as they may
    }
    if (!inFlight) {
      if (box.value === saved) return nothingToSave();
      if (tooLong()) {
        show("bad", "Not saved: too long");
        explain(
          `Your answer has ${grouped(length(box.value))} characters; ${grouped(limit)} is the most. ` +
            "Shorten it to save again; the last saved text is safe.",
        );
        return settle();
      }
      inFlight = { text: box.value, revision, spent: seconds() };
      remember(key, inFlight.text);
      if (failures) failures = Math.min(failures, RETRIES.length);
    }
    const sent = inFlight;
    sent.sending = true;
    if (failures === 0) show("busy", "Saving…");
    slowTimer = setTimeout(() => show("bad", "Not saved yet, still trying"), SLOW);
    const answer = await sendAnswer(url, sent);
    clearTimeout(slowTimer);
    sent.sending = false;
    take(sent, answer);
  }

  function take(sent, answer) {
    if (answer.outcome === "trouble") {
      failures += 1;
      notBefore = performance.now() + (answer.wait ?? 0);
      const offline = navigator.onLine === false;
      show("bad", offline ? (kept ? "Offline: kept on this device" : "Offline: not saved") : "Not saved, retrying");
      if (!kept) explain(NO_ROOM);
      retryTimer = setTimeout(save, RETRIES[Math.min(failures - 1, RETRIES.length - 1)]);
      return isOver && answer.wait ? undefined : settle();
    }
    inFlight = null;
    if (answer.outcome === "saved") {
      failures = 0;
      carried = Math.max(0, carried - sent.spent);
      dropDraft(key);
      if (answer.late) {
        saved = sent.text;
        return hasEnded();
      }
      acknowledge(sent.text, answer.revision);
      dropKnown();
      savedWords = `Saved ${new Date(answer.at * 1000).toLocaleTimeString("en-GB")}`;
      show("saved", savedWords);
      explain("");
      if (box.value === saved) return settle();
      keep();
      return save();
    }
    if (answer.outcome === "conflict") {
      if (answer.text === saved || own.get(key)?.has(answer.text)) {
        // Our own words, from a request whose answer never came or from this device's draft.
        acknowledge(answer.text, answer.revision);
        return save();
      }
      return showConflict(answer);
    }
    refuse(answer);
    settle();
  }

  function acknowledge(text, newRevision) {
    saved = text;
    revision = newRevision;
    form.elements.revision.value = revision;
  }

  function refuse(answer) {
    if (answer.outcome === "refused") {
      blocked = "text";
      show("bad", "Not saved");
      explain(answer.message);
      return;
    }
    blocked = "session";
    retryTimer = setTimeout(tryAgain, SESSION_RETRY);
    if (answer.outcome === "signed-out") {
      show("bad", "Not saved: signed out");
      const link = { href: answer.sign_in, text: "Sign in and come back" };
      explain(`You are signed out. ${keptWords()}${kept ? " and saved when you are back." : "."}`, link);
    } else if (answer.outcome === "forbidden") {
      show("bad", "Not saved: page too old");
      explain(`This page is too old to save. ${keptWords()}.`, { href: location.href, text: "Reload" });
    } else {
      show("bad", "Not saved: interview not found");
      explain(`This interview is not yours to change here: you may be signed in as somebody else. ${keptWords()}.`);
    }
  }

  /** Signing in, here or in another tab, may have ended what a save was refused for. */
  function tryAgain() {
    if (blocked !== "session" || ended) return;
    blocked = "";
    save();
  }

  function showConflict(answer) {
    blocked = "choice";
    show("bad", "Changed in another tab");
    showBoth(answer.text, "This answer was changed in another tab", "Saved elsewhere", () => {
      acknowledge(answer.text, answer.revision);
      blocked = "";
      keep();
      show("idle", "");
    });
    settle();
  }

  const keptHere = () =>
    draftsOf(room.dataset.person, room.dataset.attempt).filter(
      ({ position }) => position === Number(room.dataset.position),
    );

  /** What the server has needs no keeping; nor does an older text that it only goes on from. */
  function dropKnown() {
    for (const { key: from, text, base } of keptHere()) {
      if (text === saved || (base < revision && saved.startsWith(text))) dropDraft(from, text);
    }
  }

  /** Puts a draft into the box. Its own page, which may live, keeps it until it is acknowledged. */
  function restore(draft) {
    if (draft.sent !== null) remember(key, draft.sent);
    saved = null; // what the page came with may be newer than the draft: nobody has seen both
    box.value = draft.text;
    revision = Math.min(draft.base, revision);
    form.elements.revision.value = revision;
    kept = writeDraft(key, draft.text, revision, draft.sent);
    left = left.filter(({ text }) => !draft.text.startsWith(text));
    show("busy", "Restored from this device");
    save();
  }

  /** A text that another page left on this device. What is in the box goes on being saved meanwhile. */
  function offerKept() {
    const draft = left[0];
    if (!draft || !conflict.hidden) return;
    showBoth(draft.text, "This device kept another text for this answer", "Kept on this device", keep);
  }

  /** `chosen` runs once the box holds the choice, and keeps it before it is saved. */
  function showBoth(other, title, label, chosen) {
    document.getElementById("conflict-title").textContent = title;
    document.getElementById("conflict-label").textContent = label;
    document.getElementById("conflict-other").value = other;
    conflict.hidden = false;
    conflict.onclick = (event) => {
      const choice = event.target.dataset?.choose;
      if (!choice) return;
      const mine = box.value;
      if (choice === "other") box.value = other;
      if (choice === "both") box.value = `${other}\n\n${box.value}`;
      conflict.hidden = true;
      box.focus();
      count();
      chosen();
      // Both texts have been seen, and what came of them has a draft of this page.
      const isSeen = ({ text }) => text === other || mine.startsWith(text);
      for (const draft of keptHere()) if (kept && draft.key !== key && isSeen(draft)) dropDraft(draft.key, draft.text);
      left = left.filter((draft) => !isSeen(draft));
      save();
      offerKept();
    };
    if (document.activeElement !== box) document.getElementById("conflict-title").focus();
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
    if (ended || moving || !isDirty()) return;
    keep();
    if (blocked || inFlight?.sending || tooLong()) return;
    const payload = inFlight ?? { text: box.value, revision, spent: seconds() };
    remember(key, payload.text);
    sendAnswer(url, payload, { keepalive: true });
  }

  function onInput() {
    count();
    keep();
    if (blocked === "text") blocked = ""; // another text may pass
    if (!blocked) schedule();
  }

  /** The server has closed the interview: what is typed now would be kept as late only. */
  function hasEnded() {
    lastWords();
    ended = true;
    conflict.hidden = true;
    box.readOnly = true;
    if (isOver) {
      location.href = room.dataset.attemptUrl;
      return;
    }
    show("bad", "The interview has ended");
    explain("This interview has ended. What came after its end is kept as late and not graded.", {
      href: room.dataset.attemptUrl,
      text: "Go to it",
    });
    settle();
  }

  // The time shown is over. What is typed is saved; then the server says whether it is over there too.
  async function timeIsOver() {
    clearTimeout(overTimer);
    if (ended) return;
    isOver = true;
    if (moving) {
      overTimer = setTimeout(timeIsOver, 500);
      return;
    }
    show("busy", "Time is over: saving");
    const other = document.getElementById("conflict-other");
    const bothFit = () => length(box.value) + length(other.value) + 2 <= limit;
    // A kept text that makes the answer too long stays where it is kept, or the last words were refused with it.
    while (!conflict.hidden && (blocked === "choice" || bothFit())) {
      conflict.querySelector('[data-choose="both"]').click();
    }
    await Promise.race([flush(), new Promise((done) => setTimeout(done, SLOW))]);
    const now = await askServer(room.dataset.clockUrl);
    if (ended) return;
    if (!now) {
      box.readOnly = true;
      if (isDirty()) keep();
      show("bad", "Time is over. The server cannot be reached");
      explain(`Time is over and the server cannot be reached. ${keptWords()}${kept ? " and sent when it can be." : "."}`);
      overTimer = setTimeout(timeIsOver, 5000);
      return;
    }
    if (now.running && (now.left === null || now.left > 0)) {
      // More time was given meanwhile.
      clock.resync();
      isOver = false;
      box.readOnly = false;
      explain("");
      save();
      return;
    }
    if (isDirty()) keep();
    ended = true;
    if (now.running) handIn();
    else location.href = room.dataset.attemptUrl;
  }

  function handIn() {
    // Handing in is what the button does too; the server checks that the time is over and stamps the deadline.
    const finish = document.createElement("form");
    finish.method = "post";
    finish.action = `${room.dataset.attemptUrl}finish/`;
    for (const name of ["csrfmiddlewaretoken", "time_is_up"]) {
      finish.append(Object.assign(document.createElement("input"), { type: "hidden", name, value: "1" }));
    }
    document.body.append(finish);
    finish.requestSubmit();
  }

  // Moving: a save whose fate is open is settled first, then the form carries the newest text.
  function beforeMove(event) {
    if (event.detail.elt !== form) return;
    if (blocked === "choice") {
      event.preventDefault();
      document.getElementById("conflict-title").focus();
      return;
    }
    if (inFlight) {
      event.preventDefault();
      const button = submitter;
      flush().then(() => !inFlight && !blocked && !ended && form.requestSubmit(button));
      return;
    }
    moving = true;
    box.readOnly = true; // what was typed now would not be in the request
    clearTimeout(pauseTimer);
    remember(key, box.value);
    moved = { form, key, text: box.value };
    if (box.value !== saved) kept = writeDraft(key, box.value, revision, box.value);
    show("busy", "Saving…");
  }
  const noteSubmitter = (event) => {
    submitter = event.submitter;
    form.elements.spent.value = seconds();
    form.elements.revision.value = revision;
    form.elements.unchanged.value = box.value === saved ? "1" : "";
  };
  // The buttons stand outside the form, where htmx does not look for the one that was pressed.
  const addWish = (event) => {
    if (event.detail.elt === form) event.detail.parameters.go = submitter?.value ?? "stay";
  };
  function moveFailed(event) {
    if (event.detail.elt !== form || !moving) return;
    moving = false;
    box.readOnly = ended;
    const status = event.detail.xhr?.status ?? 0;
    if (isDirty()) keep();
    if (status === 401 || status === 403) {
      if (box.value === saved) saved = null; // so that the save asks, and says why
      save();
      return;
    }
    failures += 1;
    notBefore = performance.now() + waitOf(event.detail.xhr?.getResponseHeader("Retry-After"));
    const offline = navigator.onLine === false;
    show("bad", offline ? (kept ? "Offline: kept on this device" : "Offline: not saved") : "Not saved, retrying");
    retryTimer = setTimeout(save, RETRIES[0]);
  }

  function warnBeforeLeaving(event) {
    if (!isDirty() || ended || moving) return;
    // Signed out, the text is on this device and the way out is the sign-in page.
    if (blocked === "session" && kept) return;
    event.preventDefault();
  }
  const visibility = () => {
    if (document.visibilityState === "hidden") {
      seconds();
      lastWords();
    } else {
      shownSince = performance.now();
      tryAgain();
    }
  };
  const online = () => {
    if (overTimer) timeIsOver();
    else if (isDirty()) {
      failures = 0;
      save();
    }
  };
  // A page brought back as it was left holds a question that may have moved on.
  const restored = (event) => event.persisted && location.reload();

  box.addEventListener("input", onInput);
  box.addEventListener("blur", save);
  form.addEventListener("submit", noteSubmitter, true);
  form.addEventListener("htmx:configRequest", addWish);
  document.addEventListener("htmx:beforeRequest", beforeMove);
  for (const name of MOVE_FAILURES) document.addEventListener(name, moveFailed);
  window.addEventListener("pagehide", lastWords);
  window.addEventListener("pageshow", restored);
  window.addEventListener("beforeunload", warnBeforeLeaving);
  window.addEventListener("focus", tryAgain);
  window.addEventListener("online", online);
  document.addEventListener("visibilitychange", visibility);
  const clock = startClock(room, { onZero: timeIsOver, onEnded: hasEnded });
  hideClock(clockHidden);

  const rendered = document.getElementById("conflict-rendered");
  // From before a crash, a reload or a sign-in.
  if (rendered || document.getElementById("problem")) {
    // The text in the box came back from a move that was refused: it is not saved.
    left = keptHere().filter((draft) => draft.key !== key && draft.text !== box.value);
    saved = null;
    keep();
    show("bad", "Not saved");
    if (rendered) {
      rendered.closest("section").hidden = true;
      document.getElementById("problem").hidden = true;
      const answer = { revision, text: rendered.value };
      if (own.get(key)?.has(answer.text)) {
        acknowledge(answer.text, answer.revision);
        save();
      } else showConflict(answer);
    }
  } else {
    // The newest is put back and sent, unless the person has begun to type.
    dropKnown();
    left = keptHere();
    if (box.value !== saved) onInput();
    else if (left.length) restore(left[0]);
  }
  offerKept();
  count();

  leave = () => {
    for (const timer of [pauseTimer, atMostTimer, retryTimer, slowTimer, overTimer]) clearTimeout(timer);
    ended = true;
    clock.stop();
    document.removeEventListener("htmx:beforeRequest", beforeMove);
    for (const name of MOVE_FAILURES) document.removeEventListener(name, moveFailed);
    window.removeEventListener("pagehide", lastWords);
    window.removeEventListener("pageshow", restored);
    window.removeEventListener("beforeunload", warnBeforeLeaving);
    window.removeEventListener("focus", tryAgain);
    window.removeEventListener("online", online);
    document.removeEventListener("visibilitychange", visibility);
  };
  sendOthers(room, explain);
}

/** Drafts of other questions of this attempt, left behind by a crash, are sent as well. */
async function sendOthers(room, explain) {
  for (const draft of draftsOf(room.dataset.person, room.dataset.attempt)) {
    if (draft.position === Number(room.dataset.position)) continue;
    if (Date.now() - draft.at < LIVE) {
      // Perhaps being typed in another tab, which sends it itself.
      setTimeout(() => room.isConnected && sendOthers(room, explain), LIVE);
      continue;
    }
    const base = `${room.dataset.attemptUrl}q/${draft.position}/`;
    let answer = await sendAnswer(`${base}save`, { text: draft.text, revision: draft.base });
    if (answer.outcome === "conflict" && (answer.text === draft.sent || own.get(draft.key)?.has(answer.text))) {
      answer = await sendAnswer(`${base}save`, { text: draft.text, revision: answer.revision });
    }
    if (answer.outcome === "saved") dropDraft(draft.key, draft.text);
    else if (answer.wait) {
      setTimeout(() => room.isConnected && sendOthers(room, explain), answer.wait);
      return;
    } else if (answer.outcome === "conflict") {
      const link = { href: base, text: "Look at both" };
      explain("A text on this device for another question differs from what is saved.", link);
    }
  }
}

function hideClock(hide) {
  const toggle = document.getElementById("clock-toggle");
  if (!toggle) return;
  clockHidden = hide;
  toggle.setAttribute("aria-pressed", String(hide));
  toggle.firstChild.textContent = hide ? "Show" : "Hide";
  document.getElementById("clock").classList.toggle("is-hidden", hide);
}

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

document.addEventListener("keydown", (event) => {
  if (event.repeat) {
    // A key held down on a button is one press: repeated, each would be sent.
    if (event.key === "Enter" && event.target.closest?.("button")) event.preventDefault();
    return;
  }
  const typing = event.target.matches?.("textarea, input, select");
  const press = (selector) => {
    event.preventDefault();
    document.querySelector(selector)?.click();
  };
  if (event.ctrlKey && event.key === "Enter") press("#next-button");
  else if (event.altKey && event.code === "KeyF") press("#flag-button");
  // On a Mac these move the caret by a word.
  else if (event.altKey && event.key === "ArrowRight" && !(isMac && typing)) press("#next-button");
  else if (event.altKey && event.key === "ArrowLeft" && !(isMac && typing)) press('.room-bar [value="previous"]');
  else if (event.key === "?" && !typing) document.getElementById("keys")?.showModal();
});

document.addEventListener("click", (event) => {
  if (event.target.closest?.("#clock-toggle")) hideClock(!clockHidden);
});

document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.elt === moved?.form && event.detail.successful) dropDraft(moved.key, moved.text);
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
