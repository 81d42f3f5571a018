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
  labels.forEach((k, row) => lines.push(`${cell(names.get(row) ?? data.first_row + row)},${leader(k, l)},${cell(nameOf(k, l))}`));
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
