// The page before handing in: sends what this device still holds before the answers are frozen.

import { askServer, startClock } from "./clock.js";
import { draftsOf, dropDraft, sendAnswer } from "./answers.js";

const place = document.getElementById("main");
const notice = document.getElementById("drafts");
const form = document.getElementById("finish-form");

async function sendDrafts() {
  const left = [];
  for (const draft of draftsOf(place.dataset.person, place.dataset.attempt)) {
    const url = `${place.dataset.attemptUrl}q/${draft.position}/save`;
    const answer = await sendAnswer(url, { text: draft.text, revision: draft.base });
    if (answer.outcome === "saved") dropDraft(draft.key, draft.text);
    else left.push({ ...draft, outcome: answer.outcome });
  }
  return left;
}

function tell(left) {
  notice.hidden = left.length === 0;
  notice.replaceChildren(
    ...left.map(({ position, outcome }) => {
      const line = document.createElement("p");
      line.textContent =
        outcome === "trouble"
          ? "A text on this device is not saved yet: the server cannot be reached. "
          : outcome === "refused"
            ? "A text on this device is too long to be saved. "
            : "A text on this device differs from what is saved. ";
      const link = Object.assign(document.createElement("a"), {
        href: `${place.dataset.attemptUrl}q/${position}/`,
        textContent: "Look at it",
      });
      line.append(link);
      return line;
    }),
  );
}

function say(text) {
  notice.hidden = false;
  notice.textContent = text;
}

let sure = false;
form?.addEventListener("submit", async (event) => {
  if (sure) return;
  event.preventDefault();
  const now = await askServer(place.dataset.clockUrl);
  if (!now) {
    say("Not handed in: the server cannot be reached. Nothing is lost; try again in a moment.");
    return;
  }
  const left = await sendDrafts();
  tell(left);
  // Shown once; pressing again hands in all the same, and the texts stay on the device.
  sure = true;
  if (left.length === 0) form.requestSubmit();
});

// The time shown is over: what this device holds is sent, then the server says whether it is over there.
async function timeIsOver() {
  await Promise.race([sendDrafts().then(tell), new Promise((done) => setTimeout(done, 4000))]);
  const now = await askServer(place.dataset.clockUrl);
  if (!now) {
    say("Time is over and the server cannot be reached. Nothing is lost; this page goes on trying.");
    setTimeout(timeIsOver, 5000);
  } else if (!now.running) location.href = place.dataset.attemptUrl;
  else if (now.left === null || now.left > 0) clock.resync();
  else {
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name: "time_is_up", value: "1" }));
    sure = true;
    form.requestSubmit();
  }
}

sendDrafts().then(tell);
window.addEventListener("online", () => sendDrafts().then(tell));
const clock = startClock(place, {
  onZero: timeIsOver,
  onEnded: () => {
    location.href = place.dataset.attemptUrl;
  },
});
