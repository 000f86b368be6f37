"use strict";
// The common part of both reports: elements, numbers as text, tables, figures that follow their width, the
// theme and printing.

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {}))
    if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}
const html = (name, attributes, ...children) =>
  fill(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
const titled = (text) => svg("title", {}, text);

// ------------------------------------------------------------------------------- numbers as text

// Three digits and more as people write them; never "1e+3".
function digits(value, most = 3) {
  if (value === 0) return "0";
  const before = Math.max(0, Math.floor(Math.log10(Math.abs(value))) + 1);
  return value.toFixed(Math.min(12, Math.max(0, most - before)));
}
const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");
const percent = (share) => (100 * share).toFixed(1) + "\u00a0%";
function time(seconds) {
  for (const [unit, scale] of [["s", 1], ["ms", 1e-3], ["µs", 1e-6]])
    if (seconds >= scale || unit === "µs") return digits(seconds / scale, 4) + "\u00a0" + unit;
}
function bytes(count) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  for (; count >= 1024 && unit + 1 < units.length; ++unit) count /= 1024;
  return digits(count, 3) + "\u00a0" + units[unit];
}
// One sample has none.
const spread = (trial) => (trial.samples > 1 ? percent(trial.spread) : "–");
const rate = (gigabytes) => digits(gigabytes, 3) + "\u00a0GB/s";
const factor = (ratio) => (ratio < 10 ? ratio.toFixed(2) : digits(ratio, 3)) + "×";
const plural = (count, word) => grouped(count) + " " + word + (count === 1 ? "" : "s");

// Round values from 0 (or `low`) to at least `high`.
function ticks(high, about = 5, low = 0) {
  const step = (high - low) / about || 1;
  const power = 10 ** Math.floor(Math.log10(step));
  const nice = [1, 2, 2.5, 5, 10].find((n) => n * power >= step) * power;
  const all = [];
  for (let i = Math.ceil(low / nice - 1e-9); i * nice <= high * (1 + 1e-9); ++i)
    all.push(Number((i * nice).toPrecision(12)));
  return all;
}

// ------------------------------------------------------------------------------ tables and tiles

// A long name may break behind a brace or a comma.
const breakable = (name) => name.split(/(?<=[{,_])/).flatMap((part, i) => (i ? [html("wbr"), part] : [part]));

// Where a table is wider than its place, each row becomes a list of its titled cells: nothing is cut.
function stackWhereItOverflows(place) {
  let last = 0;
  new ResizeObserver(() => {
    if (place.clientWidth === last) return;
    last = place.clientWidth;
    place.classList.remove("stacked");
    place.classList.toggle("stacked", place.scrollWidth > place.clientWidth);
  }).observe(place);
}

// columns: [title, is a number]; rows: {cells, won, bad, key}; the first cell names the row.
function table(id, caption, columns, rows) {
  const cell = (text, i, row) =>
    html(i === 0 ? "th" : "td",
         {scope: i === 0 ? "row" : undefined,
          "data-title": i === 0 ? undefined : columns[i][0],
          class: [columns[i][1] ? "n" : "", row.bad === i ? "bad" : ""].join(" ").trim() || undefined},
         ...(typeof text === "string" ? breakable(text) : [text]));
  byId(id).replaceChildren(html("table", {},
    html("caption", {}, caption),
    html("thead", {}, html("tr", {}, ...columns.map(([title, number]) =>
      html("th", {scope: "col", class: number ? "n" : undefined}, ...breakable(title))))),
    html("tbody", {}, ...rows.map((row) =>
      html("tr", {class: row.won ? "won" : undefined, "data-key": row.key},
           ...row.cells.map((text, i) => cell(text, i, row)))))));
  byId(id).setAttribute("tabindex", "0");  // scrolls by keys
  byId(id).setAttribute("role", "region");
  byId(id).setAttribute("aria-label", caption);
  stackWhereItOverflows(byId(id));
}

function tiles(entries) {
  byId("tiles").replaceChildren(...entries.map(([name, value, unit]) =>
    html("div", {}, html("dt", {}, name),
         html("dd", {}, value, unit ? html("small", {}, unit) : null))));
}

// Sets variants in a text apart: the strategy's name, and its config smaller. The text stays the same.
function setApart(node, variants) {
  for (const variant of [...variants].sort((a, b) => b.length - a.length))
    for (const part of [...node.childNodes].filter((one) => one.nodeType === Node.TEXT_NODE)) {
      const at = part.data.indexOf(variant);
      if (at < 0) continue;
      const rest = part.splitText(at);
      rest.splitText(variant.length);
      const [name, config] = [variant.split("{")[0], variant.slice(variant.split("{")[0].length)];
      rest.replaceWith(html("code", {}, name, config ? html("span", {}, config) : null));
    }
}

// -------------------------------------------------------------------------------------- figures

// Draws into an element now and whenever its width changes: draw(width) returns [height, label,
// ...children]. Returns the function that draws again.
function figure(id, draw) {
  const place = byId(id);
  let last = 0;
  const again = () => {
    last = Math.floor(place.clientWidth) || 600;
    const [height, label, ...children] = draw(last);
    place.replaceChildren(svg("svg", {viewBox: `0 0 ${last} ${height}`, role: "img",
                                      "aria-label": label}, ...children));
  };
  new ResizeObserver(() => {
    if (Math.floor(place.clientWidth) !== last) again();
  }).observe(place);
  again();
  return again;
}

function text(x, y, content, more = {}) {
  return svg("text", {x, y, "font-size": 13, ...more}, content);
}

// A hatch in a colour, to be named as fill="url(#id)".
function hatch(id, colour) {
  return svg("pattern", {id, width: 6, height: 6, patternUnits: "userSpaceOnUse",
                         patternTransform: "rotate(45)"},
             svg("rect", {width: 6, height: 6, style: `fill: ${colour}; opacity: .28`}),
             svg("rect", {width: 2.4, height: 6, style: `fill: ${colour}`}));
}

const symbols = [
  (r) => svg("circle", {r}),
  (r) => svg("rect", {x: -r, y: -r, width: 2 * r, height: 2 * r}),
  (r) => svg("path", {d: `M0 ${-1.25 * r}L${1.2 * r} ${r}H${-1.2 * r}Z`}),
  (r) => svg("path", {d: `M0 ${-1.4 * r}L${1.4 * r} 0L0 ${1.4 * r}L${-1.4 * r} 0Z`}),
  (r) => svg("path", {d: `M${-r} ${-r}L${r} ${r}M${r} ${-r}L${-r} ${r}`, "stroke-width": 2.2, fill: "none"}),
  (r) => svg("path", {d: `M0 ${1.25 * r}L${1.2 * r} ${-r}H${-1.2 * r}Z`}),
  (r) => svg("path", {d: `M0 ${-1.3 * r}V${1.3 * r}M${-1.3 * r} 0H${1.3 * r}`, "stroke-width": 2.4, fill: "none"}),
  (r) => svg("circle", {r, fill: "none", "stroke-width": 2}),
];
// The i-th series' mark at a point: a colour and a shape, so that neither has to say it alone.
function mark(series, x, y, r = 4) {
  return svg("g", {transform: `translate(${x} ${y})`, style: series.ink}, symbols[series.shape](r));
}
function styleOf(i, roof = false) {
  const colour = roof ? "var(--roof)" : `var(--s${i % 7})`;
  return {shape: i % 8, colour, ink: `fill: ${colour}; stroke: ${colour}`,
          dash: roof ? "6 4" : undefined};
}

// Buttons that bring one series forward: marks carry data-series.
function legend(id, series, figureId) {
  let chosen = null;
  const show = (index) => {
    for (const node of byId(figureId).querySelectorAll("[data-series]"))
      node.classList.toggle("faded", index !== null && node.dataset.series !== String(index));
  };
  const buttons = series.map((one, i) => {
    const button = html("button", {type: "button", "aria-pressed": "false"},
      svg("svg", {viewBox: "0 0 30 14", "aria-hidden": "true"},
          svg("line", {x1: 0, x2: 30, y1: 7, y2: 7, "stroke-width": 2,
                       "stroke-dasharray": one.dash, style: one.ink}),
          mark(one, 15, 7)), one.name);
    button.addEventListener("click", () => {
      chosen = chosen === i ? null : i;
      buttons.forEach((b, j) => b.setAttribute("aria-pressed", String(j === chosen)));
      show(chosen);
    });
    button.addEventListener("pointerenter", () => show(i));
    button.addEventListener("pointerleave", () => show(chosen));
    return button;
  });
  byId(id).replaceChildren(...buttons);
}

// ----------------------------------------------------- sectors and wavefronts against the fewest

// rows: {name, bars: [{name, value, ideal, hardware}]}
function excessBars(id, rows, unit) {
  figure(id, (width) => {
    const most = Math.max(1, ...rows.flatMap((row) => row.bars.map((b) => Math.max(b.value, b.hardware || 0))));
    const left = 48, right = 108, scale = (value) => value / most * (width - left - right);
    const parts = [svg("defs", {}, hatch(id + "-hatch", "var(--roof)"))];
    let y = 0;
    for (const row of rows) {
      if (row.name) parts.push(text(0, y + 16, row.name, {class: "code", "font-weight": 600, "font-size": Math.min(12.5, width / (0.65 * row.name.length))}));
      y += row.name ? 24 : 4;
      for (const bar of row.bars) {
        const excess = bar.value - bar.ideal;
        parts.push(text(0, y + 12, bar.name, {class: "soft", "font-size": 12}),
          svg("g", {"data-bar": `${row.key || row.name}/${bar.name}`, "data-value": bar.value},
              titled(`${row.name} ${bar.name}: ${grouped(bar.value)} ${unit}, fewest ${grouped(bar.ideal)}`),
              svg("rect", {x: left, y, width: Math.max(scale(Math.min(bar.value, bar.ideal)), bar.value ? 1.5 : 0),
                           height: 15, rx: 2, style: "fill: var(--accent)"}),
              excess > 0 ? svg("rect", {x: left + scale(bar.ideal), y, width: scale(excess), height: 15, rx: 2,
                                        fill: `url(#${id}-hatch)`}) : null),
          text(left + scale(Math.max(bar.value, bar.hardware || 0)) + 8, y + 12,
               bar.value === 0 ? "none" : compact(bar.value) + (excess > 0 ? ` · ${factor(bar.value / bar.ideal)}` : " · fewest"),
               {"font-size": 12, class: bar.value === 0 ? "soft" : undefined}));
        if (bar.hardware !== undefined)
          parts.push(svg("path", {d: `M${left + scale(bar.hardware)} ${y - 3}v21`, "stroke-width": 2.5,
                                  style: "stroke: var(--ink)"}, titled(`hardware: ${grouped(bar.hardware)}`)));
        y += 21;
      }
      y += 8;
    }
    return [Math.max(y, 20), `Bars of ${unit}: ` + rows.map((row) => `${row.name} ` +
      row.bars.map((b) => `${b.name} ${grouped(b.value)}, fewest ${grouped(b.ideal)}`).join(", ")).join("; "), ...parts];
  });
}
function compact(count) {
  for (const [unit, scale] of [["G", 1e9], ["M", 1e6], ["k", 1e3]])
    if (count >= scale) return digits(count / scale, 3) + unit;
  return String(count);
}

// ----------------------------------------------------------------------------- theme and printing

(function theme() {
  const root = document.documentElement;
  const button = byId("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  const say = () => {
    button.textContent = isDark() ? "☀ Light" : "☾ Dark";
    button.setAttribute("aria-label", isDark() ? "Use the light theme" : "Use the dark theme");
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    say();
  });
  system.addEventListener("change", say);
  say();
})();

let opened = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not([open])")];
  for (const one of opened) one.open = true;
});
addEventListener("afterprint", () => opened.forEach((one) => (one.open = false)));
