// @ts-check
// The lines of a page: what stands on one line of the text, in blocks where that is long.

/** @typedef {import("./text.js").Text} Text */
/** @typedef {{first: number, last: number, number: number, new: boolean, para: boolean, chars: number}} Line  units first..last; `new`: begins a line of the text; `para`: after an empty one */

const BLOCK = 8; // sentences of a block, where a text has no lines of its own

/** @param {Text} text @returns {Line[]} */
export function linesOf(text) {
  /** @type {Line[]} */ const lines = [];
  let line = -1, block = 0, number = 0;
  text.units.forEach((unit, at) => {
    const isNew = unit.line !== line;
    if (isNew || (block += 1) >= BLOCK) {
      const para = isNew && (text.gaps[unit.start].match(/\n/g)?.length ?? 0) > 1;
      number += Number(isNew);
      lines.push({ first: at, last: at, number, new: isNew, para, chars: 0 });
      [block, line] = [0, unit.line];
    }
    const last = lines[lines.length - 1];
    last.last = at + 1;
    for (let token = unit.start; token < unit.end; token += 1) last.chars += text.shown[token].length + text.shownGaps[token].length;
  });
  return lines;
}

/** Who begins to speak with a unit, if somebody does. @param {Text} text @param {number} unit @returns {string} */
export function speakerAt(text, unit) {
  const said = text.speakers?.[text.units[unit].start] ?? "";
  if (!said || said === "-") return "";
  let before = unit - 1;
  while (before >= 0 && !text.speakers?.[text.units[before].start]) before -= 1;
  return before >= 0 && text.speakers?.[text.units[before].start] === said ? "" : said;
}
