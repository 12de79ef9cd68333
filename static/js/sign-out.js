// Signing out deletes what this browser keeps for the person. Texts the server has not acknowledged
// would be lost with it, so it asks first.

import { draftKeys, dropDraft } from "./answers.js";

function question(count) {
  const what = count === 1 ? "One text on this device has" : `${count} texts on this device have`;
  const them = count === 1 ? "it" : "them";
  return `${what} not reached the server yet. Signing out deletes ${them}. Sign out all the same?`;
}

document.addEventListener("submit", (event) => {
  if (!event.submitter?.hasAttribute("data-sign-out")) return;
  const kept = draftKeys();
  if (kept.length && !confirm(question(kept.length))) {
    event.preventDefault();
    return;
  }
  for (const key of kept) dropDraft(key);
});
