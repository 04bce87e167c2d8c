// @ts-check
// Mentions over a stretch of tokens, as a tree that a page can show.
//
// Mentions may nest, cross, share borders and break off. One that crosses another is
// closed where the other ends and opened again at once, so that the result is always a
// tree. Levels say how far from the words a mention's line is drawn: 0 is next to them,
// no two that overlap share one, and what holds another lies further out.

/** @typedef {{id: string, spans: [number, number][]}} Marked */
/** @typedef {{mark: number, first: boolean, last: boolean, inside: Node[]}} Branch  first: the mention begins here; last: it ends here */
/** @typedef {number | Branch} Node  a token, or a mark with what is in it */

/**
 * @param {readonly Marked[]} marks @param {number} start @param {number} end
 * @returns {{nodes: Node[], levels: number[]}}
 */
export function mentionTree(marks, start, end) {
  const parts = marks.flatMap((mark, index) => mark.spans.map(([from, to], piece) => ({
    mark: index, from, to, starts: piece === 0, ends: piece === mark.spans.length - 1 })))
    .filter((part) => part.from < end && part.to > start);
  /** @type {Map<number, typeof parts>} */ const opening = new Map();
  for (const part of parts) {
    const at = Math.max(part.from, start);
    opening.set(at, [...(opening.get(at) ?? []), part]);
  }
  /** @type {Node[]} */ const nodes = [];
  /** @type {{part: typeof parts[0], branch: Branch}[]} */ let open = [];
  for (let token = start; token < end; token += 1) {
    const keep = open.findIndex(({ part }) => part.to <= token);
    const interrupted = keep < 0 ? [] : open.splice(keep);
    const again = interrupted.filter(({ part }) => part.to > token).map(({ part }) => part);
    for (const { part, branch } of interrupted) branch.last = part.ends && part.to <= token;
    const next = [...again, ...(opening.get(token) ?? [])]
      .sort((a, b) => b.to - a.to || a.from - b.from || size(marks[b.mark]) - size(marks[a.mark]) || a.mark - b.mark);
    for (const part of next) {
      const branch = { mark: part.mark, first: part.starts && part.from === token, last: false, inside: [] };
      (open.at(-1)?.branch.inside ?? nodes).push(branch);
      open.push({ part, branch });
    }
    (open.at(-1)?.branch.inside ?? nodes).push(token);
  }
  for (const { part, branch } of open) branch.last = part.ends && part.to <= end;
  return { nodes, levels: levels(marks, start, end) };
}

/** @param {Marked} mark */
const size = (mark) => mark.spans.reduce((sum, [start, end]) => sum + end - start, 0);

/** @param {readonly Marked[]} marks @param {number} start @param {number} end @returns {number[]} */
export function levels(marks, start, end) {
  const free = new Array(end - start).fill(0);
  /** @type {number[]} */ const found = new Array(marks.length).fill(0);
  const order = marks.map((_, at) => at)
    .sort((a, b) => size(marks[a]) - size(marks[b]) || marks[a].spans[0][0] - marks[b].spans[0][0] || b - a);
  for (const mark of order) {
    const cells = marks[mark].spans
      .map(([from, to]) => [Math.max(from, start) - start, Math.min(to, end) - start])
      .filter(([from, to]) => from < to);
    if (!cells.length) continue;
    found[mark] = Math.max(...cells.map(([from, to]) => Math.max(...free.slice(from, to))));
    for (const [from, to] of cells) free.fill(found[mark] + 1, from, to);
  }
  return found;
}
