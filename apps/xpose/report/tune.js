// The report of a tune: bars against the roof, the race, sizes and accesses.

const report = data.tune;
const timed = report.trials.filter((trial) => trial.seconds !== undefined);
const roof = timed.find((trial) => trial.variant === report.roof);
const winner = timed.find((trial) => trial.variant === report.winner);

// The winner speaks for its strategy, the fastest variant for any other.
function speakers() {
  const met = new Set(winner ? [winner.strategy] : []);
  return timed.filter((trial) => trial === winner || (!met.has(trial.strategy) && met.add(trial.strategy)));
}

setApart(byId("headline"), [report.winner, report.runner_up, report.roof].filter(Boolean));

(function drawTiles() {
  const entries = [];
  if (winner) {
    const [value, unit] = rate(winner.gb_per_s).split("\u00a0");
    entries.push(["bandwidth of the winner", value, unit]);
    if (roof) entries.push(["of the roof", ...percent(winner.share_of_roof).split("\u00a0")]);
    entries.push(["one call, median", ...time(winner.seconds).split("\u00a0")]);
    if (report.runner_up && report.rounds > 1) entries.push(["ahead of the runner-up", ...percent(report.margin).split("\u00a0")]);
  }
  entries.push(["variants verified and timed", grouped(timed.length), report.untried ? `+ ${grouped(report.untried)} untried` : ""]);
  entries.push([`of tuning, ${plural(report.rounds, "round")}`, ...time(report.seconds).split("\u00a0")]);
  tiles(entries);
})();

function drawBars() {
  const rows = byId("every").checked ? timed : speakers();
  const share = (trial) => roof ? percent(trial.share_of_roof) : "";
  const say = (trial) => rate(trial.gb_per_s) + (roof ? ` · ${share(trial)}` : "");
  const widest = (textOf) => 7.4 * Math.max(...rows.map((trial) => textOf(trial).length));
  figure("roof-figure", (width) => {
    const narrow = width < 700;
    const longest = Math.max(...rows.map((t) => t.variant.length + (t.role === "copy" ? 7 : 2)));
    const left = narrow ? 0 : Math.min(0.44 * width, 24 + 7.9 * longest);
    const nameSize = Math.min(12.5, (narrow ? width : left - 12) / (0.65 * longest));
    const shares = widest(share) + 8;
    const right = narrow ? widest(say) + 8 : shares + widest((t) => rate(t.gb_per_s)) + 14;
    const most = Math.max(...rows.map((t) => t.gb_per_s), roof ? roof.gb_per_s : 0);
    const scale = (value) => value / most * (width - left - right);
    const step = narrow ? 44 : 30;
    const top = 26;
    const parts = [svg("defs", {}, hatch("copy-hatch", "var(--copy)"))];
    rows.forEach((trial, i) => {
      const y = top + i * step;
      const bar = narrow ? y + 19 : y + 4;
      const won = trial === winner;
      const copy = trial.role === "copy";
      const fillOf = copy ? "url(#copy-hatch)" : won ? "var(--accent)" : "var(--other)";
      const end = left + scale(trial.gb_per_s);
      const half = scale(trial.gb_per_s) * trial.spread / 2;
      const [from, to] = [Math.max(left, end - half), Math.min(width - right + 4, end + half)];  // not over the figures
      parts.push(
        svg("g", {"data-bar": trial.variant, "data-value": trial.gb_per_s},
            titled(`${trial.variant}: ${say(trial)}, spread ${spread(trial)}`),
            svg("rect", {x: left, y: bar, width: scale(trial.gb_per_s), height: narrow ? 15 : 20, rx: 3,
                         style: `fill: ${fillOf}`}),
            svg("path", {d: `M${from} ${bar + (narrow ? 7.5 : 10)}H${to}`, "stroke-width": 1.6,
                         style: "stroke: var(--ink)"})),
        text(narrow ? 0 : left - 12, narrow ? y + 13 : y + 18,
             (won ? "★ " : "") + trial.variant + (copy && !narrow ? " (copy)" : ""),
             {class: "code", "text-anchor": narrow ? "start" : "end", "font-size": nameSize,
              "font-weight": won ? 700 : 400}),
        ...(narrow
          ? [text(width, bar + 12, say(trial), {"font-size": 12, "text-anchor": "end", "font-weight": won ? 700 : 400})]
          : [text(width - shares, y + 18, rate(trial.gb_per_s), {"font-size": 12.5, "text-anchor": "end", "font-weight": won ? 700 : 400}),
             text(width, y + 18, share(trial), {"font-size": 12.5, "text-anchor": "end", "font-weight": won ? 700 : 400})]));
    });
    const bottom = top + rows.length * step;
    if (roof) {
      const x = left + scale(roof.gb_per_s);
      const spans = narrow ? rows.map((_, i) => [top + i * step + 17, top + i * step + 36]) : [[18, bottom]];
      parts.push(...spans.map(([y1, y2]) => svg("line", {x1: x, x2: x, y1, y2, "stroke-dasharray": "5 4", "stroke-width": 1.6,
                                                         style: "stroke: var(--roof)"})),
                 text(x, 12, `roof ${rate(roof.gb_per_s)}`, {"text-anchor": narrow ? "end" : "middle", "font-size": 12.5,
                      "font-weight": 600, style: "fill: var(--roof)"}));
    }
    return [bottom + 4, "Bars of bandwidth, fastest first. " + rows.map((t) => `${t.variant}: ${say(t)}`).join("; "), ...parts];
  });
  table("roof-table", "Bandwidth by variant, fastest first",
    [["variant"], ["role"], ["launch"], ["time", 1], ["spread", 1], ["samples", 1], ["GB/s", 1], ["of the roof", 1]],
    rows.map((t) => ({key: t.variant, won: t === winner, cells: [t.variant, t.role, t.launch, time(t.seconds), spread(t),
      grouped(t.samples), digits(t.gb_per_s, 3), roof ? percent(t.share_of_roof) : "–"]})));
}

// A figure of many long names is drawn where it is seen: the long list replaces the short one.
byId("every").addEventListener("change", drawBars);
if (timed.some((trial) => trial.share_of_roof >= 1.0005)) byId("above").hidden = false;
if (timed.length > 0) drawBars();
else byId("roof").remove();
drawRace(report);
drawSizes(report, data.sizes);

(function drawAccess() {
  if (data.accounts.length === 0) return void byId("access").remove();
  byId("access-about").textContent += ` On ${data.accounts[0].on}.`;
  const rows = (load, store) => data.accounts.map(({variant, account: {totals}}) => ({
    name: variant, bars: [["load", load], ["store", store]].map(([name, key]) =>
      ({name, value: totals[key], ideal: totals["ideal_" + key]}))}));
  excessBars("sectors-figure", rows("load_sectors", "store_sectors"), "sectors");
  excessBars("wavefronts-figure", rows("load_wavefronts", "store_wavefronts"), "wavefronts");
  const keys = ["load_sectors", "store_sectors", "load_wavefronts", "store_wavefronts"];
  table("access-table", "Sectors and wavefronts of one launch, and the fewest that could have served",
    [["variant"], ...keys.flatMap((key) => [[key.replace("_", " "), 1], ["fewest", 1]])],
    data.accounts.map(({variant, account: {totals}}) => ({key: variant, won: variant === report.winner,
      cells: [variant, ...keys.flatMap((key) => [grouped(totals[key]), grouped(totals["ideal_" + key])])]})));
})();

(function drawVerdicts() {
  const without = report.trials.filter((trial) => trial.seconds === undefined);
  const rows = without.map((t) => ({key: t.variant, bad: t.verdict === "unsupported" ? undefined : 1, cells: [t.variant, t.verdict, t.detail]}));
  for (const name of report.untried_strategies)
    rows.push({key: name, cells: [name, "not tried", "predicted to be far behind, or the budget ran out"]});
  if (rows.length === 0) return void byId("verdicts").remove();
  table("verdicts-table", "Variants without a time", [["variant"], ["verdict"], ["why"]], rows);
})();

for (const link of document.querySelectorAll("nav a"))
  if (!document.querySelector(link.getAttribute("href"))) link.remove();
byId("foot").textContent = `xpose ${data.tune.xpose} on ${data.device.name} (${data.device.device}). ` +
  `${plural(report.rounds, "round")}, ${report.discarded_rounds} discarded because the clock dropped. ` +
  (report.interrupted ? "Interrupted: the figures are those of the finished trials. " : "") +
  `The data of this page is the JSON in its source, with what --json writes as "tune".`;
