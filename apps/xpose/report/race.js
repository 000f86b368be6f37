// The race over rounds, and bandwidth over problem size: charts of lines.

// One chart of series {name, points: [[x, y]], ...styleOf}. axes: x and y are {min, max, ticks,
// show, title}, x may have {place} from value to 0..1; `behind` and `beside` add to it.
function lineChart(id, series, x, y, label, {behind = () => [], beside = 0, besideOf = () => []} = {}) {
  figure(id, (width) => {
    const narrow = width < 560;
    const height = narrow ? 300 : 360;
    const box = {left: 48, right: width - 14 - beside, top: 26, bottom: height - 42};
    const along = x.place || ((value) => (value - x.min) / (x.max - x.min || 1));
    const atX = (value) => box.left + along(value) * (box.right - box.left);
    const atY = (value) => box.bottom - (Math.min(value, y.max) - y.min) / (y.max - y.min) * (box.bottom - box.top);
    const parts = [];
    for (const tick of y.ticks)
      parts.push(svg("line", {class: "grid", x1: box.left, x2: width, y1: atY(tick), y2: atY(tick)}),
                 text(box.left - 8, atY(tick) + 4, y.show(tick), {"text-anchor": "end", "font-size": 12, class: "soft"}));
    const skip = Math.ceil(x.ticks.length * (x.room || 24) / (box.right - box.left));
    x.ticks.forEach((tick, i) => {
      if (i % skip) return;
      parts.push(text(atX(tick), box.bottom + 18, x.show(tick), {"text-anchor": "middle", "font-size": 12, class: "soft"}));
    });
    parts.push(text(0, 13, y.title, {"font-size": 12, class: "soft"}),
               text(box.right, box.bottom + 36, x.title, {"text-anchor": "end", "font-size": 12, class: "soft"}),
               ...behind(atX, box));
    series.forEach((one, i) => {
      const group = svg("g", {class: "mark", "data-series": i});
      let path = "";
      let pen = "M";
      for (const [px, py] of one.points) {
        if (py === null) continue;  // a discarded round: the line goes on behind it
        path += pen + atX(px).toFixed(1) + " " + atY(py).toFixed(1);
        pen = "L";
      }
      group.append(svg("path", {d: path, fill: "none", "stroke-width": one.strong ? 3 : 1.6,
                                "stroke-dasharray": one.dash, "stroke-linejoin": "round",
                                style: `stroke: ${one.colour}`}));
      for (const [px, py] of one.points) {
        if (py === null) continue;
        const point = mark(one, atX(px), atY(py), one.strong ? 4.5 : 3.4);
        point.append(titled(`${one.name}, ${x.say(px)}: ${y.say(py)}`));
        if (py > y.max) point.setAttribute("opacity", ".55");
        group.append(point);
      }
      group.append(...besideOf(one, i, atY, box));
      parts.push(group);
    });
    return [height, label, ...parts];
  });
}

// ------------------------------------------------------------------------------------- the race

function quantile(sorted, q) {
  const at = q * (sorted.length - 1), below = Math.floor(at);
  return sorted[below] + (at - below) * (sorted[Math.min(below + 1, sorted.length - 1)] - sorted[below]);
}

// The winner, the runner-up, then the fastest, and last the roof.
function runnersOf(report) {
  const timed = report.trials.filter((trial) => trial.rounds && trial.rounds.length > 0);
  const transposes = timed.filter((trial) => trial.role === "transpose");
  const first = [report.winner, report.runner_up].map((name) => transposes.find((t) => t.variant === name)).filter(Boolean);
  // Variants that were dropped after one sample would only flatten the rest.
  const near = first.length ? 1.6 * first[0].seconds : Infinity;
  const rest = transposes.filter((trial) => !first.includes(trial) && trial.seconds < near);
  const runners = [...first, ...rest].slice(0, 7).map((trial, i) =>
    ({trial, name: trial.variant, strong: trial.variant === report.winner, ...styleOf(i)}));
  const roof = timed.find((trial) => trial.variant === report.roof);
  if (roof) runners.push({trial: roof, name: roof.variant + " (roof)", ...styleOf(7, true)});
  return runners;
}

function drawRace(report) {
  const runners = runnersOf(report);
  if (runners.length === 0) return void byId("race").remove();
  if (report.rounds <= 1)  // one sample of each is no race
    return void byId("race").replaceChildren(byId("race").querySelector("h2"),
      html("p", {class: "about"}, "There was time for one round: each variant has one sample, too few to say by how much one is faster. A longer --budget races more."));
  for (const runner of runners) {
    runner.points = runner.trial.rounds.map((seconds, i) => [i + 1, seconds]);
    runner.samples = runner.trial.rounds.filter((seconds) => seconds !== null).sort((a, b) => a - b);
  }
  const rounds = Math.max(...runners.map((runner) => runner.points.length));
  const all = runners.flatMap((runner) => runner.samples);
  const low = Math.min(...all);
  const usual = runners[0].trial.seconds;
  const high = Math.max(usual * 1.1, ...all.filter((seconds) => seconds < 1.8 * usual));
  const [unit, scale] = usual >= 1 ? ["s", 1] : usual >= 1e-3 ? ["ms", 1e-3] : ["µs", 1e-6];
  const pad = (high - low) * 0.06 || high * 0.02;
  const y = {min: low - pad, max: high + pad, show: (v) => digits(v / scale, 3), say: time,
             title: `time of one call, ${unit}; lower is faster`};
  y.ticks = ticks(y.max / scale, 6, y.min / scale).map((v) => v * scale);
  const discarded = [];
  for (let i = 0; i < rounds; ++i)
    if (runners.some((r) => r.points[i] && r.points[i][1] === null)) discarded.push(i + 1);
  const numbers = Array.from({length: rounds}, (_, i) => i + 1);
  const x = {min: 0.6, max: rounds + 0.4, ticks: numbers, show: String, say: (v) => "round " + v, title: "round"};
  lineChart("race-figure", runners, x, y,
    `Lines of ${runners.length} variants over ${rounds} rounds. ` + runners.map((r) => `${r.name}: median ${time(r.trial.seconds)}, spread ${percent(r.trial.spread)}`).join("; "), {
    beside: Math.max(16 * runners.length + 16, 52),  // as wide as the word below it
    behind: (atX, box) => [svg("line", {class: "grid", x1: box.right + 6, x2: box.right + 6, y1: box.top, y2: box.bottom, "stroke-width": 1.5}),
      text(box.right + 14, box.bottom + 18, "median", {"font-size": 12, class: "soft"})].concat(discarded.map((round) => {
      const half = (atX(2) - atX(1)) / 2;
      return svg("g", {}, svg("rect", {x: atX(round) - half, y: box.top, width: 2 * half, height: box.bottom - box.top, style: "fill: var(--sunk)"}),
                 text(atX(round), box.top + 14, half > 40 ? "discarded" : half > 5 ? "×" : "", {"text-anchor": "middle", "font-size": 11, class: "soft"}),
                 titled(`round ${round} was discarded: the clock dropped during it`));
    })),
    // The middle half as a box and the median as a line across it.
    besideOf: (one, i, atY, box) => {
      const at = box.right + 20 + 16 * i;
      const [q1, q2, q3] = [0.25, 0.5, 0.75].map((q) => atY(quantile(one.samples, q)));
      return [svg("g", {"data-box": one.name, style: one.ink},
                  titled(`${one.name}: median ${time(one.trial.seconds)}, spread ${percent(one.trial.spread)}`),
                  svg("rect", {x: at - 5, y: q3, width: 10, height: Math.max(q1 - q3, 1), rx: 2, "fill-opacity": .3}),
                  svg("line", {x1: at - 7, x2: at + 7, y1: q2, y2: q2, "stroke-width": 2.5}))];
    }});
  legend("race-legend", runners, "race-figure");
  table("race-table", "Time of one call by round; – is a discarded round, blank a round after the variant was dropped",
    [["variant"], ["median", 1], ["spread", 1], ...numbers.map((n) => [String(n), 1])],
    runners.map((r) => ({key: r.trial.variant, won: r.strong, cells: [r.name, time(r.trial.seconds), percent(r.trial.spread),
      ...numbers.map((n) => !(n <= r.points.length) ? "" : r.points[n - 1][1] === null ? "–" : time(r.points[n - 1][1]))]})));
}

// ------------------------------------------------------------------------ bandwidth over the size

function drawSizes(report, sizes) {
  const all = [...sizes, report].sort((a, b) => a.bytes - b.bytes);
  const shapes = [...new Set(all.map((one) => one.bytes))];
  if (shapes.length < 2) return void byId("sizes").remove();
  const followed = [...new Set(sizes.flatMap((one) => one.trials.filter((t) => t.role === "transpose" && t.gb_per_s).map((t) => t.variant)))];
  // Of the copies the fastest counts.
  const best = (count, wanted) => Math.max(...all.filter((one) => one.bytes === count)
    .flatMap((one) => one.trials.filter((t) => t.gb_per_s && wanted(t)).map((t) => t.gb_per_s)), 0) || null;
  const order = (name) => report.trials.findIndex((t) => t.variant === name) - (name === report.winner ? 1e6 : 0);
  const series = followed.sort((a, b) => order(a) - order(b)).map((name, i) =>
    ({name, strong: name === report.winner, points: shapes.map((count) => [count, best(count, (t) => t.variant === name)]), ...styleOf(i)}));
  series.push({name: "roof (fastest copy)", points: shapes.map((count) => [count, best(count, (t) => t.role === "copy")]), ...styleOf(7, true)});
  const nameOf = (count) => {
    const {problem} = all.find((one) => one.bytes === count);
    return `${problem.rows}×${problem.cols}`;
  };
  const most = Math.max(...series.flatMap((one) => one.points.map(([, v]) => v || 0)));
  const [first, last] = [shapes[0], shapes[shapes.length - 1]].map(Math.log2);
  lineChart("sizes-figure", series,
    {ticks: shapes, show: nameOf, room: 86, say: nameOf, title: "rows × columns, by bytes moved (log scale)",
     place: (v) => 0.06 + 0.88 * (Math.log2(v) - first) / (last - first)},
    {min: 0, max: most * 1.06, ticks: ticks(most * 1.06, 5), show: (v) => digits(v, 3), say: rate, title: "GB/s; higher is faster"},
    `Lines of bandwidth over ${shapes.length} sizes. ` + series.map((one) => one.name + ": " + one.points.filter(([, v]) => v).map(([n, v]) => `${nameOf(n)} ${rate(v)}`).join(", ")).join("; "));
  legend("sizes-legend", series, "sizes-figure");
  table("sizes-table", "Bandwidth by problem size", [["rows × columns"], ["bytes moved", 1], ...series.map((one) => [one.name, 1])],
    shapes.map((count, i) => ({key: nameOf(count), cells: [nameOf(count), bytes(count), ...series.map((one) => one.points[i][1] ? rate(one.points[i][1]) : "–")]})));
}
