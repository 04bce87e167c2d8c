// @ts-check
// The dashboard of a project: progress, time per document, agreement over time.

import { $, crumbs, figure, get, make, meta, start, table } from "./common.js";
import { chart } from "../ui/charts.js";
import { duration } from "../ui/dom.js";
import { nouns, stateNote, tabs } from "./tabs.js";

const id = meta("project");
/** @param {string} day */
const short = (day) => new Date(`${day}T12:00:00`).toLocaleDateString(undefined, { day: "numeric", month: "short" });

void start(async () => {
  const [{ project }, found] = await Promise.all([get(`/api/projects/${id}`), get(`/api/projects/${id}/dashboard`)]);
  const [one, many] = nouns(project), problem = project.kind === "problem";
  crumbs([["Projects", "/"], [project.name, `/projects/${id}`], ["Dashboard", null]]);
  const figures = [[found.done, "annotations done"], [found.wanted, "needed in all"], [found.open, "open"], [found.late, "late"], [found.time.median === null ? "–" : duration(found.time.median), `per ${one} (median)`], [duration(found.time.total), "in all"]];
  const byDay = found.by_day.map((/** @type {any} */ each) => ({ label: short(each.day), value: each.total }));
  const agreed = found.agreement.map((/** @type {any} */ each) => ({ label: short(each.day), value: each.agreement }));
  const times = found.time.by_annotator.filter((/** @type {any} */ each) => each.median !== null).map((/** @type {any} */ each) => ({ label: each.name, value: each.median / 60 }));
  $("main").replaceChildren(tabs(project, "dashboard"), stateNote(project),
    make("section", null, make("h2", null, "Progress"), make("dl", { class: "figures" }, figures.map(([value, name]) => make("div", null, make("dt", null, name), make("dd", null, String(value))))),
      make("progress", { max: String(Math.max(1, found.wanted)), value: String(found.done), "aria-label": "done" }),
      chart({ title: "Annotations done", unit: "in all, by day; the dashed line is what is needed", points: byDay, goal: found.wanted })),
    make("section", null, make("h2", null, `Time per ${one}`), chart({ title: "Median time", unit: `in minutes per ${one}, by annotator`, points: times, kind: "bars", show: (value) => String(Number(value.toPrecision(3))) }),
      table(["Annotator", [`${many.slice(0, 1).toUpperCase()}${many.slice(1)}`, "num"], ["Median", "num"], ["In all", "num"], ...(problem ? [] : [/** @type {[string, string]} */ (["Tokens per minute", "num"])])],
        found.time.by_annotator.map((/** @type {any} */ each) => [each.name, each.documents, each.median === null ? "–" : duration(each.median), duration(each.total), ...(problem ? [] : [figure(each.tokens_per_minute, 0)])]), "Nobody has finished anything yet.")),
    make("section", null, make("h2", null, "Agreement over time"), chart({ title: "Agreement", unit: problem ? "% of pairs of raters with the same answer, by day" : "CoNLL F1 between annotators, mean of the documents finished on a day", points: agreed, most: 100, show: (value) => String(Math.round(value * 10) / 10) })));
});
