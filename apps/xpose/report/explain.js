// The report of an explanation: figures, and the picture of one warp's accesses.

const simulation = data.simulation, hardware = data.hardware;
const sites = simulation ? simulation.kernels.flatMap((kernel) => kernel.sites.map((site) => ({...site, kernel: kernel.name}))) : [];
const whereOf = ({where}) => where.file ? `${where.file.split("/").pop()}:${where.line}` : "no line";
const nameOf = (site) => `${site.space} ${site.kind}, ${whereOf(site)}`;

// ------------------------------------------------------------------------------------- the warp

const shownTotal = sites.length;
const lanesHint = "Point at a lane, or walk over them with the arrow keys, to read what it does.";
let at = 0, step = 0, colour = "order", chosen = null, seen = null, redraw = null;

function colourOf(one) {
  return colour === "bank" && seen.shared ? bankColour(one.bank) : orderColour(one.order, seen.steps);
}
const isDim = (one) => step !== 0 && one.order !== step;

function laneSentence(one) {
  const {site} = seen;
  const verb = site.kind === "load" ? "reads" : "writes";
  const begin = `lane ${one.lane} ${verb} ${plural(site.lane_bytes, "byte")} at byte ${grouped(one.offset)}`;
  if (seen.shared) {
    const bank = one.words.length > 1 ? `banks ${one.bank}–${one.words[one.words.length - 1] % banks}` : `bank ${one.bank}`;
    return `${begin} of the tile: ${bank}, word ${grouped(one.words[0])}, wavefront ${one.order} of ${seen.steps}`;
  }
  return `${begin} of the buffer: sector ${grouped(one.sector)}, ${one.order} of ${seen.steps}`;
}

function choose(lane, focus = false) {
  chosen = lane;
  const one = seen.lanes.find((each) => each.lane === lane);
  byId("lane-text").textContent = one ? laneSentence(one) + "." : lane === null ? lanesHint : `lane ${lane} is not active here.`;
  [...byId("lanes").children].forEach((button, i) => {
    button.classList.toggle("at", i === lane);
    button.tabIndex = i === (lane === null ? 0 : lane) ? 0 : -1;
    if (focus && i === lane) button.focus();
  });
  for (const node of byId("warp-figure").querySelectorAll("[data-lanes]"))
    node.querySelector("rect").style.stroke = node.dataset.lanes.split(" ").includes(String(lane)) ? "var(--ink)" : "none";
}

function drawLanes() {
  const strip = byId("lanes");
  const had = strip.contains(document.activeElement);
  strip.replaceChildren(...Array.from({length: 32}, (_, lane) => {
    const one = seen.lanes.find((each) => each.lane === lane);
    const [back, ink] = one ? colourOf(one) : [];
    const button = html("button", {type: "button", class: one ? (isDim(one) ? "dim" : undefined) : "off",
      "aria-label": one ? laneSentence(one) : `lane ${lane} is not active`}, String(lane));
    if (one) Object.assign(button.style, {background: back, color: ink});
    button.addEventListener("pointerenter", () => choose(lane));
    button.addEventListener("focus", () => choose(lane));
    return button;
  }));
  choose(chosen, had);
}

byId("lanes").addEventListener("keydown", (event) => {
  const move = {ArrowRight: 1, ArrowLeft: -1, ArrowDown: 8, ArrowUp: -8}[event.key];
  const target = event.key === "Home" ? 0 : event.key === "End" ? 31 : move ? ((chosen || 0) + move + 32) % 32 : null;
  if (target === null) return;
  event.preventDefault();
  choose(target, true);
});

// The rows of so many words to show: all of a small tile, else those that are touched, with gaps.
function rowsOf(across) {
  const touched = new Set([...seen.words.keys()].map((word) => Math.floor(word / across)));
  if (seen.shared) {
    const same = sites.filter((site) => site.space === "shared" && site.kernel === seen.site.kernel);
    const last = Math.max(...same.flatMap((site) => [...access(site).words.keys()])) / across;
    if (last < 48) return Array.from({length: Math.floor(last) + 1}, (_, row) => row);
  }
  const rows = [];
  for (const row of [...touched].sort((a, b) => a - b)) {
    const before = rows.length ? rows[rows.length - 1] : row - 1;
    if (row === before + 2) rows.push(row - 1);
    else if (row > before + 1) rows.push({gap: row - before - 1});
    rows.push(row);
  }
  return rows;
}

// A sector behind its 8 words: whether it moves.
function sectorBox(sector, x, y, width, height) {
  const moves = seen.sectors.includes(sector);
  return svg("rect", {x: x + 1.5, y: y - 0.5, width: width - 3, height, rx: 4, "data-sector": moves ? sector : undefined,
    style: moves ? "fill: color-mix(in oklch, var(--roof) 20%, transparent); stroke: var(--roof)" : "fill: none; stroke: var(--line)"});
}

// A word that lanes ask for.
function wordBox(word, by, box, size) {
  const [back, ink] = colourOf(by[0]);
  const names = by.length === 1 ? String(by[0].lane) : by[0].lane + "+";
  const group = svg("g", {class: "mark" + (by.every(isDim) ? " faded" : ""), "data-lanes": by.map((one) => one.lane).join(" "), "data-word": word},
    svg("rect", {...box, "stroke-width": 2.5, style: `fill: ${back}`}),
    size < 8.5 ? null : text(box.x + box.width / 2, box.y + box.height / 2 + size * 0.36, names,
                             {"text-anchor": "middle", "font-size": size.toFixed(1), "font-weight": 600, style: `fill: ${ink}`}),
    titled(by.map(laneSentence).join("; ")));
  group.addEventListener("pointerenter", () => choose(by[0].lane));
  return group;
}

function drawWarp(width) {
  const narrow = width < 640;
  const across = narrow && !seen.shared ? 16 : banks;  // words in a row
  const left = narrow ? 46 : 78;
  const cell = (width - left) / across;
  const tall = Math.max(13, Math.min(22, cell * 0.72));
  const size = Math.min(12, cell * 0.5);
  const parts = [text(0, 12, seen.shared ? "bank" : "word", {class: "soft", "font-size": 11.5})];
  for (let i = 0; i < across; i += narrow || !seen.shared ? 8 : 1)
    parts.push(text(left + (i + 0.5) * cell, 12, String(i), {class: "soft", "text-anchor": "middle", "font-size": 11}));
  let y = narrow ? 18 : 22;
  const rows = rowsOf(across);
  for (const row of rows) {
    if (row.gap) {
      parts.push(text(left + 4, y + 10, `⋮ ${bytes(row.gap * across * wordBytes)} between`, {class: "soft", "font-size": 11}));
      y += 15;
      continue;
    }
    parts.push(text(left - 8, y + tall / 2 + 4, offsetText(seen.shared, row, rows[0], across * wordBytes), {class: "soft code", "text-anchor": "end", "font-size": 10.5}));
    if (!seen.shared)
      for (let s = 0; s < across / 8; ++s) parts.push(sectorBox(row * across / 8 + s, left + 8 * s * cell, y, 8 * cell, tall + 1));
    for (let i = 0; i < across; ++i) {
      const by = seen.words.get(row * across + i);
      const inset = seen.shared ? (narrow ? 0.5 : 1) : 2.5;
      const box = {x: left + i * cell + inset, y: y + 1, width: cell - 2 * inset, height: tall - 2, rx: 2.5};
      if (by) parts.push(wordBox(row * across + i, by, box, size));
      else if (seen.shared)
        parts.push(svg("rect", {...box, style: colour === "bank" ? `fill: ${bankColour(i)[0]}; opacity: .22` : "fill: var(--sunk)"}));
    }
    y += tall + (seen.shared ? 1 : 4);
  }
  return [y + 2, `${nameOf(seen.site)}: ${verdictOn(seen)[1]} ` + (step ? `${seen.shared ? "Wavefront" : "Sector"} ${step} of ${seen.steps} is brought forward.` : ""), ...parts];
}
function drawKey() {
  const swatch = (style, words, ramp) => html("span", {}, html("i", {class: ramp ? "ramp" : undefined, style}), words);
  const [first] = orderColour(1, Math.max(2, seen.steps)), [mid] = orderColour(2, 3), [last] = orderColour(2, 2);
  const ramp = seen.steps > 1 ? swatch(`background: linear-gradient(90deg, ${first}, ${mid}, ${last})`, `first to last ${seen.shared ? "wavefront" : "sector"}`, true)
                              : swatch(`background: ${orderColour(1, 1)[0]}`, "the one wavefront");
  byId("warp-key").replaceChildren(...(seen.shared
    ? [colour === "bank" ? swatch(`background: ${bankColour(0)[0]}`, "a colour for each bank") : ramp, swatch("background: var(--sunk)", "not touched")]
    : [ramp, swatch("background: color-mix(in oklch, var(--roof) 20%, transparent); border: 1px solid var(--roof)", "a sector that moves")]),
    html("span", {}, "numbers are lanes; + is several lanes of one word"));
}

function showSite() {
  const site = sites[at];
  seen = access(site);
  step = Math.min(step, seen.steps);
  const [good, sentence] = verdictOn(seen);
  byId("site").value = at;
  byId("site-text").textContent = `${at + 1} of ${shownTotal}: ${nameOf(site)}`;
  byId("site").setAttribute("aria-valuetext", `${at + 1} of ${shownTotal}: ${nameOf(site)}`);
  const stepName = seen.shared ? "wavefront" : "sector";
  byId("step-name").textContent = seen.shared ? "Wavefront" : "Sector";
  byId("order-name").textContent = stepName;
  byId("step").max = seen.steps;
  byId("step").value = step;
  byId("step-text").textContent = step ? `${step} of ${seen.steps}` : `all ${seen.steps}`;
  byId("step").setAttribute("aria-valuetext", step ? `${stepName} ${step} of ${seen.steps}` : `all ${plural(seen.steps, stepName)}`);
  byId("colour").hidden = !seen.shared;
  byId("site-sentence").textContent = sentence;
  byId("site-sentence").className = "verdict " + (good ? "good" : "bad");
  byId("site-sentence").dataset.sign = good ? "✓" : "✗";
  drawLanes();
  if (redraw) redraw();
  else redraw = figure("warp-figure", drawWarp);
  choose(chosen);
  drawKey();
  table("warp-table", `Lanes of ${nameOf(site)}: block ${grouped(site.example.block)}, warp ${site.example.warp}`,
    [["lane"], ["byte", 1], ["bank", 1], ["word", 1], ["sector", 1], [stepName + " in order", 1]],
    seen.lanes.map((one) => ({key: String(one.lane), cells: [String(one.lane), grouped(one.offset), seen.shared ? String(one.bank) : "–",
      grouped(one.words[0]), seen.shared ? "–" : grouped(one.sector), String(one.order)]})));
  for (const row of document.querySelectorAll("#lines-table tbody tr"))
    row.classList.toggle("at", row.dataset.key === String(at));
}

function goTo(index) {
  at = Math.max(0, Math.min(shownTotal - 1, index));
  step = 0;
  chosen = null;
  showSite();
}

if (sites.length > 0) {
  byId("site").max = shownTotal - 1;
  byId("site").addEventListener("input", () => goTo(Number(byId("site").value)));
  byId("step").addEventListener("input", () => {
    step = Number(byId("step").value);
    showSite();
  });
  byId("previous").addEventListener("click", () => goTo(at - 1));
  byId("next").addEventListener("click", () => goTo(at + 1));
  for (const radio of document.querySelectorAll("[name=colour]"))
    radio.addEventListener("change", () => {
      colour = radio.value;
      showSite();
    });
} else {
  byId("warp-body").replaceChildren(html("p", {class: "note"}, data.no_simulation || "The simulator saw no access."));
}

// ----------------------------------------------------------------------------------- the figures

const totalNames = [["load_sectors", "global load sectors"], ["store_sectors", "global store sectors"],
  ["load_requests", "global load requests"], ["store_requests", "global store requests"],
  ["load_wavefronts", "shared load wavefronts"], ["store_wavefronts", "shared store wavefronts"]];

(function drawFigures() {
  const rows = totalNames.map(([key, name]) => {
    const m = simulation && simulation.totals[key], h = hardware && hardware.totals[key];
    const ideal = simulation && simulation.totals["ideal_" + key];
    const difference = m === null || h === null ? "–" : m === h ? "none" : m === 0 ? `+${grouped(h)}` :
      (h > m ? "+" : "−") + percent(Math.abs(h - m) / m);
    return {key, cells: [name, simulation ? grouped(m) : "–", ideal === undefined || !simulation ? "–" : grouped(ideal), hardware ? grouped(h) : "–", difference]};
  });
  const one = (key, name, value) => rows.push({key, cells: [name, "–", "–", value, "–"]});
  if (simulation) rows.push({key: "barriers", cells: ["barriers", grouped(simulation.kernels.reduce((sum, kernel) => sum + kernel.barriers, 0)), "–", "–", "–"]});
  if (hardware) {
    one("dram_read_bytes", "DRAM bytes read", grouped(hardware.dram_read_bytes));
    one("dram_write_bytes", "DRAM bytes written", grouped(hardware.dram_write_bytes));
    one("instructions", "warp instructions", grouped(hardware.instructions));
    one("registers", "registers of a thread", grouped(hardware.registers));
    one("shared_bytes", "shared bytes of a block", grouped(hardware.shared_bytes));
    one("blocks_per_multiprocessor", "blocks of a multiprocessor", grouped(hardware.blocks_per_multiprocessor));
    one("occupancy", "occupancy", percent(hardware.occupancy));
    one("seconds", "time of a launch", time(hardware.seconds));
    one("roof_seconds", "time of the roof", time(hardware.roof_seconds));
  }
  table("figures-table", "Figures of one launch", [["figure"], ["simulator", 1], ["fewest possible", 1], ["hardware", 1], ["difference", 1]], rows);
  byId("figures-about").textContent = (simulation ? `The simulator ran ${plural(simulation.kernels.reduce((sum, kernel) => sum + kernel.launches, 0), "launch").replace("launchs", "launches")} on the host in ${time(simulation.seconds)}. Solid: the fewest that could serve the requests. Hatched: the excess of the access pattern. `
    : `No simulation: ${data.no_simulation} `) + (hardware ? "A black line is the hardware's counter." : `No hardware counters: ${data.no_hardware}`);
  if (!simulation) return void byId("access").remove();
  const bars = (unit) => [["load", "load_" + unit], ["store", "store_" + unit]].map(([name, key]) =>
    ({name, value: simulation.totals[key], ideal: simulation.totals["ideal_" + key], hardware: hardware ? hardware.totals[key] : undefined}));
  for (const unit of ["sectors", "wavefronts"]) excessBars(unit + "-figure", [{name: "", key: data.variant, bars: bars(unit)}], unit);
})();

setApart(byId("headline"), [data.variant]);

(function drawTiles() {
  const entries = [];
  const {problem} = data;
  const moved = 2 * problem.rows * problem.cols * problem.element_bytes * problem.batch.reduce((n, dim) => n * dim.extent, 1);
  if (hardware) {
    const roofShare = hardware.roof_seconds / hardware.seconds;
    entries.push(["bandwidth", ...rate(moved / hardware.seconds * 1e-9).split("\u00a0")]);
    if (hardware.roof_seconds) entries.push(["of the roof", ...percent(roofShare).split("\u00a0")]);
    entries.push(["occupancy", ...percent(hardware.occupancy).split("\u00a0")]);
  }
  if (simulation) {
    const t = simulation.totals;
    const sum = (unit) => [t["load_" + unit] + t["store_" + unit], t["ideal_load_" + unit] + t["ideal_store_" + unit]];
    for (const [unit, name] of [["sectors", "of the fewest sectors"], ["wavefronts", "of the fewest wavefronts"]]) {
      const [all, fewest] = sum(unit);
      if (fewest) entries.push([name, factor(all / fewest)]);
    }
    entries.push(["bytes read and written", ...bytes(moved).split("\u00a0")]);
  }
  tiles(entries);
})();

(function drawLines() {
  if (sites.length === 0) return void byId("lines").remove();
  table("lines-table", "Accesses by source line", [["line"], ["kernel"], ["access"], ["bytes a lane", 1], ["requests", 1], ["sectors or wavefronts", 1], ["fewest", 1], ["worst conflict", 1]],
    sites.map((site, i) => {
      const shared = site.space === "shared";
      const [count, ideal] = shared ? [site.wavefronts, site.ideal_wavefronts] : [site.sectors, site.ideal_sectors];
      const go = html("button", {type: "button"}, whereOf(site));
      go.addEventListener("click", () => {
        goTo(i);
        byId("site").focus({preventScroll: true});
        byId("warp").scrollIntoView();
      });
      return {key: String(i), bad: count > ideal ? 5 : undefined, cells: [go, site.kernel, `${site.space} ${site.kind}`, String(site.lane_bytes), grouped(site.requests),
        `${grouped(count)} ${shared ? "wavefronts" : "sectors"}`, grouped(ideal), shared ? `${site.worst_conflict}-way` : "–"]};
    }));
})();

(function drawFindings() {
  if (!simulation || simulation.findings.length === 0) return;
  byId("findings").hidden = false;
  byId("findings-list").append(...simulation.findings.map((finding) =>
    html("li", {}, html("b", {}, finding.kind.replace(/_/g, " ")), ` at ${whereOf(finding)}, block ${grouped(finding.block)}, thread ${finding.thread}: ${finding.text} (${plural(finding.times, "time")})`)));
})();

// Opens on the access that costs the most over the fewest possible.
const excess = sites.map((site) => (site.wavefronts + site.sectors) / Math.max(1, site.ideal_wavefronts + site.ideal_sectors));
if (sites.length > 0) goTo(excess.indexOf(Math.max(...excess)));
for (const link of document.querySelectorAll("nav a"))
  if (!document.querySelector(link.getAttribute("href"))) link.remove();
byId("foot").textContent = `xpose ${data.xpose}. The data of this page is the JSON in its source, which is what --json writes. ` +
  (simulation && simulation.findings.length === 0 ? "The simulator found nothing wrong with the kernel: no access out of bounds, no race, no divergent barrier, no wrong output." : "");
