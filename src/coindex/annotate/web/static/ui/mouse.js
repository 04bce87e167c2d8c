// @ts-check
// The pointer over the text: a click or a tap chooses the innermost mention, again the one around
// it; a drag or a double click selects words, also inside a mention; with Ctrl, or after "Choose
// several", several mentions are chosen. A finger selects by dragging sideways, or by a long press
// and dragging anywhere; up and down it scrolls.

import { ghostId, suggestionOf } from "./textview.js";

/** @typedef {import("./editor.js").Editor} Editor */

const LONG = 400; // milliseconds of a long press
const SLIP = 8; // pixels that a click may move

/** @param {Editor} editor @param {HTMLElement} root */
export function listen(editor, root) {
  const { view } = editor;
  /** @type {number | null} */ let from = null;
  let dragged = false, pressed = false, x = 0, y = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ let timer;

  const select = (/** @type {number} */ to) => {
    if (from === null) return;
    dragged = editor.dragging = true;
    editor.selectRange(from, to);
  };
  const end = () => {
    clearTimeout(timer);
    from = null;
    pressed = false;
    if (!editor.dragging) return;
    editor.dragging = false;
    editor.paint();
  };

  document.addEventListener("pointerdown", () => (editor.pointed = true), { capture: true });
  root.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    from = view.tokenAt(event);
    dragged = false;
    [x, y] = [event.clientX, event.clientY];
    if (event.shiftKey && from !== null) {
      editor.extendTo(from);
      from = null;
    }
    if (event.pointerType !== "touch") event.preventDefault();
    else if (from !== null) {
      timer = setTimeout(() => {
        pressed = true;
        if (from !== null) select(from);
      }, LONG);
    }
    editor.pane.focus({ preventScroll: true });
  });
  root.addEventListener("pointermove", (event) => {
    if (from === null || !(event.buttons & 1)) return;
    const aside = Math.abs(event.clientX - x), upDown = Math.abs(event.clientY - y);
    if (Math.max(aside, upDown) > SLIP) clearTimeout(timer);
    if (event.pointerType === "touch" && !dragged && upDown >= aside) return; // it scrolls
    const to = view.tokenAt(event);
    if (to === null || (to === from && !dragged && aside <= SLIP)) return;
    select(to);
  });
  root.addEventListener("touchmove", (event) => {
    if (pressed || dragged) event.preventDefault(); // a selection, no scrolling
  }, { passive: false });
  root.addEventListener("contextmenu", (event) => {
    if (pressed || /** @type {PointerEvent} */ (event).pointerType === "touch") event.preventDefault();
  });
  root.addEventListener("click", (event) => {
    const target = /** @type {any} */ (event.target);
    if (target.closest?.(".grip")) return;
    if (dragged || event.shiftKey) return;
    const several = event.ctrlKey || event.metaKey || editor.several;
    const badge = target.closest?.(".b");
    if (badge) {
      editor.choose(badge.mark, { several });
      return;
    }
    const token = view.tokenAt(event);
    if (token === null || event.detail > 1) return;
    editor.click(token, several);
  });
  root.addEventListener("dblclick", (event) => {
    const token = view.tokenAt(event);
    if (token !== null) editor.selectRange(token, token);
  });
  root.addEventListener("pointerover", (event) => {
    const mark = /** @type {any} */ (event.target).closest?.(".m.ghost")?.mark;
    const one = mark === undefined ? undefined : editor.state.suggestions.get(suggestionOf(mark) ?? "");
    view.hover(one ? editor.state.openChain(one).map(ghostId) : []);
  });
  root.addEventListener("pointerleave", () => view.hover([]));
  document.addEventListener("pointerup", end);
  document.addEventListener("pointercancel", end);
}
