// On the pages after an interview: texts that this device still holds are handed over. The server keeps
// them as late, or acknowledges that it has them.

import { draftsOf, dropDraft, sendAnswer } from "./answers.js";

/** How many texts were kept as late, and those that cannot be. */
export async function handOver(person, attempt, attemptUrl) {
  let kept = 0;
  const refused = [];
  for (const draft of draftsOf(person, attempt)) {
    const answer = await sendAnswer(`${attemptUrl}q/${draft.position}/save`, { text: draft.text, revision: draft.base });
    if (answer.outcome === "refused") refused.push({ text: draft.text, message: answer.message });
    if (answer.outcome !== "saved") continue;
    dropDraft(draft.key, draft.text);
    if (answer.late) kept += 1;
  }
  return { kept, refused };
}

const place = document.querySelector("[data-late-drafts]");
if (place) {
  handOver(place.dataset.person, place.dataset.attempt, place.dataset.attemptUrl).then(({ kept, refused }) => {
    if (kept) {
      place.hidden = false;
      place.textContent = `${kept === 1 ? "A text" : `${kept} texts`} from this device arrived after time. It is kept, shown as late and not graded.`;
    }
    for (const { text, message } of refused) {
      place.hidden = false;
      const box = Object.assign(document.createElement("textarea"), { readOnly: true, rows: 6, value: text, className: "input" });
      box.setAttribute("aria-label", "Text that could not be kept");
      place.append(`${message} Copy what you want to keep from here. `, box);
    }
  });
}
