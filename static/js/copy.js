// A button that copies a text of the page: <button data-copy="id of the text" hidden>. Without a clipboard
// the button stays hidden, and the text can still be selected.

function show(root) {
  if (!navigator.clipboard) return;
  for (const button of root.querySelectorAll("[data-copy]")) button.hidden = false;
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const label = button.dataset.label ?? button.textContent;
  button.dataset.label = label;
  try {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).innerText);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Select the text to copy it";
  }
  setTimeout(() => { button.textContent = label; }, 2000);
});

show(document);
document.addEventListener("htmx:load", (event) => show(event.detail.elt));
