// Local copies of answers the server has not acknowledged yet. A draft is written before a save is sent
// and removed by its acknowledgement; it is kept per person, attempt and question for at most a day.

const PREFIX = "prepapp:draft:";
const DAY = 24 * 3600 * 1000;

export function draftKey(person, attempt, position) {
  return `${PREFIX}${person}:${attempt}:${position}`;
}

export function writeDraft(key, text, base) {
  try {
    localStorage.setItem(key, JSON.stringify({ text, base, at: Date.now() }));
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

export function dropDraft(key) {
  try {
    localStorage.removeItem(key);
  } catch {
    // nothing to drop where nothing could be kept
  }
}

/** Drafts of one attempt: [{key, position, text, base}]. */
export function draftsOf(person, attempt) {
  const prefix = draftKey(person, attempt, "");
  return keys()
    .filter((key) => key.startsWith(prefix))
    .map((key) => ({ key, position: Number(key.slice(prefix.length)), ...readDraft(key) }))
    .filter((draft) => typeof draft.text === "string");
}

function keys() {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  } catch {
    return [];
  }
}

for (const key of keys()) {
  const draft = readDraft(key);
  if (!draft || Date.now() - draft.at > DAY) dropDraft(key);
}
