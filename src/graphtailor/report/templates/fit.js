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
    $("level-note").textContent = state.level === data.chosen ? (data.asked ? "the number asked for" : "the model's choice") : level.suggested && !byChance ? "suggested" : "";
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
