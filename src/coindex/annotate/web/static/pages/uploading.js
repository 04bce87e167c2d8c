// @ts-check
// Files and folders that are chosen or dropped: sent one after the other, each under its own name.

import { attempt, make, post, table } from "./common.js";
import { count } from "../ui/dom.js";

const PURPOSES = [["work", "to annotate"], ["training", "training, with gold"], ["suggestions", "a resolver's output, as suggestions"], ["gold", "gold"]];
const IMPORTED = /** @type {Record<string, [string, string?]>} */ ({ documents: ["document"], sheets: ["assignment"], events: ["event"], suggestions: ["suggestion"], gold: ["document with gold", "documents with gold"] });
const HIDDEN = /(^|\/)(\.|__MACOSX\/|Thumbs\.db$)/;

/** @typedef {{file: File, path: string}} Chosen a file, and where it is in the folder that was chosen */

/** @param {Iterable<File>} files @returns {Chosen[]} */
const chosenFiles = (files) => Array.from(files, (file) => ({ file, path: file.webkitRelativePath || file.name }));

/** All files of what was dropped, whatever the depth of folders. @param {DataTransfer} data @returns {Promise<Chosen[]>} */
export async function droppedFiles(data) {
  const entries = Array.from(data.items, (item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return chosenFiles(data.files);
  /** @type {Chosen[]} */ const files = [];
  const visit = async (/** @type {any} */ entry) => {
    if (entry.isFile) return void files.push({ file: await new Promise((resolve, reject) => entry.file(resolve, reject)), path: entry.fullPath.replace(/^\//, "") });
    const reader = entry.createReader();
    for (;;) { // a folder is read in parts
      /** @type {any[]} */ const part = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (!part.length) return undefined;
      for (const each of part) await visit(each);
    }
  };
  for (const entry of entries) await visit(entry);
  return files;
}

/** The names that files are sent under: where several folders have files of one name, with their folders, as in zip archives. @param {readonly string[]} paths @returns {string[]} */
export function sentNames(paths) {
  const parts = paths.map((path) => path.split("/")), bare = parts.map((each) => each[each.length - 1]);
  /** @type {Map<string, number>} */ const often = new Map();
  for (const name of bare) often.set(name.toLowerCase(), (often.get(name.toLowerCase()) ?? 0) + 1);
  let shared = 0;
  while (parts.length && parts.every((each) => each.length > shared + 1 && each[shared] === parts[0][shared])) shared += 1;
  return parts.map((each, at) => ((often.get(bare[at].toLowerCase()) ?? 0) > 1 ? each.slice(shared).join("-") : bare[at]));
}

/** @param {string} name */
const isZip = (name) => /\.zip$/i.test(name);

/** What came of a file, in words. @param {string} file its name @param {any} found @param {any} project */
function outcome(file, found, project) {
  const named = /** @type {typeof IMPORTED} */ (project.kind === "problem" ? { ...IMPORTED, documents: ["item"] } : IMPORTED);
  const done = Object.entries(found.imported).filter(([, value]) => value).map(([name, value]) => count(/** @type {number} */ (value), ...(named[name] ?? /** @type {[string]} */ ([name])))).join(", ");
  const people = found.people?.length ? `, with the work of ${found.people.join(", ")}` : "";
  return `${done || "nothing"}${isZip(file) ? ", unpacked from the zip archive" : ""}${people}`;
}

/** @param {any} project @param {() => Promise<void>} onimported */
export function uploadSection(project, onimported) {
  const place = make("section"), result = make("div", { class: "stack" }), said = make("p", { role: "status" });
  const file = make("input", { type: "file", multiple: true, "aria-label": "Files" });
  const folder = make("input", { type: "file", multiple: true, webkitdirectory: true, "aria-label": "A folder" });
  const purpose = make("select", null, PURPOSES.map(([value, says]) => make("option", { value }, says)));
  const format = make("select", null, make("option", { value: "" }, "by its content"), make("optgroup", { label: "Formats" }, project.choices.formats.map((/** @type {string} */ value) => make("option", { value }, value))),
    project.choices.project_formats?.length ? make("optgroup", { label: "Projects of other tools, with annotators" }, project.choices.project_formats.map((/** @type {string} */ value) => make("option", { value }, value))) : "");
  const lines = make("input", { type: "checkbox" });
  const send = async (/** @type {Chosen[]} */ files) => {
    const chosen = files.filter((each) => !HIDDEN.test(each.path)), named = sentNames(chosen.map((each) => each.path));
    /** @type {any[][]} */ const rows = [];
    let failed = 0, made = 0;
    for (const [at, { file: each }] of chosen.entries()) {
      const name = named[at], shown = make("span", { dir: "auto" }, name);
      said.className = "quiet";
      said.textContent = `Importing ${at + 1} of ${count(chosen.length, "file")}: ${name}`;
      try {
        const more = `${format.value ? `&format=${encodeURIComponent(format.value)}` : ""}${lines.checked ? "&split=lines" : ""}`;
        const found = await post(`/api/projects/${project.id}/import?purpose=${purpose.value}&name=${encodeURIComponent(name)}${more}`, each);
        made += found.imported.documents;
        rows.push([shown, outcome(name, found, project)], ...(found.skipped ?? []).map((/** @type {any} */ one) => [make("span", { dir: "auto" }, `· ${one.name}`), make("span", { class: "warn" }, `skipped: ${one.reason}`)]));
      } catch (error) {
        failed += 1;
        rows.push([shown, make("span", { class: "bad" }, (error instanceof Error ? error.message : String(error)).replace(`${name}: `, ""))]);
      }
    }
    const what = project.kind === "problem" ? "item" : "document";
    said.className = failed ? "warn" : "good";
    said.textContent = !chosen.length ? "No files were found there." : chosen.length === 1 && !failed ? `Imported ${rows[0][1]}.` : `Imported ${count(made, what)} from ${count(chosen.length - failed, "file")}${failed ? `; ${count(failed, "file")} could not be read` : ""}.`;
    result.replaceChildren(chosen.length > 1 || failed || rows.length > 1 ? table(["File", "Result"], rows) : "");
    await onimported();
  };
  const drop = make("div", { class: "drop" }, make("p", null, "Drop files or folders here, or choose them:"), make("div", { class: "row" }, make("label", { class: "field" }, "Files", file), make("label", { class: "field" }, "A folder", folder)));
  drop.addEventListener("dragover", (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    drop.classList.remove("over");
    if (event.dataTransfer) void attempt(place, async () => send(await droppedFiles(/** @type {DataTransfer} */ (event.dataTransfer))));
  });
  const form = make("form", { class: "stack" }, drop, make("div", { class: "line row" }, make("label", { class: "field" }, "These are", purpose), make("label", { class: "field" }, "Format", format),
    project.kind === "document" ? make("label", { class: "check" }, lines, " one document per line (plain text)") : ""),
  make("div", { class: "row" }, make("button", { class: "button main" }, "Import"), said),
  make("p", { class: "hint" }, "Each file keeps its name. Zip archives and compressed files are unpacked: every file in them is imported. The two files of a brat document belong into one zip archive."));
  form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void attempt(place, async () => {
      await send(chosenFiles([...file.files, ...folder.files]));
      form.reset();
    });
  });
  place.append(make("h2", null, "Import"), form, result);
  return place;
}
