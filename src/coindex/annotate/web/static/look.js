// @ts-check
// Theme and text size, as chosen in this browser; before anything is shown, so that nothing flashes.

(() => {
  const KEY = "coindex.look";
  const dark = matchMedia("(prefers-color-scheme: dark)");

  /** @returns {{theme?: string, size?: string}} */
  const chosen = () => {
    try {
      return JSON.parse(localStorage.getItem(KEY) ?? "{}") ?? {};
    } catch {
      return {};
    }
  };

  const apply = () => {
    const { theme, size } = chosen();
    const { dataset } = document.documentElement;
    dataset.theme = theme === "light" || theme === "dark" ? theme : dark.matches ? "dark" : "light";
    dataset.size = size ?? "100";
  };

  apply();
  dark.addEventListener("change", apply);
  addEventListener("storage", apply); // chosen in another tab
  addEventListener("coindex-look", apply);
})();
