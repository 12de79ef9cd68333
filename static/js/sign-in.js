// A visitor has signed in: drafts the browser kept for the visitor now belong to the account. The cookie
// is set by the server together with the claim, and names both.

const PREFIX = "prepapp:draft:";
const claim = document.cookie.match(/(?:^|; )claimed=([0-9a-f-]{36})\.([0-9a-f-]{36})(?:;|$)/);

if (claim) {
  const [, guest, person] = claim;
  try {
    for (const key of Object.keys(localStorage)) {
      if (!key.startsWith(`${PREFIX}${guest}:`)) continue;
      localStorage.setItem(key.replace(guest, person), localStorage.getItem(key));
      localStorage.removeItem(key);
    }
    document.cookie = "claimed=; path=/; max-age=0; SameSite=Lax";
  } catch {
    // Storage is off or full: what was kept stays where it is, and the next page tries again.
  }
}
