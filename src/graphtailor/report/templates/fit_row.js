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
