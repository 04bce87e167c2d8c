/* Wide examples and tables scroll: those who use the keyboard must be able to reach them. */
function reachable() {
  for (const part of document.querySelectorAll("pre > code, .md-typeset__scrollwrap, .md-typeset__table")) {
    if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
  }
}
document.addEventListener("DOMContentLoaded", reachable);
window.addEventListener("resize", reachable);
