// Forms of sign-in and preferences: a password can be looked at, and a second press of the button does
// nothing while the first is under way. The pages work without this.

for (const field of document.querySelectorAll('.field > input[type="password"]')) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "btn plain show-password";
  const label = document.querySelector(`label[for="${field.id}"]`)?.textContent.replace(":", "") ?? "password";
  const show = (shown) => {
    field.type = shown ? "text" : "password";
    button.textContent = shown ? "Hide" : "Show";
    button.setAttribute("aria-label", `${button.textContent} ${label.toLowerCase()}`);
  };
  button.addEventListener("click", () => show(field.type === "password"));
  // A password manager stores only what is in a password field.
  field.form.addEventListener("submit", () => show(false));
  show(false);
  field.after(button);
}

const SECONDS_UNTIL_AGAIN = 8;

for (const form of document.querySelectorAll("form[data-once]")) {
  let isSent = false;
  const release = () => {
    isSent = false;
  };
  form.addEventListener("submit", (event) => {
    if (isSent) {
      event.preventDefault();
      return;
    }
    isSent = true;
    setTimeout(release, SECONDS_UNTIL_AGAIN * 1000);
  });
  // Back from the next page: the form may be sent again at once.
  addEventListener("pageshow", release);
}
