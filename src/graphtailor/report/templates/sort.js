"use strict";
const compare = (a, b, sign) => {
  // Cells without a value stay at the bottom, whichever way the table is sorted.
  if (a === "" || b === "") return (a === "") - (b === "");
  const x = Number(a), y = Number(b);
  return sign * (Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b) : x - y);
};
const sortBy = (head) => {
  const table = head.closest("table"), column = head.cellIndex;
  const before = head.getAttribute("aria-sort");
  const falling = before ? before === "ascending" : head.dataset.kind === "number";
  for (const other of table.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", falling ? "descending" : "ascending");
  const body = table.tBodies[0];
  const rows = [...body.rows].filter((row) => !row.querySelector(".total"));
  const total = [...body.rows].filter((row) => row.querySelector(".total"));
  const value = (row) => row.cells[column].dataset.value;
  rows.sort((a, b) => compare(value(a), value(b), falling ? -1 : 1));
  body.append(...rows, ...total);
};
for (const head of document.querySelectorAll(".results thead tr:last-child th"))
  head.querySelector("button").addEventListener("click", () => sortBy(head));
