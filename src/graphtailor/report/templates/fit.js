"use strict";
(async () => {
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
  const rowName = (i) => (data.names ? data.names[i] : `row ${data.rows[i]}`);

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

  // ---- profiles from the rows whose values are here -------------------------------------
  const known = columns.filter((column) => !column.known);
  for (const column of columns) {
    const there = column.values.filter((x) => x !== null && !(column.levels && x < 0));
    column.mean = there.reduce((a, b) => a + b, 0) / Math.max(there.length, 1);
    column.sd = Math.sqrt(there.reduce((a, b) => a + (b - column.mean) ** 2, 0) / Math.max(there.length, 1)) || 1;
  }
  const means = (rows) => known.map((column) => {
    const found = rows.map((i) => column.values[i]).filter((x) => x !== null && !(column.levels && x < 0));
    if (!column.levels) return found.length ? found.reduce((a, b) => a + b, 0) / found.length : null;
    const shares = column.levels.map(() => 0);
    for (const code of found) shares[code] += 1 / Math.max(rows.length, 1);
    return shares;
  });
  const quantiles = (values, shares) => {
    const sorted = values.filter((x) => x !== null).sort((a, b) => a - b);
    return shares.map((share) => sorted[Math.round(share * (sorted.length - 1))] ?? 0);
  };
  const spread = (column, ...parts) => {
    const quarters = parts.flatMap((rows) => quantiles(rows.map((i) => column.values[i]), [0.25, 0.5, 0.75]));
    const ends = [...quantiles(column.values, [0.01, 0.99]), ...quarters], low = Math.min(...ends), high = Math.max(...ends);
    return [...quarters.map((x) => (x - low) / (high - low || 1)), shown(low, column), shown(high, column)];
  };
  const differences = (rows, most = 6) => {
    const inside = new Set(rows), rest = [...Array(m).keys()].filter((i) => !inside.has(i));
    if (!rows.length || !rest.length) return [];
    const mine = means(rows), others = means(rest), found = [];
    known.forEach((column, j) => {
      if (!column.levels) {
        if (mine[j] === null || others[j] === null) return;
        const effect = (mine[j] - others[j]) / column.sd;
        found.push([column.name, null, column.kind, shown(mine[j], column), shown(others[j], column), effect, () => spread(column, rows, rest)]);
        return;
      }
      const gaps = column.levels.map((_, v) => mine[j][v] - others[j][v]), v = gaps.indexOf(Math.max(...gaps));
      const share = (rows.length * mine[j][v] + rest.length * others[j][v]) / m;
      const effect = gaps[v] / Math.max(Math.sqrt(share * (1 - share)), 0.05);
      found.push([column.name, column.levels[v], "share", percent(mine[j][v]), percent(others[j][v]), effect, () => [mine[j][v], others[j][v]]]);
    });
    return found.filter((each) => Math.abs(each[5]) > 0.1).sort((a, b) => Math.abs(b[5]) - Math.abs(a[5])).slice(0, most)
      .map((each) => [...each.slice(0, 6), each[6]()]);
  };

  // ---- the list of groups ------------------------------------------------------------
  const ticked = new Set();
  // Words are no stronger than the verdict: what chance gives too is neither clear nor sure.
  const byChance = data.verdict === "none", isWeak = data.verdict === "weak";
  const words = (sure) => (sure < 70 ? "blurred" : isWeak ? "tentative" : sure >= 85 ? "clear" : "mostly clear");
  const howSure = (share) => (share === null ? "" : byChance ? "as chance gives it" : `${words(Math.round(100 * share))}, ${percent(share)} sure`);
  const rowSure = (i) => (!sure() || byChance ? "" : `${sure()[0][i]} % sure`);
  const drawGroups = () => {
    const groups = shownGroups(), largest = Math.max(...groups.map(sizeOf));
    $("group-list").replaceChildren(...groups.map((k) => {
      const size = sizeOf(k), share = meanSure(k);
      const name = el("textarea", { class: "name", rows: 1, "aria-label": `Name of group ${k}`, spellcheck: "false", maxlength: 200 }, nameOf(k));
      name.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); name.blur(); } });
      name.addEventListener("change", () => {
        const text = name.value.replace(/\s+/g, " ").trim();
        if (text) edits[state.level].names[k] = text; else delete edits[state.level].names[k];
        refresh();
      });
      const tick = el("input", { type: "checkbox", "aria-label": `Tick group ${k} for merging` });
      tick.checked = ticked.has(k);
      tick.addEventListener("change", () => { if (tick.checked) ticked.add(k); else ticked.delete(k); drawActions(); });
      return el("li", { style: { "--k": hex(color(colorOf(k))) } },
        tick, swatch(k), name,
        el("span", { class: "bar", "aria-hidden": "true" }, el("i", { style: { width: `${100 * size / largest}%` } })),
        el("span", { class: "size" }, el("b", {}, whole(size)), ` ${size === 1 ? "row" : "rows"}, ${percent(size / n)}`),
        el("span", { class: "sure" }, howSure(share)),
        el("a", { href: `#group-${k}`, class: "more", "aria-label": `Details of group ${k}` }, "details"));
    }));
    drawActions();
  };
  const drawActions = () => {
    $("merge").disabled = ticked.size < 2;
    $("undo").disabled = !Object.keys(edits[state.level].merged).length && !Object.keys(edits[state.level].names).length;
  };
  $("merge").addEventListener("click", () => {
    const [first, ...others] = [...ticked].sort((a, b) => sizeOf(b) - sizeOf(a));
    const parts = [...ticked].flatMap(partsOf), name = [first, ...others].map((k) => nameOf(k)).join(" + ");
    for (const k of parts) if (k !== first) edits[state.level].merged[k] = first;
    delete edits[state.level].merged[first];
    edits[state.level].names[first] = name;
    ticked.clear();
    state.selected = null;
    refresh();
  });
  $("undo").addEventListener("click", () => { edits[state.level] = { names: {}, merged: {} }; ticked.clear(); refresh(); });
  const save = (name, kind, text) => {
    const link = el("a", { href: URL.createObjectURL(new Blob([text], { type: kind })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  $("save-names").addEventListener("click", () => {
    const level = levels[state.level], names = {}, merged = {};
    for (const k of shownGroups()) names[k] = nameOf(k);
    level.sizes.forEach((_, k) => { if (leader(k) !== k) merged[k] = leader(k); });
    save("names.json", "application/json", `${JSON.stringify({ format: "graphtailor names", n_clusters: level.number, names, merged }, null, 2)}\n`);
  });
  const cell = (value) => {
    let text = String(value);
    // A spreadsheet would run a cell that begins like a formula.
    if (/^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text))) text = `'${text}`;
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  $("save-labels").addEventListener("click", async () => {
    const names = new Map(data.names && m === n ? data.rows.map((row, i) => [row, data.names[i]]) : []);
    const l = state.level, labels = labelsFrom(await unpack("label-bytes"), 0, n)(l);
    const lines = ["id,label,group"];
    labels.forEach((k, row) => lines.push(`${cell(names.get(row) ?? row)},${leader(k, l)},${cell(nameOf(k, l))}`));
    save("labels.csv", "text/csv", `${lines.join("\n")}\n`);
  });

  // ---- one group in detail -------------------------------------------------------------
  const traitLine = (trait) => {
    const [column, level, kind, inside, outside, effect, where] = trait;
    const quantity = kind === "share" ? "share of rows" : "mean";
    const picture = el("div", { class: "range", "aria-hidden": "true" });
    const piece = (tag, who, left, width) => picture.append(el(tag, { class: who, style: { left: `${100 * left}%`, ...(width === undefined ? {} : { width: `${100 * width}%` }) } }));
    let ends = null;
    if (where && kind === "share") {
      piece("i", "mine", 0, where[0]);
      piece("i", "rest", 0, where[1]);
      ends = ["0 %", "100 %"];
    } else if (where) {
      [["mine", 0], ["rest", 3]].forEach(([who, at]) => {
        piece("i", who, where[at], where[at + 2] - where[at]);
        piece("b", who, where[at + 1]);
      });
      ends = [where[6], where[7]];
    }
    return el("div", { class: "trait" },
      el("div", { class: "what" }, el("b", {}, level === null ? column : `${column}: ${level}`)),
      el("div", { class: "numbers" }, el("b", {}, `${effect > 0 ? "▲" : "▼"} ${inside}`), el("span", { class: "soft" }, ` ${quantity}; rest ${outside}`)),
      ends ? el("div", {}, picture, el("div", { class: "ends", "aria-hidden": "true" }, el("span", {}, ends[0]), el("span", {}, ends[1]))) : null);
  };
  const rowButton = (i, text = "") => el("li", {}, el("button", { type: "button", class: "link", onclick: () => explain(i) }, cut(rowName(i), 60)), text && el("span", { class: "soft" }, text));
  const distance = (i, centre) => known.reduce((sum, column, j) => {
    const x = column.values[i];
    if (x === null || x === undefined || centre[j] === null) return sum;
    return sum + (column.levels ? (x < 0 ? 1 : 2 * (1 - centre[j][x])) : ((x - centre[j]) / column.sd) ** 2);
  }, 0);
  const examples = (k) => {
    const mine = membersOf(k), centre = means(mine);
    const order = new Map(mine.map((i) => [i, distance(i, centre)]));
    const half = sure() ? mine.map((i) => sure()[0][i]).sort((a, b) => a - b)[mine.length >> 1] : 0;
    const typical = mine.filter((i) => !sure() || sure()[0][i] >= half).sort((a, b) => order.get(a) - order.get(b)).slice(0, 5);
    let doubtful = sure() ? mine.filter((i) => sure()[0][i] < 90 && leader(sure()[1][i]) !== k).sort((a, b) => sure()[0][a] - sure()[0][b]).slice(0, 5) : [];
    const isDoubtful = doubtful.length && sure()[0][doubtful[0]] < 60;
    if (isDoubtful && !byChance) doubtful = doubtful.filter((i) => sure()[0][i] < 60);
    return el("div", { class: "rows" },
      el("div", {}, el("h4", {}, "Typical rows"), el("ul", {}, ...typical.map((i) => rowButton(i)))),
      sure() ? el("div", {}, el("h4", {}, byChance ? "Rows at the border" : isDoubtful ? "Doubtful rows" : "Least sure rows"), doubtful.length
        ? el("ul", {}, ...doubtful.map((i) => rowButton(i, ` ${[rowSure(i), `or “${cut(nameOf(sure()[1][i]))}”`].filter(Boolean).join("; ")}`)))
        : el("p", { class: "soft" }, "There are none: no other group comes near these rows.")) : null);
  };
  const traitsOf = (k) => (partsOf(k).length > 1 ? differences(membersOf(k)) : data.groups[levels[state.level].groups[k]].traits);
  const drawProfiles = () => {
    const groups = shownGroups();
    $("profiles").replaceChildren(...groups.map((k) => {
      const parts = partsOf(k), group = data.groups[levels[state.level].groups[k]];
      const isMerged = parts.length > 1;
      const traits = traitsOf(k), rule = isMerged ? null : group.rule;
      const article = el("details", { class: "group", id: `group-${k}`, style: { "--k": hex(color(colorOf(k))) } },
        el("summary", {}, swatch(k), el("h3", {}, nameOf(k)), el("span", { class: "soft" }, ` ${counted(sizeOf(k), "row")}`)),
        isMerged ? el("p", { class: "soft" }, `Merged on this page from ${parts.map((j) => `“${levels[state.level].names[j]}”`).join(" and ")}.`) : null,
        rule ? el("p", { class: "rule" }, "In words: ", el("b", {}, rule[0]), ` holds for ${percent(rule[1])} of the group and ${percent(rule[2])} of the other rows.`) : null,
        ...traits.map(traitLine),
        known.length && !traits.length ? el("p", { class: "soft" }, "No column of this group differs from the other rows by much.") : null,
        examples(k));
      // Paper cannot be unfolded.
      article.open = groups.length <= 8 || matchMedia("print").matches;
      return article;
    }));
  };
  addEventListener("hashchange", () => {
    const target = document.querySelector(`details[id="${CSS.escape(location.hash.slice(1))}"]`);
    if (target) target.open = true;
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest("a.more");
    if (link) document.querySelector(`details[id="${link.hash.slice(1)}"]`).open = true;
  });

  // ---- why is this row here ----------------------------------------------------------
  const explain = (i) => {
    state.why = i;
    drawWhy();
    if (hasMap) mark(data.place[i]);
    $("why").scrollIntoView({ block: "nearest" });
  };
  const nextGroup = (i) => {
    const own = labelOf(i), given = sure() ? sure()[1][i] : -1;
    if (given >= 0 && leader(given) !== own) return leader(given);
    const others = shownGroups().filter((k) => k !== own && membersOf(k).length);
    const far = others.map((k) => distance(i, means(membersOf(k))));
    return others.length ? others[far.indexOf(Math.min(...far))] : null;
  };
  const drawWhy = () => {
    const i = state.why;
    $("why").hidden = i === null;
    if (i === null) return;
    const own = labelOf(i), next = nextGroup(i), mine = means(membersOf(own));
    const other = next === null ? null : means(membersOf(next));
    const reasons = other === null ? [] : known.map((column, j) => {
      const x = column.values[i];
      if (x === null || column.levels && x < 0 || mine[j] === null || other[j] === null) return null;
      const [a, b] = column.levels ? [mine[j][x], other[j][x]] : [mine[j], other[j]];
      const pull = column.levels ? 2 * (a - b) : ((x - b) ** 2 - (x - a) ** 2) / (2 * column.sd ** 2);
      const text = column.levels ? `${column.name} is ${column.levels[x]}: so are ${percent(a)} here and ${percent(b)} there`
        : `${column.name} is ${shown(x, column)}: the mean is ${shown(a, column)} here and ${shown(b, column)} there`;
      return { pull, text };
    }).filter(Boolean).sort((p, q) => q.pull - p.pull);
    const list = (title, some) => (some.length ? el("div", {}, el("h4", {}, title), el("ul", {}, ...some.map((each) => el("li", {}, each.text)))) : null);
    const share = rowSure(i) && `, ${rowSure(i)}`;
    fill($("why-content"),
      el("h2", {}, `Why is ${rowName(i)} here?`),
      el("p", {}, "It is in ", swatch(own), el("b", {}, nameOf(own)), share, next === null ? "." : ". The next group would be ", ...(next === null ? [] : [swatch(next), el("b", {}, nameOf(next)), "."])),
      el("div", { class: "rows" }, list("For this group", reasons.filter((r) => r.pull > 0).slice(0, 3)), list("For the next group", reasons.filter((r) => r.pull < 0).reverse().slice(0, 2))),
      el("details", {}, el("summary", {}, "All its values on this page"), el("div", { class: "scroll", tabindex: 0 }, el("table", {}, el("tbody", {}, ...columns.map((column) => el("tr", {}, el("th", { scope: "row" }, column.name), el("td", {}, shown(column.values[i], column)))))))));
  };
  $("why-close").addEventListener("click", () => { state.why = null; drawWhy(); if (hasMap) mark(-1); });

  // ---- find a row -----------------------------------------------------------------------
  const search = () => {
    const text = $("find").value.trim().toLowerCase();
    const found = [];
    for (let i = 0; text && i < m && found.length < 12; i++) if (rowName(i).toLowerCase().includes(text)) found.push(i);
    $("found").replaceChildren(...found.map((i) => rowButton(i, ` ${cut(nameOf(labelOf(i)))}`)));
    $("found-none").hidden = !text || found.length > 0;
  };
  $("find").addEventListener("input", search);
  $("find").addEventListener("keydown", (event) => {
    const first = $("found").querySelector("button");
    if (event.key === "Enter" && first) first.click();
    if (event.key === "Escape") { $("find").value = ""; search(); }
  });

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

  // ---- levels ---------------------------------------------------------------------------
  const slider = $("level");
  const setLevel = (l) => {
    state.level = l;
    state.selected = state.only = null;
    ticked.clear();
    refresh();
  };
  const drawLevel = () => {
    const level = levels[state.level], number = level.number;
    $("headline").textContent = $("headline").dataset.text.replace("{groups}", counted(shownGroups().length, "group"));
    if (slider) {
      slider.value = state.level;
      slider.setAttribute("aria-valuetext", `${counted(number, "group")}${level.suggested && !byChance ? ", suggested" : ""}`);
      $("level-now").textContent = number;
      $("level-note").textContent = state.level === data.chosen ? "the model's choice" : level.suggested && !byChance ? "suggested" : "";
    }
    for (const button of document.querySelectorAll("[data-level]")) button.setAttribute("aria-pressed", String(Number(button.dataset.level) === state.level));
    for (const row of document.querySelectorAll("#tree [id^='level-']")) row.classList.toggle("now", row.id === `level-${number}`);
  };
  if (slider) slider.addEventListener("input", () => setLevel(Number(slider.value)));
  for (const button of document.querySelectorAll("[data-level]")) button.addEventListener("click", () => setLevel(Number(button.dataset.level)));
  levels.forEach((level, l) => {
    const row = document.querySelector(`#tree [id='level-${level.number}']`);
    if (row) row.addEventListener("click", () => setLevel(l));
  });
  const refresh = () => { drawLevel(); drawGroups(); drawProfiles(); drawMap(); drawSelection(); drawWhy(); search(); };

  readColors();
  if (hasMap) startMap();
  refresh();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColors(); refresh(); });
  // Paper is white, whatever colours the screen has.
  matchMedia("print").addEventListener("change", () => { readColors(); refresh(); });
  // Pages are counted before the media change.
  addEventListener("beforeprint", () => document.querySelectorAll("#profiles details").forEach((each) => { each.open = true; }));
  document.documentElement.dataset.ready = "yes";
})();
