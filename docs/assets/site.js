/* What the theme leaves to be done for those who use the keyboard or hear the page. */
function repair() {
  const search = document.querySelector(".md-search[role=dialog]");
  if (search) search.setAttribute("aria-label", "Search");
  // Landmarks need names of their own: the buttons of each example, and lists within lists.
  document.querySelectorAll("nav.md-code__nav, nav.md-nav nav.md-nav").forEach((part, number) => {
    if (part.hasAttribute("aria-label")) return;
    const title = part.querySelector(":scope > .md-nav__title")?.textContent.trim() ?? "Example";
    part.removeAttribute("aria-labelledby");
    part.setAttribute("aria-label", `${title}, ${number + 1}`);
  });
  // Wide examples and tables scroll, so they must be reachable.
  for (const part of document.querySelectorAll("pre > code, .md-typeset__scrollwrap, .md-typeset__table")) {
    if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
  }
}
repair();
new MutationObserver(repair).observe(document.body, { childList: true, subtree: true });
window.addEventListener("resize", repair);
