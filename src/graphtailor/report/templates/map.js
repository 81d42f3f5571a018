(() => {
  // Greatest distance, in pixels of the screen, between the pointer and its point.
  const REACH = 28;
  const start = (holder) => {
    const data = JSON.parse(holder.querySelector("script").textContent);
    const tip = holder.querySelector(".tip");
    const maps = [...holder.querySelectorAll("svg.map")];
    const nearest = (map, event) => {
      const box = map.getBoundingClientRect(), scale = map.viewBox.baseVal.width / box.width;
      const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
      let best = (REACH * scale) ** 2, found = -1;
      for (let i = 0; i < data.x.length; i++) {
        const d = (data.x[i] - x) ** 2 + (data.y[i] - y) ** 2;
        if (d < best) { best = d; found = i; }
      }
      return found;
    };
    const hide = () => {
      tip.classList.remove("on");
      for (const map of maps) map.querySelector(".here").classList.remove("on");
    };
    const show = (map, event) => {
      const i = nearest(map, event);
      if (i < 0) return hide();
      for (const each of maps) {
        const here = each.querySelector(".here");
        here.setAttribute("cx", data.x[i]);
        here.setAttribute("cy", data.y[i]);
        here.classList.add("on");
      }
      const panel = data.panels[map.dataset.panel], name = document.createElement("b");
      name.textContent = data.names[i];
      const note = panel.notes && panel.notes[i] ? ", " + panel.notes[i] : "";
      tip.replaceChildren(name, panel.labels ? `${panel.labels[i] < 0 ? "no group" : `group ${panel.labels[i]}`}${note}` : panel.notes[i]);
      tip.classList.add("on");
      const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
      const below = event.clientY + 16 + tip.offsetHeight < innerHeight;
      tip.style.left = `${Math.max(left, 8)}px`;
      tip.style.top = `${below ? event.clientY + 16 : event.clientY - tip.offsetHeight - 12}px`;
    };
    for (const map of maps) {
      map.addEventListener("pointermove", (event) => show(map, event));
      map.addEventListener("pointerdown", (event) => show(map, event));
      map.addEventListener("pointerleave", hide);
    }
  };
  for (const holder of document.querySelectorAll(".maps")) start(holder);
})();
