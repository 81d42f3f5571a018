// ---- the map -----------------------------------------------------------------------------
const stage = $("stage"), canvas = $("points"), overlay = $("overlay");
const view = { x: 0.5, y: (map.height || 1) / 2, zoom: 1 };
// Room for the axes, where there are any, to both sides.
const [aside, above] = map.axes && map.axes.length ? [110, 84] : [50, 50];
let gl = null, width = 0, height = 0, unit = 1, lasso = null, marked = -1, colors = null;
const px = (x, y) => [(x - view.x) * unit * view.zoom + width / 2, (y - view.y) * unit * view.zoom + height / 2];
const world = (left, top) => [(left - width / 2) / unit / view.zoom + view.x, (top - height / 2) / unit / view.zoom + view.y];
const dot = () => Math.min(Math.max((0.33 * Math.min(width, 900)) / Math.sqrt(map.n), 1.5), 11) * Math.min(Math.sqrt(view.zoom), 4);
const SHADERS = [
  `attribute vec2 place; attribute vec4 look; uniform vec2 scale, shift; uniform mediump float size; varying vec4 seen;
  void main() { float flags = floor(look.a * 255.0 + 0.5); float faint = step(7.5, flags); gl_Position = vec4(place * scale + shift, 0.5 * faint, 1.0);
    gl_PointSize = size; seen = vec4(look.rgb, mod(flags, 8.0)); }`,
  `precision mediump float; uniform float size; varying vec4 seen;
  void main() { vec2 p = 2.0 * gl_PointCoord - 1.0; float r;
    if (size < 3.0 || seen.a == 1.0) r = 0.86 * max(abs(p.x), abs(p.y)); else if (seen.a == 2.0) r = 0.8 * (abs(p.x) + abs(p.y)); else if (seen.a == 3.0) r = max(0.9 * p.y, 1.3 * abs(p.x) - 0.75 * p.y - 0.05) + 0.1; else r = length(p);
    float alpha = clamp((1.0 - r) * size * 0.5 + 0.35, 0.0, 1.0); if (alpha < 0.1) discard; gl_FragColor = vec4(seen.rgb * alpha, alpha); }`,
];
const startGl = () => {
  gl = canvas.getContext("webgl", { antialias: false, preserveDrawingBuffer: true });
  if (!gl) return;
  const program = gl.createProgram();
  SHADERS.forEach((source, kind) => {
    const shader = gl.createShader(kind ? gl.FRAGMENT_SHADER : gl.VERTEX_SHADER);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  });
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) { gl = null; return; }
  gl.useProgram(program);
  const places = new Float32Array(2 * map.n);
  for (let i = 0; i < map.n; i++) { places[2 * i] = xs[i]; places[2 * i + 1] = ys[i]; }
  const attribute = (name, size, type) => {
    const buffer = gl.createBuffer(), at = gl.getAttribLocation(program, name), width = type === gl.FLOAT ? 4 : 1;
    gl.enableVertexAttribArray(at);
    return (step) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.vertexAttribPointer(at, size, type, width === 1, step * size * width, 0);
    };
  };
  gl.places = attribute("place", 2, gl.FLOAT);
  gl.places(1);
  gl.bufferData(gl.ARRAY_BUFFER, places, gl.STATIC_DRAW);
  gl.looks = attribute("look", 4, gl.UNSIGNED_BYTE);
  gl.looks(1);
  gl.uniforms = Object.fromEntries(["scale", "shift", "size"].map((name) => [name, gl.getUniformLocation(program, name)]));
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  gl.enable(gl.DEPTH_TEST);
  gl.depthFunc(gl.LEQUAL);
};
// At first, and while it zooms, a map shows a part of its rows, evenly along the curve.
// A step is at most 31 rows, because WebGL takes no stride above 255 bytes.
const drawPoints = (step = 1) => {
  if (!gl) return;
  gl.places(step);
  gl.looks(step);
  const ratio = window.devicePixelRatio || 1;
  gl.viewport(0, 0, canvas.width, canvas.height);
  gl.clearColor(0, 0, 0, 0);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  const [sx, sy] = [(2 * unit * view.zoom) / width, (-2 * unit * view.zoom) / height];
  gl.uniform2f(gl.uniforms.scale, sx, sy);
  gl.uniform2f(gl.uniforms.shift, -view.x * sx, -view.y * sy);
  gl.uniform1f(gl.uniforms.size, dot() * ratio * (step > 1 ? 2 : 1));
  gl.drawArrays(gl.POINTS, 0, Math.ceil(map.n / step));
};
// What colour a point has by the chosen quantity; null for rows whose value is unknown.
const painter = () => {
  const labels = pointLabels(state.level);
  if (state.by === "group") return (p) => [color(colorOf(leader(labels[p]))), Math.floor(colorOf(leader(labels[p])) / 7) % 4];
  if (state.by === "sure") return (p) => (sampleAt[p] < 0 ? null : [onScale((sure()[0][sampleAt[p]] - 50) / 50), 0]);
  const column = columns[state.by], [low, high] = rangeOf(column);
  return (p) => {
    const value = sampleAt[p] < 0 ? null : column.values[sampleAt[p]];
    if (value === null || column.levels && value < 0) return null;
    return column.levels ? [color(value), Math.floor(value / 7) % 4] : [onScale((value - low) / (high - low || 1)), 0];
  };
};
const rangeOf = (column) => quantiles(column.values, [0.02, 0.98]);
const paint = () => {
  const labels = pointLabels(state.level), faint = (c) => mixed(card, c, 0.18);
  colors = new Uint8Array(4 * map.n);
  const write = (p, found, dim) => {
    const [c, shape] = found ?? [quiet, 0];
    const used = dim ? faint(c) : c;
    colors[4 * p] = used[0]; colors[4 * p + 1] = used[1]; colors[4 * p + 2] = used[2];
    colors[4 * p + 3] = shape + (dim || !found ? 8 : 0);
  };
  const of = painter();
  if (state.by === "group" && !state.selected) {
    // By group there are few different looks: a million rows take no function call each.
    const looks = levels[state.level].sizes.map((_, k) => { const k1 = leader(k), c = color(colorOf(k1)); return [c[0], c[1], c[2], Math.floor(colorOf(k1) / 7) % 4]; });
    const table = new Uint32Array(looks.map(([r, g, b, a]) => (r | g << 8 | b << 16 | a << 24) >>> 0));
    const all = new Uint32Array(colors.buffer);
    for (let p = 0; p < map.n; p++) all[p] = table[labels[p]];
  } else for (let p = 0; p < map.n; p++) write(p, of(p), state.selected && !state.selected[p]);
  if (!gl) return;
  gl.looks(1);
  gl.bufferData(gl.ARRAY_BUFFER, colors, gl.DYNAMIC_DRAW);
};
// The sample as SVG: what is printed, and what a browser without WebGL shows. A printer
// drops the square end of a line without length.
const drawDots = () => {
  const paths = new Map();
  for (const p of data.place) {
    if (p < 0) continue;
    const key = colors.subarray(4 * p, 4 * p + 4).join(" ");
    paths.set(key, `${paths.get(key) ?? ""}M${xs[p].toFixed(4)} ${ys[p].toFixed(4)}h.0001`);
  }
  const order = [...paths].sort((a, b) => Number(b[0].split(" ")[3] >= 8) - Number(a[0].split(" ")[3] >= 8));
  $("dots").replaceChildren(...order.map(([key, path]) => {
    const [r, g, b, flags] = key.split(" ");
    return el("path", { d: path, stroke: `rgb(${r} ${g} ${b})`, "stroke-linecap": flags % 8 ? "square" : "round" });
  }));
};
const centres = () => shownGroups().map((k) => {
  const mine = [], labels = pointLabels(state.level), step = Math.max(1, Math.floor(map.n / 50000));
  for (let p = 0; p < map.n; p += step) if (leader(labels[p]) === k) mine.push(p);
  if (!mine.length) return null;
  const middle = [xs, ys].map((axis) => mine.map((p) => axis[p]).sort((a, b) => a - b)[mine.length >> 1]);
  let best = Infinity, at = mine[0];
  for (const p of mine) { const d = (xs[p] - middle[0]) ** 2 + (ys[p] - middle[1]) ** 2; if (d < best) { best = d; at = p; } }
  return [k, xs[at], ys[at]];
}).filter(Boolean);
let numbers = [];
const ticks = (axis, ends, most) => {
  const least = Math.abs(ends[1] - ends[0]) / most, unit = axis.kind === "date" ? 86400 : 1;
  const power = unit * 10 ** Math.floor(Math.log10(least / unit));
  const step = Math.max(power * [1, 2, 5, 10].find((times) => times * power >= 0.999 * least), axis.kind === "number" ? 0 : unit);
  const first = Math.ceil(Math.min(...ends) / step), last = Math.floor(Math.max(...ends) / step);
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  const text = (value) => (axis.kind !== "number" || digits > 8 || Math.abs(value) >= 1e12 ? shown(value, axis)
    : value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }));
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, i) => (first + i) * step).map((value) => [(value - axis.start) / axis.slope, text(value)]);
};
const drawAxes = () => $("axes").replaceChildren(...(map.axes ?? []).flatMap((axis, down) => {
  const length = down ? height : width, ends = [world(0, 0), world(width, height)].map((place) => axis.start + axis.slope * place[down]);
  const marks = ticks(axis, ends, length / (down ? 40 : axis.kind === "date" ? 95 : 65)).map(([place, text]) => [px(place, place)[down], text])
    .filter(([at]) => (down ? at > 36 && at < height - 46 : at > 46 && at < width - 30));
  return [
    el("path", { d: marks.map(([at]) => (down ? `M0 ${at}h6` : `M${at} ${height}v-6`)).join("") }),
    ...marks.map(([at, text]) => (down ? el("text", { x: 10, y: at + 4 }, text) : el("text", { x: at, y: height - 11, "text-anchor": "middle" }, text))),
    down ? el("text", { x: 8, y: 18, class: "name" }, `↑ ${cut(axis.name)}`)
      : el("text", { x: width - 8, y: height - 30, class: "name", "text-anchor": "end" }, `${cut(axis.name)} →`),
  ];
}));
const drawOverlay = () => {
  drawAxes();
  const s = unit * view.zoom, [left, top] = px(0, 0);
  $("dots").setAttribute("transform", `translate(${left} ${top}) scale(${s})`);
  $("dots").style.setProperty("stroke-width", `${Math.max(dot(), 3)}px`);
  // A number stands above its point where it would cover it: large points, small groups.
  const lift = numbers.length > 12 || dot() > 5 ? 15 : 0;
  $("numbers").replaceChildren(...(state.by === "group" ? numbers.map(([k, x, y]) => {
    const [a, b] = px(x, y);
    return el("text", { x: a, y: b - lift }, String(k));
  }) : []));
  const here = $("here");
  here.classList.toggle("on", marked >= 0);
  if (marked >= 0) { const [a, b] = px(xs[marked], ys[marked]); here.setAttribute("cx", a); here.setAttribute("cy", b); here.setAttribute("r", Math.max(dot(), 7)); }
};
let waiting = false, rest = 0, shift = [0, 0];
const step = Math.min(31, Math.ceil(map.n / 25000));
const move = (left, top) => {
  shift = [left, top];
  for (const layer of [canvas, overlay]) layer.style.setProperty("transform", left || top ? `translate(${left}px, ${top}px)` : "none");
};
const settle = () => {
  view.x -= shift[0] / unit / view.zoom;
  view.y -= shift[1] / unit / view.zoom;
  move(0, 0);
};
const redraw = (isMoving = false) => {
  clearTimeout(rest);
  if (isMoving && step > 1) rest = setTimeout(redraw, 200);
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; settle(); drawPoints(isMoving ? step : 1); drawOverlay(); });
};
// A picture of many rows is pushed about as it is, and drawn again when it rests or when
// much of the stage is bare.
const pan = (left, top) => {
  move(shift[0] + left, shift[1] + top);
  if (step === 1 || Math.abs(shift[0]) > 0.4 * width || Math.abs(shift[1]) > 0.4 * height) return redraw(true);
  clearTimeout(rest);
  rest = setTimeout(redraw, 200);
  return undefined;
};
const explained = () => (state.why === null ? -1 : data.place[state.why]);
const mark = (p) => { marked = p; drawOverlay(); };
const fit = () => {
  width = stage.clientWidth;
  // A flat map does not need all the height that a page may give it.
  const needed = map.height * (width - aside) + above + 10;
  height = Math.round(Math.min(Math.max(Math.min(0.62 * width, needed), 260), 620, 0.8 * innerHeight + 100));
  stage.style.setProperty("height", `${height}px`);
  const ratio = window.devicePixelRatio || 1;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  overlay.setAttribute("viewBox", `0 0 ${width} ${height}`);
  unit = Math.min(width - aside, (height - above) / Math.max(map.height, 0.05));
  redraw(true);
};
const zoomAt = (factor, left, top) => {
  settle();
  const [x, y] = world(left, top), zoom = Math.min(Math.max(view.zoom * factor, 1), 400), change = view.zoom / zoom;
  view.x = x - (x - view.x) * change;
  view.y = y - (y - view.y) * change;
  view.zoom = zoom;
  redraw(true);
};
