// Which banks, wavefronts and sectors one warp's access takes. Pure functions of a site:
//   words are 4 bytes, 32 of them in a row of 32 banks, and 8 of them in a sector;
//   lanes that want one word share it; a bank gives one word a wavefront;
//   accesses of 8 bytes go in two half-warps, of 16 bytes in four quarter-warps.

const wordBytes = 4, banks = 32, sectorBytes = 32;

function lanesOf(site) {
  const lanes = [];
  for (let lane = 0; lane < 32; ++lane) {
    if (!((site.example.lanes >>> lane) & 1)) continue;
    const offset = site.example.offset[lane];
    const words = [];
    for (let word = Math.floor(offset / wordBytes); word * wordBytes < offset + site.lane_bytes; ++word) words.push(word);
    lanes.push({lane, offset, words, bank: words[0] % banks, sector: Math.floor(offset / sectorBytes)});
  }
  return lanes;
}

// Gives each lane its wavefront, from 1, and returns how many there are.
function serveShared(lanes, laneBytes) {
  const share = laneBytes === 16 ? 8 : laneBytes === 8 ? 16 : 32;
  let done = 0;
  for (let first = 0; first < 32; first += share) {
    const part = lanes.filter(({lane}) => lane >= first && lane < first + share);
    const wanted = new Map();  // bank: its different words, in the order of the lanes
    for (const {words} of part)
      for (const word of words) {
        const bank = word % banks;
        if (!wanted.has(bank)) wanted.set(bank, []);
        if (!wanted.get(bank).includes(word)) wanted.get(bank).push(word);
      }
    for (const one of part)
      one.order = done + 1 + Math.max(...one.words.map((word) => wanted.get(word % banks).indexOf(word)));
    done += Math.max(0, ...[...wanted.values()].map((words) => words.length));
  }
  return done;
}

// Gives each lane the number of its first sector in the order of the lanes, from 1, and returns the
// sectors.
function serveGlobal(lanes, laneBytes) {
  const sectors = [];
  for (const one of lanes) {
    const last = Math.floor((one.offset + laneBytes - 1) / sectorBytes);
    for (let sector = one.sector; sector <= last; ++sector)
      if (!sectors.includes(sector)) sectors.push(sector);
    one.order = sectors.indexOf(one.sector) + 1;
  }
  return sectors;
}

// The picture's data of a site: lanes, steps (wavefronts or sectors), and words by lane.
function access(site) {
  const lanes = lanesOf(site);
  const shared = site.space === "shared";
  const sectors = shared ? [] : serveGlobal(lanes, site.lane_bytes);
  const steps = shared ? serveShared(lanes, site.lane_bytes) : sectors.length;
  const words = new Map();
  for (const one of lanes)
    for (const word of one.words) words.set(word, [...(words.get(word) || []), one]);
  const distinct = new Set(lanes.map((one) => one.offset)).size * site.lane_bytes;
  return {site, lanes, shared, sectors, steps, words, distinct};
}

// One sentence that describes the picture and judges it.
function verdictOn({site, lanes, shared, sectors, steps, words, distinct}) {
  const verb = site.kind === "load" ? "read" : "write";
  if (shared) {
    const fewest = Math.max(1, Math.ceil(words.size / banks));
    if (steps <= fewest)
      return [true, `${lanes.length} lanes ${verb} ${plural(words.size, "word")} without a conflict: ${plural(steps, "wavefront")}, the fewest possible.`];
    return [false, `${lanes.length} lanes ${verb} words that share banks: ${plural(steps, "wavefront")} where ${fewest} would do, a ${digits(steps / fewest, 2)}-way conflict.`];
  }
  const moved = sectors.length * sectorBytes;
  const used = `${distinct} of the ${moved} bytes moved are used`;
  if (distinct >= moved)
    return [true, `${lanes.length} lanes ${verb} ${plural(sectors.length, "sector")} in full: ${used}, fully coalesced.`];
  return [distinct >= 0.75 * moved, `${lanes.length} lanes ${verb} in ${plural(sectors.length, "sector")}: ${used}, ${percent(distinct / moved)}.`];
}

// Colours that carry dark or light text: [fill, text]. The order goes from light to dark, the banks
// round the circle. With black text down to a lightness of 0.538 and white below, every step of the
// order has a contrast of at least 4.58.
function orderColour(order, steps) {
  const t = steps <= 1 ? 0.62 : (order - 1) / (steps - 1);
  const light = 0.9 - 0.55 * t;
  return [`oklch(${light.toFixed(3)} ${(0.11 + 0.05 * t).toFixed(3)} ${(95 + 185 * t).toFixed(0)})`, light > 0.538 ? "#000000" : "#ffffff"];
}
const bankColour = (bank) => [`oklch(0.8 0.12 ${(bank * 11.25).toFixed(1)})`, "#10131a"];

// Where a row begins, in bytes: of a tile from its start, of a buffer from the first row shown.
function offsetText(shared, row, first, rowBytes) {
  const whole = shared || row === first;
  const count = (whole ? row : row - first) * rowBytes;
  const short = count < 1e5 ? count : count < 1e8 ? (count / 1024).toFixed(0) + "K" : (count / 1048576).toFixed(0) + "M";
  return (whole ? "" : "+") + short;
}
