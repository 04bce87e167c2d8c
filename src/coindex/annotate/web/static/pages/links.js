// @ts-check
// Links that are given to one person: to be copied when they are made, listed and revoked later.

import { make, table } from "./common.js";
import { when } from "../ui/dom.js";

const STATE = /** @type {Record<string, string>} */ ({ open: "good", used: "", expired: "warn" });

/** A link that can be copied. @param {string} path */
export function copyable(path) {
  const address = new URL(path, location.href).href;
  const field = make("input", { type: "text", readonly: true, size: "52", value: address, "aria-label": "Link", onfocus: (/** @type {any} */ event) => event.target.select() });
  const copy = make("button", { class: "button", type: "button" }, "Copy");
  copy.addEventListener("click", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(address);
      copy.textContent = "Copied";
    } catch {
      copy.textContent = "Press Ctrl C";
    }
  });
  return make("div", { class: "row" }, field, copy);
}

/** Invitations in a table. @param {any[]} found @param {(id: string) => unknown} revoke */
export const invitationTable = (found, revoke) => table([["Role", "keep"], ["Made", "keep"], ["By", "keep"], ["Expires", "keep"], "Status", ""], found.map((one) => [one.role ?? "account", when(one.created), one.by ?? "", when(one.expires),
  make("span", { class: `pill ${STATE[one.state]}` }, one.used_by ? `used by ${one.used_by}` : one.state),
  one.state === "used" ? "" : make("button", { class: "button danger", type: "button", "aria-label": `Revoke the link for ${one.role ?? "an account"}, made ${when(one.created)}`, onclick: () => void revoke(one.id) }, "Revoke")]), "No links yet.");
