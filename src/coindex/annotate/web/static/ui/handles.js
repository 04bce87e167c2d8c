// @ts-check
// Two grips at the ends of the mention at hand: drag one and its border follows the words.

import { respan } from "../core/actions.js";
import { make } from "./dom.js";

/** @typedef {import("./editor.js").Editor} Editor */
/** @typedef {import("../core/model.js").Span} Span */

/** @param {Editor} editor */
export function grips(editor) {
  const start = make("i", { class: "grip start", "aria-hidden": "true" }), end = make("i", { class: "grip end", "aria-hidden": "true" });
  /** @type {{edge: "start" | "end", id: string, spans: Span[]} | null} */ let held = null;

  // inside the words at the ends, so that a line cannot break between a word and its grip
  const hold = (/** @type {HTMLElement | undefined} */ word, /** @type {HTMLElement} */ grip) => {
    word?.classList.add("held");
    word?.append(grip);
  };
  const place = () => {
    const found = editor.mark === null || !editor.editable || editor.picked.size ? null : editor.state.mentions.get(editor.mark);
    for (const grip of [start, end]) {
      grip.parentElement?.classList.remove("held");
      grip.remove();
    }
    if (!found) return;
    hold(editor.view.words[found.spans[0][0]], start);
    hold(editor.view.words[found.spans[found.spans.length - 1][1] - 1], end);
  };

  const moved = (/** @type {number} */ token) => {
    if (!held) return;
    const spans = held.spans.map(([from, to]) => /** @type {Span} */ ([from, to]));
    if (held.edge === "start") spans[0][0] = Math.min(token, spans[0][1] - 1);
    else spans[spans.length - 1][1] = Math.max(token + 1, spans[spans.length - 1][0] + 1);
    held.spans = spans;
    editor.view.select([spans[0][0], spans[spans.length - 1][1]], null);
  };

  for (const [grip, edge] of /** @type {const} */ ([[start, "start"], [end, "end"]])) {
    grip.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
      const found = editor.mark === null ? null : editor.state.mentions.get(editor.mark);
      if (!found || event.button !== 0) return;
      grip.releasePointerCapture?.(event.pointerId); // a finger's events would all go to the grip
      held = { edge, id: found.id, spans: found.spans };
      event.preventDefault();
      event.stopPropagation();
    });
  }
  document.addEventListener("pointermove", (event) => {
    const token = held ? editor.view.tokenAt(event) : null;
    if (token !== null) moved(token);
  });
  document.addEventListener("pointerup", () => {
    if (!held) return;
    const { id, spans } = held;
    held = null;
    const before = editor.state.mentions.get(id)?.spans;
    if (JSON.stringify(before) === JSON.stringify(spans)) editor.paint();
    else void editor.act(() => respan(editor.state, id, spans)).then((done) => done || editor.choose(id));
  });
  return place;
}
