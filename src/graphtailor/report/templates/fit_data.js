// ---- helpers -------------------------------------------------------------------
const $ = (id) => document.getElementById(id);
const el = (tag, given = {}, ...children) => {
  const svg = ["svg", "g", "path", "text", "circle"].includes(tag);
  const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [key, value] of Object.entries(given)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "style") for (const [name, each] of Object.entries(value)) node.style.setProperty(name, each);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
};
const fill = (node, ...children) => node.replaceChildren(...children.filter((child) => child !== null && child !== ""));
const unpack = async (id) => {
  const text = $(id).textContent;
  const bytes = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
};
const whole = (number) => Math.round(number).toLocaleString("en");
const counted = (number, noun) => `${whole(number)} ${noun}${number === 1 ? "" : "s"}`;
const percent = (share) => `${share > 0 && share < 0.005 ? "<1" : Math.round(100 * share)}\u00a0%`;
const shown = (value, column) => {
  if (value === null || value === undefined || value === -1 && column.levels) return "missing";
  if (column.levels) return column.levels[value];
  if (column.kind === "year") return String(Math.round(value));
  if (column.kind === "date") return new Date(1000 * value).toISOString().slice(0, 10);
  const digits = Math.abs(value) >= 1000 ? 0 : Math.max(0, 3 - Math.floor(Math.log10(Math.abs(value) || 1)));
  return value !== 0 && Math.abs(value) < 1e-3 || Math.abs(value) >= 1e12 ? value.toPrecision(4)
    : Number(value.toFixed(Math.min(digits, 8))).toLocaleString("en", { maximumFractionDigits: 8 });
};
const cut = (text, most = 34) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

// ---- data ------------------------------------------------------------------------
const data = JSON.parse(new TextDecoder().decode(await unpack("page-data")));
const bytes = await unpack("row-bytes");
const { levels, columns, map } = data;
const n = data.n, m = data.rows.length, finest = levels.length - 1;
const planes = (bytes, start, count, width) => {
  if (width === 1) return bytes.slice(start, start + count);
  const numbers = width > 2 ? new Uint32Array(count) : new Uint16Array(count);
  for (let b = 0; b < width; b++)
    for (let i = 0, at = start + b * count; i < count; i++) numbers[i] |= bytes[at + i] << (8 * b);
  return numbers;
};
// Clusters of all levels: each level differs from what the finer one lets expect.
const labelsFrom = (bytes, start, count) => {
  const found = [];
  return function level(l) {
    if (found[l]) return found[l];
    const labels = planes(bytes, start + data.width * count * (finest - l), count, data.width);
    if (l < finest) {
      const finer = level(l + 1), above = data.parents[l], number = levels[l].sizes.length;
      for (let i = 0; i < count; i++) labels[i] = (above[finer[i]] + labels[i]) % number;
    }
    found[l] = labels;
    return labels;
  };
};
const hasMap = Boolean(map.n);
const xs = new Float32Array(map.n || 0), ys = new Float32Array(map.n || 0);
const pointLabels = labelsFrom(bytes, 4 * map.n, map.n);
const sampleAt = new Int32Array(map.n || 0).fill(-1);
if (hasMap) {
  const steps = planes(bytes, 0, map.n, 4), top = 2 ** map.bits - 1;
  const squeeze = (code) => {
    code &= 0x55555555;
    code = (code | code >>> 1) & 0x33333333;
    code = (code | code >>> 2) & 0x0f0f0f0f;
    code = (code | code >>> 4) & 0x00ff00ff;
    return (code | code >>> 8) & 0xffff;
  };
  for (let i = 0, code = 0; i < map.n; i++) {
    code += steps[i];
    xs[i] = squeeze(code) / top;
    ys[i] = squeeze(code >>> 1) / top;
  }
  data.place.forEach((at, i) => { if (at >= 0) sampleAt[at] = i; });
}
const rowName = (i) => (data.names ? data.names[i] : `row ${data.first_row + data.rows[i]}`);

// ---- state -----------------------------------------------------------------------
const state = { level: data.chosen, by: "group", selected: null, why: null };
const edits = levels.map((level) => ({ names: {}, merged: {} }));
const leader = (k, l = state.level) => edits[l].merged[k] ?? k;
const nameOf = (k, l = state.level) => edits[l].names[leader(k, l)] ?? levels[l].names[leader(k, l)];
const shownGroups = () => levels[state.level].sizes.map((size, k) => k).filter((k) => levels[state.level].sizes[k] && leader(k) === k);
const partsOf = (k) => levels[state.level].sizes.map((_, j) => j).filter((j) => levels[state.level].sizes[j] && leader(j) === k);
const sizeOf = (k) => partsOf(k).reduce((sum, j) => sum + levels[state.level].sizes[j], 0);
const labelOf = (i) => leader(data.labels[state.level][i]);
const membersOf = (k) => [...Array(m).keys()].filter((i) => labelOf(i) === k);
const colorOf = (k) => levels[state.level].colors[k];
const sure = () => data.certainty[state.level];
const meanSure = (k) => {
  if (!sure()) return null;
  const mine = membersOf(k);
  return mine.length ? mine.reduce((sum, i) => sum + sure()[0][i], 0) / mine.length / 100 : null;
};

// ---- colours: seven hues, each again lighter and darker, and with other shapes --------
let palette = [], ink = [0, 0, 0], card = [255, 255, 255], quiet = [0, 0, 0];
const rgb = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
const mixed = (a, b, share) => a.map((x, i) => Math.round(x + share * (b[i] - x)));
const hex = (color) => `rgb(${color.join(" ")})`;
const readColors = () => {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => rgb(style.getPropertyValue(name).trim());
  [ink, card] = [read("--ink"), read("--card")];
  quiet = mixed(card, ink, 0.16);
  palette = Array.from({ length: 7 }, (_, k) => read(`--k${k}`));
};
const color = (number) => {
  const base = palette[number % 7], turn = Math.floor(number / 7) % 6;
  return turn === 0 ? base : turn % 2 ? mixed(base, ink, 0.22 + 0.1 * turn) : mixed(base, card, 0.16 + 0.08 * turn);
};
// From blue to yellow, on white and on dark cards; no end fades into the card.
const SCALES = [["#00306f", "#6c707a", "#b58f00"], ["#5585d6", "#a9a99c", "#ffe14d"]].map((scale) => scale.map(rgb));
const scale = () => SCALES[Number(ink[1] > card[1])];
const onScale = (share) => {
  const at = Math.min(Math.max(share, 0), 1) * 2, low = at < 1 ? 0 : 1;
  return mixed(scale()[low], scale()[low + 1], at - low);
};
const swatch = (k) => el("span", { class: "swatch", "data-shape": Math.floor(colorOf(k) / 7) % 4, style: { "--k": hex(color(colorOf(k))) }, "aria-hidden": "true" }, el("b", {}, String(k)));
