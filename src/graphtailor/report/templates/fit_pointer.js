// ---- pointing at the map: hover, lasso, legend, fingers and keys -----------------------
const nearest = (left, top, reach = 14) => {
  const [x, y] = world(left, top), far = reach / unit / view.zoom;
  let best = far * far, found = -1, bestRow = best, foundRow = -1;
  for (let p = 0; p < map.n; p++) {
    const dx = xs[p] - x;
    if (dx > far || dx < -far) continue;
    const d = dx * dx + (ys[p] - y) ** 2;
    if (d < best) { best = d; found = p; }
    if (d < bestRow && sampleAt[p] >= 0) { bestRow = d; foundRow = p; }
  }
  return foundRow >= 0 ? foundRow : found;
};
const tip = $("tip");
const point = (left, top, reach) => {
  const box = stage.getBoundingClientRect(), p = nearest(left, top, reach);
  tip.classList.toggle("on", p >= 0);
  mark(p >= 0 ? p : explained());
  if (p < 0) return p;
  const k = leader(pointLabels(state.level)[p]), i = sampleAt[p];
  const traits = data.groups[levels[state.level].groups[k]].traits.map((trait) => trait[0]);
  const first = [...columns].sort((a, b) => (traits.indexOf(a.name) + 99) % 99 - (traits.indexOf(b.name) + 99) % 99).slice(0, 6);
  tip.replaceChildren(
    el("b", {}, i < 0 ? "A row beyond the sample" : rowName(i)),
    el("span", {}, swatch(k), nameOf(k), i >= 0 && rowSure(i) ? `, ${rowSure(i)}` : ""),
    ...(i < 0 ? [] : first.map((column) => el("span", {}, `${cut(column.name, 26)}: ${cut(shown(column.values[i], column), 26)}`))));
  const x = box.left + left, y = box.top + top, below = y + 16 + tip.offsetHeight < innerHeight;
  tip.style.left = `${Math.max(8, Math.min(x + 14, innerWidth - tip.offsetWidth - 8))}px`;
  tip.style.top = `${below ? y + 16 : y - tip.offsetHeight - 12}px`;
  return p;
};
const select = (mask) => { state.selected = mask; paint(); drawDots(); redraw(); drawSelection(); drawLegend(); };
const inside = (polygon, x, y) => {
  let odd = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [ax, ay] = polygon[i], [bx, by] = polygon[j];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) odd = !odd;
  }
  return odd;
};
const takeLasso = (polygon) => {
  const corners = polygon.map(([a, b]) => world(a, b)), mask = new Uint8Array(map.n);
  const [x0, x1] = [Math.min(...corners.map((c) => c[0])), Math.max(...corners.map((c) => c[0]))];
  let any = false;
  for (let p = 0; p < map.n; p++) if (xs[p] >= x0 && xs[p] <= x1 && inside(corners, xs[p], ys[p])) { mask[p] = 1; any = true; }
  state.only = null;
  select(any ? mask : null);
};
const drawSelection = () => {
  $("selection").hidden = !state.selected;
  if (!state.selected) return;
  const counts = new Map(), rows = [];
  let total = 0;
  for (let p = 0; p < map.n; p++) if (state.selected[p]) {
    const k = leader(pointLabels(state.level)[p]);
    counts.set(k, (counts.get(k) ?? 0) + 1);
    total += 1;
    if (sampleAt[p] >= 0) rows.push(sampleAt[p]);
  }
  const parts = [...counts].sort((a, b) => b[1] - a[1]);
  const [[first, most]] = parts, isWhole = parts.length === 1 && most === sizeOf(first);
  const found = isWhole ? traitsOf(first) : differences(rows), style = { "--k": hex(color(colorOf(first))) };
  fill($("selection-content"),
    el("h3", {}, `${counted(total, "row")} selected, ${percent(total / n)} of all`),
    el("p", {}, ...parts.slice(0, 6).flatMap(([k, size]) => [swatch(k), `${nameOf(k)}: ${whole(size)}\u2003`])),
    rows.length < total && !isWhole ? el("p", { class: "soft" }, `Their differences come from the ${counted(rows.length, "row")} among them whose values are on this page.`) : null,
    ...(!known.length ? [] : isWhole ? [el("div", { style }, ...found.map(traitLine))] : [el("div", { class: "two" },
      el("div", {}, el("h4", {}, "The selected rows"), ...found.map(traitLine),
        found.length ? null : el("p", { class: "soft" }, "No column of these rows differs from the others by much.")),
      el("div", { style }, el("h4", {}, parts.length === 1 ? "Their group: " : "The group of most of them: ", swatch(first), nameOf(first)), ...traitsOf(first).map(traitLine)))]));
};
$("selection-clear").addEventListener("click", () => { state.only = null; select(null); });
const drawLegend = () => {
  if (state.by !== "group") {
    const column = columns[state.by], line = [];
    if (state.by === "sure" || !column.levels) {
      const [low, high] = state.by === "sure" ? (byChance ? ["at the border", "far inside"] : ["50 % sure", "100 % sure"]) : rangeOf(column).map((x) => shown(x, column));
      line.push(el("span", {}, low), el("span", { class: "scale", style: { background: `linear-gradient(90deg, ${scale().map(hex).join(", ")})` } }), el("span", {}, high));
    } else column.levels.slice(0, 30).forEach((level, v) => line.push(el("span", { class: "key" }, el("span", { class: "swatch plain", "data-shape": Math.floor(v / 7) % 4, style: { "--k": hex(color(v)) } }), level)));
    if (m < n) line.push(el("span", { class: "soft" }, `${whole(m)} rows are coloured; the values of the others are not on this page.`));
    $("legend").replaceChildren(...line);
    return;
  }
  $("legend").replaceChildren(...shownGroups().map((k) => el("button", {
    type: "button", "aria-pressed": String(state.only === k), onclick: () => {
      state.only = state.only === k ? null : k;
      if (state.only === null) return select(null);
      const mask = new Uint8Array(map.n), labels = pointLabels(state.level);
      for (let p = 0; p < map.n; p++) mask[p] = leader(labels[p]) === k ? 1 : 0;
      return select(mask);
    } }, swatch(k), cut(nameOf(k), 30))));
};
const startMap = () => {
  startGl();
  stage.classList.toggle("flat", !gl);
  const choice = $("colour-by");
  if (data.certainty.some(Boolean)) choice.append(el("option", { value: "sure" }, byChance ? "How far inside" : "How sure"));
  $("columns-left").hidden = known.length >= data.n_columns;
  $("columns-left").textContent = `${whole(known.length)} of ${whole(data.n_columns)} columns are on this page: those that differ most between groups, without columns of names.`;
  columns.forEach((column, j) => choice.append(el("option", { value: j }, cut(column.name, 50))));
  choice.addEventListener("change", () => {
    state.by = /^\d+$/.test(choice.value) ? Number(choice.value) : choice.value;
    paint(); drawDots(); redraw(); drawLegend();
  });
  let start = null, moved = false;
  const fingers = new Map();
  const at = (event) => { const box = stage.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  overlay.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    overlay.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, at(event));
    start = at(event);
    moved = fingers.size > 1;
    lasso = !moved && (event.shiftKey || $("lasso").getAttribute("aria-pressed") === "true") ? [start] : null;
  });
  overlay.addEventListener("pointermove", (event) => {
    const here = at(event);
    if (fingers.size === 2) return pinch(event, here);
    if (!start) return point(...here);
    if (!moved && Math.hypot(here[0] - start[0], here[1] - start[1]) < 4) return undefined;
    moved = true;
    tip.classList.remove("on");
    if (lasso) {
      // A busy browser gives several places at once.
      const all = event.getCoalescedEvents?.() ?? [];
      lasso.push(...(all.length ? all.map(at) : [here]));
      $("lasso-line").setAttribute("d", `M${lasso.map((c) => c.join(" ")).join("L")}Z`);
      return undefined;
    }
    pan(here[0] - start[0], here[1] - start[1]);
    start = here;
    return undefined;
  });
  // Two fingers zoom by their distance, and move the map along.
  const pinch = (event, here) => {
    const other = [...fingers].find(([finger]) => finger !== event.pointerId)[1], before = fingers.get(event.pointerId);
    const apart = (a) => Math.max(Math.hypot(a[0] - other[0], a[1] - other[1]), 20);
    fingers.set(event.pointerId, here);
    zoomAt(apart(here) / apart(before), ...[0, 1].map((i) => (before[i] + other[i]) / 2));
    view.x -= (here[0] - before[0]) / 2 / unit / view.zoom;
    view.y -= (here[1] - before[1]) / 2 / unit / view.zoom;
  };
  overlay.addEventListener("pointercancel", (event) => { fingers.delete(event.pointerId); $("lasso-line").setAttribute("d", ""); start = lasso = null; });
  overlay.addEventListener("pointerup", (event) => {
    fingers.delete(event.pointerId);
    if (lasso && lasso.length > 2) takeLasso(lasso);
    else if (start && !moved) {
      const p = nearest(...at(event));
      if (p >= 0 && sampleAt[p] >= 0) explain(sampleAt[p]);
    }
    $("lasso-line").setAttribute("d", "");
    start = lasso = null;
  });
  const leave = () => { tip.classList.remove("on"); if (!start) mark(explained()); };
  overlay.addEventListener("pointerleave", leave);
  stage.addEventListener("blur", leave);
  stage.addEventListener("wheel", (event) => {
    // The page scrolls as ever; with a modifier key, or on a touch pad's pinch, the map zooms.
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== stage) return;
    event.preventDefault();
    zoomAt(Math.exp(-event.deltaY / 300), ...at(event));
  }, { passive: false });
  const whole_ = () => { settle(); Object.assign(view, { x: 0.5, y: map.height / 2, zoom: 1 }); redraw(); };
  const middle = (factor) => zoomAt(factor, width / 2, height / 2);
  $("zoom-in").addEventListener("click", () => middle(1.6));
  $("zoom-out").addEventListener("click", () => middle(1 / 1.6));
  $("zoom-all").addEventListener("click", whole_);
  $("lasso").addEventListener("click", () => {
    const on = $("lasso").getAttribute("aria-pressed") !== "true";
    $("lasso").setAttribute("aria-pressed", String(on));
    stage.classList.toggle("selecting", on);
  });
  const look = () => point(width / 2, height / 2, Infinity);
  stage.addEventListener("keydown", (event) => {
    const step = 0.05 / view.zoom;
    const keys = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    if (keys[event.key]) { view.x += keys[event.key][0]; view.y += keys[event.key][1]; redraw(true); }
    else if (event.key === "+" || event.key === "=") middle(1.3);
    else if (event.key === "-") middle(1 / 1.3);
    else if (event.key === "0") whole_();
    else if (event.key !== "Enter") return;
    event.preventDefault();
    const p = look();
    if (event.key === "Enter" && p >= 0 && sampleAt[p] >= 0) explain(sampleAt[p]);
  });
  new ResizeObserver(fit).observe(stage.parentElement);
  fit();
};
const drawMap = () => {
  if (!hasMap) return;
  paint();
  numbers = centres();
  drawDots();
  drawLegend();
  redraw(true);
};
