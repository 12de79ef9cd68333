// Code and tables that are wider than the page scroll inside their own box. Such a box can be reached
// with the keyboard: browsers differ in doing that by themselves.

function mark() {
  for (const box of document.querySelectorAll("pre, .prose table")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}

mark();
document.addEventListener("htmx:load", mark);
document.addEventListener("toggle", mark, true);
addEventListener("resize", mark);
