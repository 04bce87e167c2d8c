// @ts-check
// The mouse over the text: a click chooses the innermost mention, again the one around it;
// a drag or a double click selects words; with Ctrl several mentions are chosen.

/** @typedef {import("./editor.js").Editor} Editor */

/** @param {Editor} editor @param {HTMLElement} root */
export function listen(editor, root) {
  const { view } = editor;
  /** @type {number | null} */ let from = null;
  let dragged = false;

  root.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    from = view.tokenAt(event);
    dragged = false;
    if (event.shiftKey && from !== null) {
      editor.extendTo(from);
      from = null;
    }
    if (event.pointerType !== "touch") event.preventDefault();
    editor.pane.focus({ preventScroll: true });
  });
  root.addEventListener("pointermove", (event) => {
    if (from === null || !(event.buttons & 1)) return;
    const to = view.tokenAt(event);
    if (to === null || (to === from && !dragged)) return;
    dragged = true;
    editor.selectRange(from, to);
  });
  root.addEventListener("click", (event) => {
    const target = /** @type {any} */ (event.target);
    if (target.closest?.(".grip")) return;
    if (dragged || event.shiftKey) return;
    const badge = target.closest?.(".b");
    if (badge) {
      editor.choose(badge.mark, { several: event.ctrlKey || event.metaKey });
      return;
    }
    const token = view.tokenAt(event);
    if (token === null || event.detail > 1) return;
    editor.click(token, event.ctrlKey || event.metaKey);
  });
  root.addEventListener("dblclick", (event) => {
    const token = view.tokenAt(event);
    if (token !== null) editor.selectRange(token, token);
  });
  document.addEventListener("pointerup", () => {
    from = null;
  });
}
