// The page works without this: it adds search over all judgments, the theme and copying. Foreign
// text only ever becomes text (textContent), never markup.
"use strict";
(() => {
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);

  // What a terminal or a reader would obey or not see is spelled out, as on the rest of the page.
  const RISKY = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]|\udb40[\udc00-\udc7f]/g;
  const visible = (text) => text.replace(/[\ud800-\udbff][\udc00-\udfff]|[\s\S]/gu, (sign) =>
    sign.length > 1 && !/^\udb40/.test(sign) ? sign : sign.replace(RISKY, (found) =>
      "⟨U+" + found.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + "⟩"));

  byId("theme").addEventListener("click", () => {
    const dark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  const copy = byId("copy");
  copy.addEventListener("click", async () => {
    const area = byId("methods-text");
    area.select();
    try {
      await navigator.clipboard.writeText(area.value);
    } catch {
      document.execCommand("copy"); // a page opened from a file may have no clipboard of its own
    }
    byId("copied").textContent = "copied";
  });

  // --- all judgments ----------------------------------------------------------------------------

  const data = JSON.parse(byId("data").textContent);
  const { rows, items, texts, columns, accept, differs } = data;
  const total = rows.item.length;
  // An item's judgments stand together, in the order of the plan.
  const order = Array.from({ length: total }, (_, row) => row)
    .sort((a, b) => rows.item[a] - rows.item[b] || rows.column[a] - rows.column[b]);
  const text = (place) => (place < 0 ? "" : texts[place]);
  const HEIGHT = 34;
  const MOST = 30000000 / HEIGHT | 0; // browsers cut elements that are taller
  const grid = byId("grid");
  const spacer = grid.querySelector(".spacer");
  const count = byId("count");
  let shown = [];
  let selected = -1;

  const options = (select, values) => {
    for (const [value, name] of values) {
      const option = document.createElement("option");
      option.value = value;
      option.textContent = visible(name);
      select.append(option);
    }
  };
  const distinct = (list) => [...new Set(list)].filter((place) => place >= 0)
    .map((place) => [String(place), texts[place]]).sort((a, b) => a[1].localeCompare(b[1]));
  options(byId("by-column"), columns.map((name, place) => [String(place), name]));
  options(byId("by-type"), distinct(items.type));
  options(byId("by-label"), [...distinct(rows.label), ["-1", "undecided"]]);
  options(byId("by-reason"), distinct(rows.reason));

  // Each distinct text is searched once, whatever the number of rows that use it.
  const lower = [];
  const holding = (needle) => {
    const found = new Uint8Array(texts.length);
    for (let place = 0; place < texts.length; place += 1) {
      lower[place] ??= texts[place].toLowerCase();
      found[place] = lower[place].includes(needle) ? 1 : 0;
    }
    return found;
  };

  const search = () => {
    const needle = byId("search").value.trim().toLowerCase();
    const chosen = (id) => (byId(id).value === "" ? null : Number(byId(id).value));
    const column = chosen("by-column");
    const type = chosen("by-type");
    const label = chosen("by-label");
    const reason = chosen("by-reason");
    const only = byId("differing").checked;
    const hit = needle ? holding(needle) : null;
    const idHit = needle ? items.id.map((id) => id.toLowerCase().includes(needle)) : null;
    const meets = (row) => {
      const item = rows.item[row];
      if (column !== null && rows.column[row] !== column) return false;
      if (type !== null && items.type[item] !== type) return false;
      if (label !== null && rows.label[row] !== label) return false;
      if (reason !== null && rows.reason[row] !== reason) return false;
      if (only && !differs[item]) return false;
      if (!hit) return true;
      const places = [items.question[item], items.gold[item], rows.response[row], rows.reply[row], rows.label[row]];
      return idHit[item] || places.some((place) => place >= 0 && hit[place]);
    };
    shown = [];
    for (const row of order) if (meets(row)) shown.push(row);
    selected = -1;
    const found = new Set(shown.map((row) => rows.item[row])).size;
    count.textContent = `${shown.length.toLocaleString("en")} of ${total.toLocaleString("en")} judgments, ${found.toLocaleString("en")} items`;
    spacer.style.height = `${Math.min(shown.length, MOST) * HEIGHT}px`;
    grid.setAttribute("aria-rowcount", String(shown.length));
    grid.scrollTop = 0;
    draw();
  };

  const sign = (row) => {
    const place = rows.label[row];
    const right = accept[rows.column[row]];
    const mark = document.createElement("span");
    const kind = place < 0 ? "q" : right < 0 ? "" : place === right ? "y" : "n";
    mark.className = `sign ${kind}`;
    mark.textContent = place < 0 ? "?" : visible(texts[place]).slice(0, 3);
    mark.title = place < 0 ? `undecided: ${text(rows.reason[row])}` : visible(texts[place]);
    return mark;
  };

  const cell = (value) => {
    const span = document.createElement("span");
    span.setAttribute("role", "gridcell");
    span.dir = "auto";
    span.textContent = visible(value).slice(0, 400);
    return span;
  };

  // Only the rows in view stand in the page; the spacer has the height of all of them.
  const draw = () => {
    const first = Math.max(0, Math.floor(grid.scrollTop / HEIGHT) - 4);
    const last = Math.min(shown.length, MOST, first + Math.ceil(grid.clientHeight / HEIGHT) + 10);
    const parts = document.createDocumentFragment();
    for (let place = first; place < last; place += 1) {
      const row = shown[place];
      const item = rows.item[row];
      const line = document.createElement("div");
      line.className = "row";
      line.id = `row-${place}`;
      line.setAttribute("role", "row");
      line.setAttribute("aria-rowindex", String(place + 1));
      line.setAttribute("aria-selected", String(place === selected));
      line.style.top = `${place * HEIGHT}px`;
      line.dataset.place = String(place);
      const mark = sign(row);
      mark.setAttribute("role", "gridcell");
      line.append(
        cell(items.id[item]), cell(columns[rows.column[row]]), mark,
        cell(text(items.question[item]) || text(items.type[item])), cell(text(rows.reply[row])),
      );
      parts.append(line);
    }
    spacer.replaceChildren(parts);
    if (selected >= 0) grid.setAttribute("aria-activedescendant", `row-${selected}`);
    else grid.removeAttribute("aria-activedescendant");
  };

  const block = (name, value) => {
    const head = document.createElement("h4");
    head.textContent = name;
    const body = document.createElement("div");
    body.className = "foreign";
    body.dir = "auto";
    body.textContent = value === "" ? "(not in this file)" : visible(value);
    return [head, body];
  };

  const ofItem = (item) => {
    const found = [];
    for (let row = 0; row < total; row += 1) if (rows.item[row] === item) found.push(row);
    return found;
  };

  const open = (place) => {
    selected = place;
    draw();
    const row = shown[place];
    const item = rows.item[row];
    const panel = byId("detail");
    const title = document.createElement("h3");
    title.textContent = visible(items.id[item]);
    const kind = document.createElement("span");
    kind.className = "soft small";
    kind.textContent = ` ${visible(text(items.type[item]))}`;
    title.append(kind);
    const parts = [title, ...block("question", text(items.question[item])), ...block("gold", text(items.gold[item]))];
    const answers = new Map();
    for (const each of ofItem(item)) {
      const found = answers.get(rows.response[each]) ?? [];
      found.push(each);
      answers.set(rows.response[each], found);
    }
    for (const [response, judged] of answers) {
      parts.push(...block("answer", text(response)));
      const table = document.createElement("table");
      for (const each of judged) {
        const line = document.createElement("tr");
        const name = document.createElement("td");
        name.textContent = columns[rows.column[each]];
        const label = document.createElement("td");
        label.append(sign(each));
        const reply = document.createElement("td");
        reply.dir = "auto";
        reply.className = "foreign";
        reply.textContent = visible(text(rows.reply[each])) || visible(text(rows.reason[each]));
        const prior = document.createElement("td");
        prior.className = "soft";
        prior.textContent = rows.prior[each] < 0 ? "" : `before: ${visible(text(rows.prior[each]))}`;
        line.append(name, label, reply, prior);
        table.append(line);
      }
      const holder = document.createElement("div");
      holder.className = "scroll";
      holder.append(table);
      parts.push(holder);
    }
    panel.replaceChildren(...parts);
    byId("opened").textContent = `${items.id[item]} is shown below the list`;
  };

  grid.addEventListener("scroll", draw, { passive: true });
  grid.addEventListener("click", (event) => {
    const line = event.target.closest(".row");
    if (line) open(Number(line.dataset.place));
  });
  grid.addEventListener("keydown", (event) => {
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12, Home: -total, End: total };
    if (event.key === "Enter" && selected >= 0) open(selected);
    if (!(event.key in moves) || !shown.length) return;
    event.preventDefault();
    selected = Math.min(shown.length - 1, Math.max(0, selected + moves[event.key]));
    const top = selected * HEIGHT;
    if (top < grid.scrollTop) grid.scrollTop = top;
    if (top + HEIGHT > grid.scrollTop + grid.clientHeight) grid.scrollTop = top + HEIGHT - grid.clientHeight;
    draw();
  });
  let waiting = 0;
  byId("search").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 120);
  });
  for (const id of ["by-column", "by-type", "by-label", "by-reason", "differing"]) {
    byId(id).addEventListener("change", search);
  }
  search();
  root.dataset.ready = "yes";
})();
