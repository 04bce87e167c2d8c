// @ts-check
import { $, attempt, crumbs, figure, get, make, meta, post, scroller, start, table } from "./common.js";
import { judged, passage } from "./passages.js";
import { stateNote, tabs } from "./tabs.js";

const SHOWN = 500;
const id = meta("project");

/** @param {any} found @param {string} measure */
function matrix(found, measure) {
  const of = new Map(found.pairs.flatMap((/** @type {any} */ one) => [[`${one.a} ${one.b}`, one], [`${one.b} ${one.a}`, one]]));
  const cell = (/** @type {any} */ a, /** @type {any} */ b) => {
    const pair = of.get(`${a.id} ${b.id}`);
    const td = make("td", { class: "shade", title: pair ? `${a.name} and ${b.name}: ${pair.documents} documents` : "" }, a.id === b.id ? "·" : figure(pair?.[measure]));
    if (pair && a.id !== b.id) td.style.setProperty("--share", `${Math.max(0, pair[measure] - 30) * 0.6}%`);
    return td;
  };
  return scroller(make("table", { class: "matrix" }, make("thead", null, make("tr", null, make("td"), found.annotators.map((/** @type {any} */ one) => make("th", { scope: "col", title: one.name }, one.name)))),
    make("tbody", null, found.annotators.map((/** @type {any} */ a) => make("tr", null, make("th", { scope: "row", title: a.name }, a.name), found.annotators.map((/** @type {any} */ b) => cell(a, b)))))));
}

/** @param {any} found */
function agreement(found) {
  const measures = [["conll", "CoNLL F1"], ["b3", "B³ F1"], ["mentions", "Mention F1"]];
  const place = make("div"), overall = found.overall ?? {};
  const choose = make("div", { class: "row", role: "group", "aria-label": "Measure" }, measures.map(([key, name], at) => make("button", { class: "button", type: "button", "aria-pressed": String(!at), onclick: (/** @type {any} */ event) => {
    choose.querySelectorAll("button").forEach((/** @type {Element} */ one) => one.setAttribute("aria-pressed", String(one === event.currentTarget)));
    place.replaceChildren(matrix(found, key));
  } }, name)));
  place.append(matrix(found, "conll"));
  return [make("section", null, make("h2", null, "Agreement"), make("dl", { class: "figures" }, [...measures.map(([key, name]) => [figure(overall[key]), name]), [figure(overall.alpha, 3), "Krippendorff's α"]]
    .map(([value, name]) => make("div", null, make("dt", null, name), make("dd", null, value)))), found.signature ? make("details", { class: "quiet" }, make("summary", null, "How these figures are computed, to cite them"), make("code", null, found.signature)) : ""),
  make("section", null, make("h3", null, "Between annotators"), found.annotators.length > 1 ? [choose, place] : make("p", { class: "quiet" }, "Two annotators must have finished the same document.")),
  make("section", null, make("h3", null, "By annotator"), table(["Name", ["Documents", "num"], ["CoNLL", "num"], ["B³", "num"], ["Mentions", "num"]], (found.by_annotator ?? []).map((/** @type {any} */ one) => [one.name, one.documents, figure(one.conll), figure(one.b3), figure(one.mentions)]))),
  make("section", null, make("h3", null, "By document"), table(["Document", ["Annotators", "num"], ["CoNLL", "num"], ["B³", "num"], ["Mentions", "num"], ["α", "num"]], (found.documents ?? []).map((/** @type {any} */ one) => [one.name, one.annotators, figure(one.conll), figure(one.b3), figure(one.mentions), figure(one.alpha, 3)])))];
}

/** @param {any} project */
function gold(project) {
  const least = make("input", { type: "number", min: "1", max: "20", value: String(project.settings.annotators) }), similarity = make("input", { type: "number", min: "0", max: "100", value: "60" });
  const place = make("section"), result = make("div");
  const rule = make("select", null, make("option", { value: "paper" }, "the most central of those who agree"), make("option", { value: "majority" }, "the majority"));
  const form = make("form", { class: "line" }, make("label", { class: "field" }, "Start from", rule), make("label", { class: "field" }, "Annotators, at least", least), make("label", { class: "field" }, "Similarity (CoNLL F1), at least", similarity), make("button", { class: "button" }, "Make gold to verify"));
  form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void attempt(place, async () => {
      const { documents } = await post(`/api/projects/${id}/gold`, { rule: rule.value, least: Number(least.value), similarity: Number(similarity.value) });
      result.replaceChildren(table(["Document", ["Annotators", "num"], ["Agreeing", "num"], "Status", ""], documents.map((/** @type {any} */ one) => [one.name, one.annotators, one.agreeing, one.status, one.sheet ? make("a", { href: `/sheets/${one.sheet}/adjudicate` }, "Verify") : ""])));
    });
  });
  place.append(make("h2", null, "Gold"), make("p", { class: "quiet" }, "By the rule of the Quiz Bowl paper: enough annotators that are similar enough, then verified by a person. Or by hand, under ", make("a", { href: `/projects/${id}/adjudicate` }, "Adjudicate"), "."), form, result);
  return place;
}

/** @param {any} one */
const item = (one) => [make("div", null, make("b", { dir: "auto" }, one.name), make("div", { dir: "auto" }, passage(one)), one.source ? make("div", { class: "quiet" }, source(one.source)) : ""),
  make("div", null, one.sheets.length ? one.sheets.map((/** @type {any} */ each) => make("div", null, make("a", { href: `/sheets/${each.id}`, dir: "auto" }, each.by), `: ${judged(each.judgement, one.candidates)}`)) : "none yet"),
  one.consensus === "no consensus" ? make("span", { class: "warn" }, "no consensus") : judged(one.consensus, one.candidates), one.kept ? "gold" : ""];

/** Where a passage comes from: a link if it is an address. @param {string} from */
const source = (from) => (/^https?:\/\//.test(from) ? make("a", { href: from, rel: "noreferrer noopener", target: "_blank" }, from) : from);

const COUNTED = /** @type {Record<string, string>} */ ({ first: "the first name (A)", second: "the second name (B)", "?": "not sure", "not judged": "too few answers yet" });

/** @param {any} found */
function consensus(found) {
  const { kappa } = found, open = found.items.filter((/** @type {any} */ one) => one.consensus === "no consensus");
  const items = (/** @type {any[]} */ list) => make("div", { class: "items" }, table(["Item", ["Answers", "keep"], ["Consensus", "keep"], ["", "keep"]], list.slice(0, SHOWN).map(item), "None."), list.length > SHOWN ? make("p", { class: "quiet" }, `and ${list.length - SHOWN} more: the export has all of them`) : "");
  return [make("section", null, make("h2", null, "Consensus"), make("dl", { class: "figures" }, [...Object.entries(found.counts).map(([name, value]) => [String(value), COUNTED[name] ?? name]), [kappa ? figure(kappa.value, 3) : "–", kappa ? `Fleiss’ κ (95 %: ${figure(kappa.low, 3)} to ${figure(kappa.high, 3)})` : "Fleiss’ κ"]]
    .map(([value, name]) => make("div", null, make("dt", null, name), make("dd", null, value))))),
  make("section", null, make("h3", null, `Without consensus (${open.length})`), items(open)), make("section", null, make("h3", null, "All items"), items(found.items))];
}

void start(async () => {
  const { project } = await get(`/api/projects/${id}`);
  crumbs([["Projects", "/"], [project.name, `/projects/${id}`], ["Quality", null]]);
  if (project.kind === "problem") $("main").replaceChildren(tabs(project, "quality"), stateNote(project), ...consensus(await get(`/api/projects/${id}/consensus`)));
  else $("main").replaceChildren(tabs(project, "quality"), stateNote(project), ...agreement(await get(`/api/projects/${id}/agreement`)), gold(project));
});
