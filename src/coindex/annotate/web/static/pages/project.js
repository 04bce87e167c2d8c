// @ts-check
import { $, attempt, crumbs, deadlineCell, figure, get, make, meta, post, start, table, user } from "./common.js";
import { count, duration } from "../ui/dom.js";
import { invitation } from "../ui/example.js";
import { whyNothing } from "../ui/finished.js";
import { guideline } from "../ui/guide.js";
import { capital, nouns, stateNote, tabs } from "./tabs.js";

const id = meta("project");
const STATUS = /** @type {Record<string, string>} */ ({ open: "warn", done: "good" });

/** @param {any} assignment */
const row = (assignment) => [
  make("a", { href: assignment.purpose === "adjudicate" ? `/sheets/${assignment.id}/adjudicate` : `/sheets/${assignment.id}`, dir: "auto" }, assignment.name),
  make("span", { class: `pill ${STATUS[assignment.status] ?? ""}` }, assignment.status), [assignment.training ? "training" : "", assignment.purpose === "adjudicate" ? "adjudication" : ""].filter(Boolean).join(", "),
  deadlineCell(assignment),
  assignment.seconds ? duration(assignment.seconds) : "–"];

/** A reason as a sentence. @param {string} words */
const refusal = (words) => capital(words).replace(/[^.]$/, "$&.");

/** @param {any} project @param {any} progress */
function next(project, progress) {
  const place = make("section", { class: "card" });
  const go = make("button", { class: "button main", type: "button" }, progress.mine?.open ? "Continue" : `Next ${nouns(project)[0]}`);
  const why = make("p", { class: "quiet", role: "status" });
  if (new URLSearchParams(location.search).has("finished")) {
    history.replaceState(null, "", location.pathname); // said once
    const nothing = whyNothing();
    if (nothing) why.textContent = refusal(nothing);
    else why.replaceChildren(make("b", { class: "good" }, `All your ${nouns(project)[1]} are done: thank you. `), "New ones appear here when a manager adds them.");
  }
  go.addEventListener("click", () => void attempt(place, async () => {
    const found = await post(`/api/projects/${project.id}/next`);
    if (found.sheet) location.assign(`/sheets/${found.sheet}`);
    else why.textContent = found.reason === "nothing left" ? "Nothing left to annotate: thank you." : refusal(found.message ?? found.reason);
  }));
  place.append(make("dl", { class: "figures" }, [[progress.done, "annotations done"], [progress.wanted, "needed in all"], [progress.mine?.done ?? 0, "by you"], [duration(progress.mine?.seconds ?? 0), "your time"]]
    .map(([value, name]) => make("div", null, make("dt", null, name), make("dd", null, String(value))))),
  make("progress", { max: String(Math.max(1, progress.wanted)), value: String(progress.done), "aria-label": "done" }),
  make("div", { class: "row" }, go, progress.training?.documents ? make("span", { class: "quiet" }, `training: ${progress.training.mine_done} of ${count(progress.training.documents, "document")}`) : ""), why);
  return place;
}

void start(async () => {
  const [{ project }, progress, { sheets: assignments }, leaderboard] = await Promise.all([
    get(`/api/projects/${id}`), get(`/api/projects/${id}/progress`), get(`/api/projects/${id}/sheets`), get(`/api/projects/${id}/leaderboard`).catch(() => ({ rows: [] }))]);
  crumbs([["Projects", "/"], [project.name, null]]);
  const guide = project.settings?.guide;
  const several = (progress.by_annotator ?? []).length > 1;
  const invited = project.kind === "document" && !assignments.length ? invitation(user) : null;
  $("main").replaceChildren(tabs(project, ""), invited ? make("section", { class: "banner card" }, invited) : "", stateNote(project), next(project, progress),
    guide ? make("details", { class: "card", open: !assignments.length }, make("summary", null, make("b", null, "Guidelines")), make("div", { class: "prose", dir: "auto" }, ...guideline(project.guidelines ?? []))) : "",
    make("section", null, make("h2", null, `Your ${nouns(project)[1]}`), table([capital(nouns(project)[0]), "Status", "", ["Deadline", "keep"], ["Time", "num"]], assignments.map(row), `None yet: “Next ${nouns(project)[0]}” gives you one.`)),
    several ? make("section", null, make("h2", null, "Annotators"), table(["Name", ["Done", "num"], ["Open", "num"], ["Mentions", "num"], ["Time", "num"]],
      progress.by_annotator.map((/** @type {any} */ one) => [one.name, one.done, one.open, one.mentions, duration(one.seconds ?? 0)]))) : "",
    make("section", null, make("h2", null, "Leaderboard"), table(["", "Name", [capital(nouns(project)[1]), "num"], ["Mentions", "num"], ["Agreement", "num"], ["Score", "num"]],
      leaderboard.rows.map((/** @type {any} */ one, /** @type {number} */ at) => [at + 1, one.shown_name, one.done, one.mentions, figure(one.agreement), figure(one.score)]), "Nobody has chosen to appear."),
    make("p", { class: "quiet" }, "Only those who have chosen a name appear; choose yours in ", make("a", { href: "/account" }, "your account"), ". The score is the work done, weighted by agreement.")));
});
