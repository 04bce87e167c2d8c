// @ts-check
// Plots as SVG, drawn here: lines and bars, each with a table of its figures for those who read it.

import { make } from "./dom.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const WIDTH = 640, HEIGHT = 220, LEFT = 52, RIGHT = 16, TOP = 12, BOTTOM = 32;

/** @param {string} tag @param {Record<string, string | number>} attributes @param {string} [text] */
function shape(tag, attributes, text) {
  const made = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

/** Round numbers for an axis, from 0 to at least `most`. @param {number} most @returns {number[]} */
export function ticks(most) {
  const rough = (most || 1) / 4, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? power * 10;
  return Array.from({ length: Math.ceil((most || 1) / step - 1e-9) + 1 }, (_, at) => Number((at * step).toPrecision(6)));
}

/** @typedef {{label: string, value: number}} Point */
/** @typedef {{title: string, unit: string, points: Point[], kind?: "line" | "bars", show?: (value: number) => string, goal?: number, most?: number}} Chart */

/** @param {Chart} chart @returns {HTMLElement} */
export function chart({ title, unit, points, kind = "line", show = String, goal, most }) {
  const own = points.map((point) => point.value);
  const marks = ticks(Math.max(most ?? 0, goal ?? 0, ...own)), top = marks[marks.length - 1] || 1;
  const step = (WIDTH - LEFT - RIGHT) / Math.max(points.length, 1);
  const x = (/** @type {number} */ at) => LEFT + step * (at + 0.5), y = (/** @type {number} */ value) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
  const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img", "aria-label": `${title}: ${points.length ? `from ${points[0].label} to ${points[points.length - 1].label}; the last is ${show(own[own.length - 1])}` : "no figures yet"}` });
  for (const mark of marks) svg.append(shape("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(mark), y2: y(mark), class: "grid" }), shape("text", { x: LEFT - 8, y: y(mark) + 4, class: "tick end" }, show(mark)));
  const every = Math.ceil(points.length / 6);
  points.forEach((point, at) => {
    if (at % every === 0) svg.append(shape("text", { x: x(at), y: HEIGHT - 10, class: "tick middle" }, point.label));
    if (kind === "bars") svg.append(shape("rect", { x: x(at) - step * 0.35, y: y(point.value), width: step * 0.7, height: Math.max(0, HEIGHT - BOTTOM - y(point.value)), class: "bar" }));
  });
  if (kind === "line" && points.length) {
    svg.append(shape("polyline", { points: points.map((point, at) => `${x(at)},${y(point.value)}`).join(" "), class: "line" }));
    points.forEach((point, at) => svg.append(shape("circle", { cx: x(at), cy: y(point.value), r: 3.5, class: "dot" })));
  }
  if (goal) svg.append(shape("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(goal), y2: y(goal), class: "goal" }));
  const rows = points.map((point) => make("tr", null, make("th", { scope: "row" }, point.label), make("td", { class: "num" }, show(point.value))));
  return make("figure", { class: "plot" }, make("figcaption", null, make("b", null, title), ` ${unit}`), points.length ? /** @type {any} */ (svg) : make("p", { class: "quiet" }, "Nothing yet."),
    points.length ? make("details", null, make("summary", null, "Figures"), make("table", null, make("tbody", null, rows))) : "");
}
