// @ts-check
import { $, crumbs, get, make, start, table } from "./common.js";
import { when } from "../ui/dom.js";

/** @param {number} bytes */
const size = (bytes) => (bytes < 1 << 20 ? `${Math.round(bytes / 1024)} kB` : `${(bytes / (1 << 20)).toFixed(1)} MB`);

/** @param {number} at @param {number} now */
function ago(at, now) {
  const minutes = Math.max(0, Math.round((now - at) / 60000));
  if (minutes < 2) return "just now";
  return minutes < 120 ? `${minutes} minutes ago` : `${Math.round(minutes / 60)} hours ago`;
}

/** @param {any} found */
function backup(found) {
  if (found.backup_failure) return make("span", { class: "bad" }, `failed: ${found.backup_failure}`);
  return found.backup ? `${ago(found.backup.at, found.time)}, ${size(found.backup.size)}` : make("span", { class: "warn" }, "none yet");
}

void start(async () => {
  crumbs([["Projects", "/"], ["Administration", "/admin"], ["Health", null]]);
  const found = await get("/api/status");
  $("main").replaceChildren(
    make("section", null, make("h2", null, "Server"), table(["What", "State"], [
      ["Version", found.version], ["Database", `${found.database.kind}, ${size(found.database.size)}`], ["Version of its tables", found.database.tables], ["Last backup", backup(found)]])),
    make("section", null, make("h2", null, "Servers of this database"), table(["Server", "Started", "Last sign of life"],
      found.servers.map((/** @type {any} */ one) => [one.name, when(one.started), ago(one.seen, found.time)]), "None has registered.")),
    make("section", null, make("h2", null, "Rankings that are running"), table(["Project", "Strategy", "Started", "Server"],
      found.rankings.map((/** @type {any} */ one) => [one.name, one.strategy, when(one.made), one.server]), "None.")),
    make("section", null, make("h2", null, "Suggestions made by this server"), table(["Project", "Resolver", "State", ""],
      found.suggestions.map((/** @type {any} */ one) => [one.project, one.resolver, one.state, one.message]), "None since it was started.")));
});
