// The page before handing in: sends what this device still holds before the answers are frozen.

import { startClock } from "./clock.js";
import { draftsOf, dropDraft, sendAnswer } from "./answers.js";

const place = document.getElementById("main");
const notice = document.getElementById("drafts");
const form = document.getElementById("finish-form");

async function sendDrafts() {
  const left = [];
  for (const draft of draftsOf(place.dataset.person, place.dataset.attempt)) {
    const url = `${place.dataset.attemptUrl}q/${draft.position}/save`;
    const answer = await sendAnswer(url, { text: draft.text, revision: draft.base });
    if (answer.outcome === "saved") dropDraft(draft.key);
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

let sure = false;
form?.addEventListener("submit", async (event) => {
  if (sure) return;
  event.preventDefault();
  const left = await sendDrafts();
  tell(left);
  // Shown once; pressing again hands in all the same, and the texts stay on the device.
  sure = true;
  // After this event: a form that is being submitted ignores a second request to submit.
  if (left.length === 0) setTimeout(() => form.requestSubmit());
});

sendDrafts().then(tell);
startClock(place, {
  onZero: () => {
    sure = true;
    form.requestSubmit();
  },
  onEnded: () => {
    location.href = place.dataset.attemptUrl;
  },
});
