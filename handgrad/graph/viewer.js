// Makes of each image and its list of steps a picture that steps. Runs again with every picture, and takes the new ones.
for (const root of document.querySelectorAll(".handgrad-graph:not([data-ready])")) {
  root.dataset.ready = "";
  const steps = JSON.parse(root.querySelector('script[type="application/json"]').textContent);
  const scroll = root.querySelector(".hg-scroll"), image = scroll.querySelector("img");
  const source = decodeURIComponent(image.getAttribute("src").split(",").slice(1).join(","));
  const svg = document.importNode(new DOMParser().parseFromString(source, "image/svg+xml").documentElement, true);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", image.alt);
  image.replaceWith(svg);
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "group");
  scroll.setAttribute("aria-label", "Drawing of the graph");
  const overview = [...svg.querySelectorAll(".v")].map(text => text.textContent);
  const icons = { first: "M2 2h2v12H2zM14 2v12L5 8z", back: "M12 2v12L3 8z", next: "M4 2v12l9-6z", last: "M2 2v12l9-6zM12 2h2v12h-2z" };
  const bar = document.createElement("div"), text = document.createElement("p");
  bar.className = "hg-bar";
  const button = (name, label) =>
    `<button type="button" data-go="${name}" aria-label="${label}" title="${label}"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="${icons[name]}"/></svg></button>`;
  bar.innerHTML = button("first", "Overview") + button("back", "One step back") + button("next", "Next step") + button("last", "Last step")
    + `<input type="range" min="0" max="${steps.length}" value="0" aria-label="Step"><span class="hg-count"></span>`;
  text.className = "hg-text";
  text.setAttribute("role", "status");
  scroll.before(bar);
  scroll.after(text);
  const range = bar.querySelector("input"), count = bar.querySelector(".hg-count");
  const backward = steps.some(step => step[0] === "backward");
  let now = 0;
  const show = () => {
    range.value = now;
    root.classList.toggle("hg-on", now > 0);
    for (const part of svg.querySelectorAll(".n, .e")) part.classList.remove("hg-seen", "hg-now", "forward", "backward");
    svg.querySelectorAll(".v").forEach((label, i) => { label.textContent = now ? "" : overview[i]; });
    steps.slice(0, now).forEach(([phase, node, edges, , labels], i) => {
      const box = svg.querySelector(`[data-node="${node}"]`), last = i === now - 1;
      box.classList.add("hg-seen");
      if (last) box.classList.add("hg-now", phase);
      for (const number of edges) {
        const edge = svg.querySelector(`[data-edge="${number}"]`);
        edge.classList.add("hg-seen");
        edge.classList.remove("forward", "backward");
        if (last || phase === "backward") edge.classList.add(phase);
      }
      for (const [number, label] of Object.entries(labels)) svg.querySelector(`[data-edge="${number}"] .v`).textContent = label;
      if (last && scroll.scrollWidth > scroll.clientWidth) {
        const middle = box.getBBox();
        scroll.scrollLeft = (middle.x + middle.width / 2) * scroll.scrollWidth / svg.viewBox.baseVal.width - scroll.clientWidth / 2;
      }
    });
    const [phase, , , words] = now ? steps[now - 1] : [];
    count.textContent = now ? `${phase} · ${now} / ${steps.length}` : `overview · ${steps.length} steps`;
    text.textContent = now ? words
      : `Values stand in the boxes${backward ? ", gradients at the edges" : ""}; a dot marks a node that saves something. The arrow keys step.`;
    bar.querySelector('[data-go="first"]').disabled = bar.querySelector('[data-go="back"]').disabled = now === 0;
    bar.querySelector('[data-go="next"]').disabled = bar.querySelector('[data-go="last"]').disabled = now === steps.length;
  };
  const go = to => { now = Math.max(0, Math.min(steps.length, to)); show(); };
  bar.addEventListener("click", event => {
    const name = event.target.closest("button")?.dataset.go;
    if (name) go({ first: 0, back: now - 1, next: now + 1, last: steps.length }[name]);
  });
  range.addEventListener("input", () => go(+range.value));
  root.addEventListener("keydown", event => {
    const to = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: steps.length }[event.key];
    if (to === undefined || event.target === range) return;
    event.preventDefault();
    event.stopPropagation();
    go(to);
  });
  show();
}
