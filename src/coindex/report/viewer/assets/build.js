"use strict";
// From the data of a document to the elements that show it: the rows of the list
// and the card. Whatever comes from a document goes through `textContent`.
const build = (() => {
  const COLOURS = 9, PATTERNS = 4; // as many as the style has
  const DEFAULTS = { role: "mention", outer: null, kind: null, head: null, attrs: [] };

  const make = (tag, name, text) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  };

  const look = (group) =>
    `c${(group.number - 1) % COLOURS} p${(group.number - 1) % PATTERNS}${group.singleton ? " s" : ""}`;

  function open(article) {
    const data = JSON.parse(article.nextElementSibling.textContent);
    data.mentions = data.mentions.map((mention) => ({ ...DEFAULTS, ...mention }));
    const parts = data.mentions.map(() => []);
    for (const part of article.querySelectorAll(".m")) parts[part.dataset.m].push(part);
    const order = [], badges = [];
    for (const badge of article.querySelectorAll(".b[tabindex]")) {
      const mark = +badge.parentElement.dataset.m;
      order.push(mark);
      badges[mark] = badge;
    }
    const place = [], inner = [];
    order.forEach((mark, index) => { place[mark] = index; });
    data.mentions.forEach((mention, mark) => {
      const single = (number) => data.entities[number - 1].singleton;
      mention.quiet = mention.entities.length > 0 && mention.entities.every(single);
      if (mention.outer !== null) (inner[mention.outer] ??= []).push(mark);
    });
    const rows = data.entities.map((group) => row(data, group));
    const buttons = rows.map((item) => item.firstChild);
    return { article, data, parts, order, badges, place, inner, rows, buttons };
  }

  function row(data, group) {
    const item = make("li"), button = make("button", `row ${look(group)}`);
    const texts = group.mentions.map((mark) => data.mentions[mark].text);
    button.type = "button";
    button.dataset.e = group.number;
    button.append(make("span", "n", group.number), make("span", "name", group.name));
    button.append(make("span", "many", group.mentions.length ? `×${group.mentions.length}` : "not in the text"));
    button.title = group.name + (group.kind ? ` (${group.kind})` : "");
    button.lastChild.setAttribute("aria-label", `${group.mentions.length} mentions`);
    if (!group.singleton) button.append(make("span", "sample"), trace(data, group));
    item.append(button);
    item.words = [group.number, group.name, group.id ?? "", group.kind ?? "", ...texts].join("\n").toLowerCase();
    item.group = group;
    return item;
  }

  // where in the text the mentions of an entity are
  function trace(data, group) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", group.mentions.length > 60 ? "trace dense" : "trace");
    svg.setAttribute("viewBox", "0 0 1000 9");
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    const ticks = group.mentions.map((mark) => {
      const where = data.mentions[mark].chars[0][0] / Math.max(1, data.length);
      return `M${(where * 1000).toFixed(1)} 1v7`;
    });
    for (const [name, path] of [["base", "M0 4.5h1000"], ["ticks", ticks.join("")]]) {
      const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
      line.setAttribute("class", name);
      line.setAttribute("d", path);
      line.setAttribute("vector-effect", "non-scaling-stroke");
      svg.append(line);
    }
    return svg;
  }

  function fillCard(box, view, mark, pinned) {
    const mention = view.data.mentions[mark], facts = make("dl");
    const fact = (name, value) => {
      if (value) facts.append(make("dt", "", name), make("dd", "", value));
    };
    box.replaceChildren();
    for (const number of mention.entities) {
      const group = view.data.entities[number - 1], who = make("div", `who ${look(group)}`);
      const nth = group.mentions.indexOf(mark) + 1;
      who.append(make("span", "n", number), make("span", "", group.name));
      who.append(make("span", "quiet", group.singleton ? "singleton" : `${nth} of ${group.mentions.length}`));
      box.append(who);
      const id = group.id === String(number) ? null : group.id;
      fact("entity kind", group.kind);
      fact("corpus id", id);
      for (const [name, value] of Object.entries(group.attrs)) fact(name, value);
    }
    const said = make("p", "said", `“${mention.text}”`);
    said.dir = "auto";
    box.append(said, facts);
    const ranges = (spans) => spans.map(([a, b]) => (b - a > 1 ? `${a}–${b - 1}` : `${a}`)).join(", ");
    fact("tokens", ranges(mention.tokens));
    if (!mention.tokens.length) fact("characters", ranges(mention.chars));
    fact("kind", mention.kind ?? (mention.role === "mention" ? "" : mention.role));
    fact("head", mention.head);
    for (const [name, value] of mention.attrs) fact(name, value || "yes");
    if (mention.outer !== null) fact("inside", view.data.mentions[mention.outer].text);
    if (pinned) box.append(make("p", "pin", "Pinned: Esc lets go"));
    box.hidden = false;
  }

  // below the mention, or above it where there is no room
  function placeCard(box, parts) {
    const rects = parts[parts.length - 1].getClientRects();
    const rect = rects[rects.length - 1];
    if (!rect) return;
    const width = box.offsetWidth, height = box.offsetHeight;
    const floor = matchMedia("(max-width: 52rem)").matches ? innerHeight * 0.62 : innerHeight;
    const above = rect.bottom + height + 14 > floor && rect.top - height - 10 > 52;
    const edge = parts[0].closest("main").getBoundingClientRect().right;
    const left = Math.max(8, Math.min(rect.left, edge - width - 8));
    box.style.left = `${left + scrollX}px`;
    box.style.top = `${(above ? rect.top - height - 8 : rect.bottom + 10) + scrollY}px`;
  }

  return { make, open, fillCard, placeCard };
})();
