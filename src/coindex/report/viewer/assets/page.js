"use strict";
// What the page of `coindex show --html` does: it lights up entities, moves
// between mentions, and keeps the list of entities in order. Nothing looks
// through the text when the mouse moves: `build.open` has looked up the elements
// of each mark when its document was first shown.
(() => {
  const { make, open, fillCard, placeCard } = build;
  const $ = (id) => document.getElementById(id);
  const articles = [...document.querySelectorAll("article")];
  const views = new Map();

  let at = -1; // the document shown
  let view = null; // its data, elements and rows
  let pinned = null, focused = null, hovered = null; // marks
  let last = null; // the mark to go on from
  let entity = null; // the entity that j and k follow
  let lit = [];
  let singletons = true, sort = "size";

  // ---- one document

  function show(index) {
    if (!articles.length) return;
    clear();
    if (view) view.article.hidden = true;
    at = (index + articles.length) % articles.length;
    const article = articles[at];
    article.hidden = false;
    if (!views.has(article)) views.set(article, open(article));
    view = views.get(article);
    last = entity = null;
    document.title = `${view.data.id} · coindex`;
    $("pick").selectedIndex = at;
    $("place").textContent = `${at + 1} of ${articles.length}`;
    const singles = view.data.entities.filter((group) => group.singleton).length;
    $("singles").textContent = `Singletons (${singles})`;
    $("switch").hidden = !singles;
    const problem = view.data.kind === "problem";
    $("what").textContent = problem ? "Candidates" : "Entities";
    $("sort").hidden = problem;
    arrange();
    window.scrollTo(0, 0);
  }

  // ---- the list

  const listed = () => [...$("list").children].filter((item) => !item.hidden);

  function arrange() {
    const bySize = (a, b) => b.group.mentions.length - a.group.mentions.length;
    const byFirst = (a, b) => (a.group.mentions[0] ?? Infinity) - (b.group.mentions[0] ?? Infinity);
    const number = (a, b) => a.group.number - b.group.number;
    const problem = view.data.kind === "problem"; // candidates keep their order
    const order = sort === "size" && !problem ? bySize : problem ? number : byFirst;
    $("list").replaceChildren(...view.rows.sort((a, b) => order(a, b) || number(a, b)));
    $("by-size").setAttribute("aria-pressed", String(sort === "size"));
    $("by-first").setAttribute("aria-pressed", String(sort === "first"));
    filter();
  }

  function filter() {
    const wanted = $("filter").value.trim().toLowerCase();
    let shown = 0;
    for (const item of view.rows) {
      const number = /^\d+$/.test(wanted) && String(item.group.number) === wanted;
      const match = number || !wanted || (!/^\d+$/.test(wanted) && item.words.includes(wanted));
      item.hidden = !match || (item.group.singleton && !singletons);
      shown += !item.hidden;
    }
    const all = view.rows.length;
    $("count").textContent = shown === all ? `${all}` : `${shown} of ${all}`;
    $("nothing").hidden = shown > 0;
  }

  function toggle(on) {
    singletons = on;
    $("singletons").checked = on;
    document.body.classList.toggle("plain", !on);
    if (!on && pinned !== null && view.data.mentions[pinned].quiet) clear();
    filter();
    draw();
  }

  // ---- light

  function light(numbers, mark) {
    for (const element of lit) element.classList.remove("on", "cur");
    lit = [];
    for (const number of numbers) {
      for (const other of view.data.entities[number - 1].mentions) lit.push(...view.parts[other]);
      lit.push(view.buttons[number - 1]);
    }
    if (mark !== null && !numbers.length) lit.push(...view.parts[mark]);
    for (const element of lit) element.classList.add("on");
    if (mark !== null) for (const part of view.parts[mark]) part.classList.add("cur");
  }

  function draw() {
    const mark = pinned !== null ? focused ?? pinned : hovered ?? focused;
    if (mark === null) {
      light([], null);
      $("card").hidden = true;
      return;
    }
    light(view.data.mentions[mark].entities, mark);
    fillCard($("card"), view, mark, pinned === mark);
    placeCard($("card"), view.parts[mark]);
  }

  // ---- moving

  const visible = (mark) => singletons || !view.data.mentions[mark].quiet;

  function go(mark, number) {
    if (mark === undefined || mark === null) return;
    const own = view.data.mentions[mark].entities;
    entity = number ?? (own.includes(entity) ? entity : own[0] ?? null);
    const kept = entity;
    hovered = null;
    if (pinned !== null) pin(mark);
    view.badges[mark].focus({ preventScroll: true });
    entity = kept;
    view.badges[mark].scrollIntoView({ block: "nearest" });
    if (entity !== null) reveal(view.buttons[entity - 1]);
    draw();
  }

  // scroll the list, and nothing but the list, to a row
  function reveal(button) {
    const side = $("entities"), box = side.getBoundingClientRect(), row = button.getBoundingClientRect();
    const top = box.top + side.querySelector(".tools").offsetHeight;
    if (row.top < top) side.scrollTop -= top - row.top + 8;
    else if (row.bottom > box.bottom) side.scrollTop += row.bottom - box.bottom + 8;
  }

  function pin(mark) {
    if (pinned !== null) view.badges[pinned].removeAttribute("aria-pressed");
    pinned = mark;
    if (mark !== null) view.badges[mark].setAttribute("aria-pressed", "true");
  }

  function clear() {
    if (view) pin(null);
    focused = hovered = null;
    if (view && view.article.contains(document.activeElement)) document.activeElement.blur();
    if (view) draw();
  }

  // the next of `marks` after the last one visited, round and round
  function step(marks, way) {
    const open = marks.filter(visible);
    if (!open.length) return;
    const here = last === null ? -1 : view.place[last];
    const ordered = open.slice().sort((a, b) => view.place[a] - view.place[b]);
    const next = way > 0
      ? ordered.find((mark) => view.place[mark] > here) ?? ordered[0]
      : ordered.findLast((mark) => view.place[mark] < here) ?? ordered[ordered.length - 1];
    go(next, marks === view.order ? undefined : entity);
  }

  function along(way) {
    if (entity === null) return false;
    step(view.data.entities[entity - 1].mentions, way);
  }

  function across(way) {
    const items = listed().filter((item) => item.group.mentions.length);
    if (!items.length) return;
    const here = items.findIndex((item) => item.group.number === entity);
    const next = here < 0 ? (way > 0 ? 0 : items.length - 1) : (here + way + items.length) % items.length;
    const { group } = items[next];
    go(group.mentions[0], group.number);
  }

  function inward() {
    if (last !== null) go((view.inner[last] ?? []).find(visible));
  }

  function outward() {
    let mark = last === null ? null : view.data.mentions[last].outer;
    while (mark !== null && !visible(mark)) mark = view.data.mentions[mark].outer;
    go(mark);
  }

  // ---- events

  const markOf = (target) => {
    let part = target.closest(".m");
    while (part && !visible(+part.dataset.m)) part = part.parentElement.closest(".m");
    return part && view.article.contains(part) ? +part.dataset.m : null;
  };

  $("texts").addEventListener("mouseover", (event) => {
    const mark = markOf(event.target);
    if (mark === hovered) return;
    hovered = mark;
    if (pinned === null) draw();
  });
  $("texts").addEventListener("mouseleave", () => {
    hovered = null;
    if (pinned === null) draw();
  });
  $("texts").addEventListener("focusin", (event) => {
    const mark = markOf(event.target);
    if (mark === null || !event.target.classList.contains("b")) return;
    focused = last = mark;
    const own = view.data.mentions[mark].entities;
    if (!own.includes(entity)) entity = own[0] ?? null;
    event.target.setAttribute("aria-describedby", "card");
    draw();
  });
  $("texts").addEventListener("focusout", (event) => {
    event.target.removeAttribute("aria-describedby");
    focused = null;
    draw();
  });
  $("texts").addEventListener("click", (event) => {
    const mark = markOf(event.target);
    if (mark === null) {
      if (!event.target.closest("summary") && getSelection().isCollapsed) clear();
      return;
    }
    if (!getSelection().isCollapsed) return; // the text is being selected
    pin(pinned === mark ? null : mark);
    last = mark;
    entity = view.data.mentions[mark].entities[0] ?? null;
    view.badges[mark].focus({ preventScroll: true });
    draw();
  });

  $("list").addEventListener("mouseover", (event) => {
    const button = event.target.closest("button");
    if (button && pinned === null) light([+button.dataset.e], null);
  });
  $("list").addEventListener("mouseleave", draw);
  $("list").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    const group = button && view.data.entities[button.dataset.e - 1];
    if (!group || !group.mentions.length) return;
    pin(group.mentions[0]);
    go(group.mentions[0], group.number);
  });

  $("filter").addEventListener("input", filter);
  $("filter").addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.target.value = "";
      filter();
      event.target.blur();
    } else if (event.key === "Enter" || event.key === "ArrowDown") {
      const [first] = listed();
      if (first) event.key === "Enter" ? first.firstChild.click() : first.firstChild.focus();
    } else return;
    event.preventDefault();
  });
  $("singletons").addEventListener("change", (event) => toggle(event.target.checked));
  for (const name of ["size", "first"]) $(`by-${name}`).addEventListener("click", () => { sort = name; arrange(); });
  $("pick").addEventListener("change", (event) => show(event.target.selectedIndex));
  $("back").addEventListener("click", () => show(at - 1));
  $("forth").addEventListener("click", () => show(at + 1));
  $("help").addEventListener("click", () => $("keys").showModal());
  addEventListener("resize", draw);

  // a badge is a button in the line of the text, which <button> cannot be
  const press = () => {
    if (focused === null) return false;
    document.activeElement.click();
  };

  const keys = {
    Enter: press,
    " ": press,
    n: () => step(view.order, 1),
    p: () => step(view.order, -1),
    j: () => along(1),
    k: () => along(-1),
    ArrowDown: () => (focused === null ? false : along(1)),
    ArrowUp: () => (focused === null ? false : along(-1)),
    "[": inward,
    "]": outward,
    e: () => across(1),
    E: () => across(-1),
    "/": () => $("filter").focus(),
    s: () => toggle(!singletons),
    d: () => show(at + 1),
    D: () => show(at - 1),
    "?": () => $("keys").showModal(),
    Escape: clear,
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || !view) return;
    if (event.target.closest("input[type=search], select, dialog")) return;
    const act = Object.hasOwn(keys, event.key) && keys[event.key];
    if (act && act() !== false) event.preventDefault();
  });

  for (const article of articles) $("pick").append(make("option", "", article.querySelector("h2").textContent));
  $("picker").hidden = articles.length < 2;
  show(0);
})();
