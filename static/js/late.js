// On the pages after an interview: texts that this device still holds are handed over. The server keeps
// them as late, or acknowledges that it has them.

import { draftsOf, dropDraft, sendAnswer } from "./answers.js";

export async function handOver(person, attempt, attemptUrl) {
  let kept = 0;
  for (const draft of draftsOf(person, attempt)) {
    const answer = await sendAnswer(`${attemptUrl}q/${draft.position}/save`, { text: draft.text, revision: draft.base });
    if (answer.outcome !== "saved") continue;
    dropDraft(draft.key);
    if (answer.late) kept += 1;
  }
  return kept;
}

const place = document.querySelector("[data-late-drafts]");
if (place) {
  handOver(place.dataset.person, place.dataset.attempt, place.dataset.attemptUrl).then((kept) => {
    if (!kept) return;
    place.hidden = false;
    place.textContent = `${kept === 1 ? "A text" : `${kept} texts`} from this device arrived after time. It is kept, shown as late and not graded.`;
  });
}
