// @ts-check
// Keys and what they do. A key is written as its modifiers and its name: "Ctrl+z",
// "Shift+ArrowLeft", "?". Of a character the Shift is not written, it is in the character.

/** @typedef {{id: string, keys: string[], says: string, section: string}} Command */

/** @type {Command[]} */
export const COMMANDS = [
  ["Move", "left", "ArrowLeft", "previous word"],
  ["Move", "right", "ArrowRight", "next word"],
  ["Move", "up", "ArrowUp", "line above"],
  ["Move", "down", "ArrowDown", "line below"],
  ["Move", "likely", "Space", "select the next likely mention"],
  ["Move", "unlikely", "Shift+Space", "select the previous likely mention"],
  ["Move", "next", "n", "next mention or suggestion"],
  ["Move", "previous", "p", "previous mention or suggestion"],
  ["Move", "chain-next", "j", "next mention of the same group"],
  ["Move", "chain-previous", "k", "previous mention of the same group"],
  ["Move", "find-text", "Ctrl+f", "find in the text"],
  ["Move", "find-next", "F3 Ctrl+g", "next place that was found"],
  ["Move", "find-previous", "Shift+F3 Ctrl+G", "previous place that was found"],
  ["Move", "go-to", "G", "go to a sentence, a percentage or a word"],
  ["Move", "text-start", "Ctrl+Home", "start of the text"],
  ["Move", "text-end", "Ctrl+End", "end of the text"],
  ["Move", "outer", "Alt+ArrowUp Alt+ArrowRight", "mention around this one"],
  ["Move", "inner", "Alt+ArrowDown Alt+ArrowLeft", "mention inside this one"],
  ["Select", "extend-left", "Shift+ArrowLeft", "select a word to the left"],
  ["Select", "extend-right", "Shift+ArrowRight", "select a word to the right"],
  ["Select", "extend-up", "Shift+ArrowUp", "select up to the line above"],
  ["Select", "extend-down", "Shift+ArrowDown", "select up to the line below"],
  ["Select", "pick", "s", "choose this mention with others"],
  ["Select", "pick-chain", "S", "choose all mentions of the group"],
  ["Select", "clear", "Escape", "clear the selection"],
  ["Groups", "new", "+ =", "put into a new group"],
  ["Groups", "also-new", "Ctrl+Shift++ *", "add to a new group as well"],
  ["Groups", "find", "g", "find a group by name or number"],
  ["Groups", "also-find", "Alt+g", "add to a further group, by name or number"],
  ["Groups", "merge", "m", "merge this group with another"],
  ["Groups", "rename", "l F2", "name this group"],
  ["Groups", "remove-group", "X", "remove this group and its mentions"],
  ["Groups", "filter", "/", "filter the list of groups"],
  ["Mention", "remove", "Delete Backspace x", "remove the mention"],
  ["Mention", "grow-start", "[", "left border to the left"],
  ["Mention", "shrink-start", "{", "left border to the right"],
  ["Mention", "shrink-end", "}", "right border to the left"],
  ["Mention", "grow-end", "]", "right border to the right"],
  ["Mention", "flag", "f", "flag as unsure"],
  ["Mention", "note", "c", "comment on the mention"],
  ["Suggestions", "accept", "a", "accept this suggestion"],
  ["Suggestions", "accept-chain", "A", "accept its whole chain"],
  ["Suggestions", "accept-sure", "Alt+a", "accept all that are sure enough"],
  ["Suggestions", "dismiss", "d", "dismiss it"],
  ["Suggestions", "dismiss-chain", "D", "dismiss its whole chain"],
  ["Suggestions", "ghosts", "h", "show or hide suggestions"],
  ["Differences", "step-next", ".", "next difference or disagreement"],
  ["Differences", "step-back", ",", "previous difference or disagreement"],
  ...Array.from({ length: 9 }, (_, at) => ["Differences", `option-${at + 1}`, `Alt+${at + 1}`, `adjudication: choose answer ${at + 1}`]),
  ["Differences", "option-0", "Alt+0", "adjudication: as it is in the text now"],
  ["Differences", "start-from", "Alt+v", "adjudication: start from one annotator's version"],
  ["Document", "undo", "z Ctrl+z", "undo"],
  ["Document", "redo", "Z Ctrl+Z Ctrl+y", "redo"],
  ["Document", "comment", "C", "comment on the document"],
  ["Document", "unsure", "F", "flag the document as unsure"],
  ["Document", "check", "v", "check accuracy, on training documents"],
  ["Document", "done", "Ctrl+Enter", "mark the document as done"],
  ["Document", "guide", "b", "show or hide the guidelines"],
  ["Document", "help", "?", "show all keys"],
].map(([section, id, keys, says]) => ({ section, id, says, keys: keys.split(" ") }));

export const GROUP_KEYS = "123456789qwertyuio";

/**
 * How a key is written. With Alt it goes by the place of the key: a Mac writes other characters then.
 * @param {Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey"> & {code?: string}} event
 */
export function keyName(event) {
  const place = event.altKey && !event.ctrlKey ? /^(?:Digit|Key)(.)$/.exec(event.code ?? "")?.[1].toLowerCase() : undefined;
  const name = event.key === " " ? "Space" : place ?? event.key;
  const parts = [];
  if (event.ctrlKey || event.metaKey) parts.push("Ctrl");
  if (event.altKey) parts.push("Alt");
  if (event.shiftKey && (name.length > 1 || (event.ctrlKey && name === "+"))) parts.push("Shift");
  return [...parts, name].join("+");
}

/**
 * The group that a key stands for: its place, and whether it is meant as a further one.
 * Digits go by the place of the key, so that they work where they need Shift to be typed.
 * @param {Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">} event
 * @param {string} [keys] @returns {{order: number, also: boolean} | null}
 */
export function groupKey(event, keys = GROUP_KEYS) {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code ?? "")?.[1];
  const order = keys.indexOf(digit ?? (event.key.length === 1 ? event.key.toLowerCase() : "\n"));
  return order < 0 ? null : { order, also: event.shiftKey };
}

/** What is on a group's badge: its key, or its number. @param {number} order @param {string} [keys] */
export const badge = (order, keys = GROUP_KEYS) => (order < keys.length ? keys[order].toUpperCase() : String(order + 1));

export class Keymap {
  /** @param {Record<string, string[]>} [changed] */
  constructor(changed = {}) {
    /** @type {Record<string, string[]>} */ this.changed = {};
    for (const [id, keys] of Object.entries(changed)) {
      if (COMMANDS.some((one) => one.id === id) && Array.isArray(keys)) this.changed[id] = keys.map(String);
    }
    this.#index();
  }

  #index() {
    /** @type {Map<string, string>} */ this.of = new Map();
    for (const { id } of COMMANDS) for (const key of this.keys(id)) this.of.set(key, id);
  }

  /** @param {string} id @returns {string[]} */
  keys(id) {
    return this.changed[id] ?? COMMANDS.find((one) => one.id === id)?.keys ?? [];
  }

  /** The command of a key. @param {string} key @returns {string | undefined} */
  command(key) {
    return this.of?.get(key);
  }

  /** Give a command one key, taken from whatever had it; says what that was. @param {string} id @param {string} key @returns {string | null} */
  set(id, key) {
    const before = this.command(key);
    if (before && before !== id) this.changed[before] = this.keys(before).filter((one) => one !== key);
    this.changed[id] = [key];
    this.#index();
    return before && before !== id ? before : null;
  }
}

/** A key for people to read. @param {string} key */
export function pretty(key) {
  const names = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc", Delete: "Del", Backspace: "⌫" };
  const shown = (/** @type {string} */ part) => /** @type {Record<string, string>} */ (names)[part] ?? part;
  if (key.endsWith("++")) return `${key.slice(0, -2).split("+").join(" ")} +`;
  return key.length === 1 ? key : key.split("+").map(shown).join(" ");
}
