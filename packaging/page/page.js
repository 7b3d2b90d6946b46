"use strict";
// The page: plots of the run by Dygraph, the animation's controls, search in the tables, copying of code.

const page = { data: JSON.parse(document.getElementById("data").textContent), charts: [], animation: null };
document.documentElement.classList.add("script");
const byId = (id) => document.getElementById(id);

function element(name, properties = {}, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}

/** Five digits, without zeros at the end. */
const short = (value) => (Number.isFinite(value) ? String(Number(value.toPrecision(5))) : "–");
const colourOf = (k) => getComputedStyle(document.documentElement).getPropertyValue(`--c${k % 8}`).trim();
const inDark = window.matchMedia("(prefers-color-scheme: dark)");

// Plots: one for each unit, all over the same time.

/** The unit 1 needs no words. */
const unitText = (unit) => (unit === "1" ? "" : unit);

/** Columns of one unit, in the order of the run. */
function unitsOf(columns) {
  const units = new Map();
  for (const column of columns) {
    if (!units.has(column.unit)) units.set(column.unit, []);
    const group = units.get(column.unit);
    column.colour = group.length;
    group.push(column);
  }
  return units;
}

/** What is shown first, of what changes: up to four columns in each of three units, outputs before others. */
function chooseColumns(columns) {
  const changing = columns.filter((column) => column.values.some((value) => value !== column.values[0]));
  const outputs = changing.filter((column) => column.kind === "output");
  const units = new Set();
  for (const candidates of [outputs, changing, columns]) {
    for (const [unit, group] of unitsOf(candidates)) {
      if (units.size === 3) return;
      if (units.has(unit)) continue;
      units.add(unit);
      for (const column of group.slice(0, 4)) column.chosen = true;
    }
    if (candidates === changing && units.size > 0) return;
  }
}

const interaction = {
  mousedown(event, chart, context) {
    context.initializeMouseDown(event, chart, context);
    const pans = document.querySelector("input[name=drag]:checked").value === "pan";
    if (pans !== event.shiftKey) Dygraph.startPan(event, chart, context);
    else Dygraph.startZoom(event, chart, context);
  },
  mousemove(event, chart, context) {
    if (context.isPanning) Dygraph.movePan(event, chart, context);
    else if (context.isZooming) Dygraph.moveZoom(event, chart, context);
  },
  mouseup(event, chart, context) {
    if (context.isPanning) Dygraph.endPan(event, chart, context);
    else if (context.isZooming) Dygraph.endZoom(event, chart, context);
  },
  touchstart: Dygraph.defaultInteractionModel.touchstart,
  touchmove: Dygraph.defaultInteractionModel.touchmove,
  touchend: Dygraph.defaultInteractionModel.touchend,
  dblclick() { showWholeRun(); },
};

/** The same window of time in all plots. */
function shareWindow(source) {
  const dateWindow = source.xAxisRange();
  for (const { chart } of page.charts) {
    const [from, to] = chart.xAxisRange();
    if (chart !== source && (from !== dateWindow[0] || to !== dateWindow[1])) chart.updateOptions({ dateWindow });
  }
  placeCursors();
}

function showWholeRun() {
  for (const { chart } of page.charts) chart.updateOptions({ dateWindow: null, valueRange: null });
  placeCursors();
}

function legend({ x, series }) {
  return series.filter((one) => one.isVisible).map((one) => {
    const value = x === undefined || one.y === undefined ? "" : ` ${short(one.y)}`;
    return `<span><i class="swatch" style="background:${one.color}"></i><b>${one.labelHTML}</b>${value}</span>`;
  }).join("") + (x === undefined ? "" : `<span>at ${short(x)} s</span>`);
}

function addChart(unit, columns) {
  const plot = element("div", { className: "plot", role: "img" });
  const words = element("div", { className: "legend" }), cursor = element("div", { className: "cursor" });
  plot.setAttribute("aria-label", `Over time: ${columns.map((column) => column.name).join(", ")}`);
  const box = element("div", { className: "chart" }, words, plot, cursor);
  byId("charts").append(box);
  const css = getComputedStyle(document.documentElement), line = css.getPropertyValue("--line").trim();
  const rows = page.data.run.time.map((t, i) => [t, ...columns.map((column) => column.values[i])]);
  let drawing = false;
  const chart = new Dygraph(plot, rows, {
    labels: ["time", ...columns.map((column) => column.name)],
    colors: columns.map((column) => colourOf(column.colour)),
    labelsDiv: words, legend: "always", legendFormatter: legend,
    ylabel: unitText(unit), xlabel: "time [s]", xLabelHeight: 20, yLabelWidth: 20,
    strokeWidth: 1.6, highlightCircleSize: 3, gridLineColor: line, axisLineColor: line, gridLineWidth: 1,
    axes: { x: { axisLabelFormatter: short, pixelsPerLabel: 70 }, y: { axisLabelFormatter: short, axisLabelWidth: 62 } },
    interactionModel: interaction, animatedZooms: false, includeZero: false, xRangePad: 0, yRangePad: 8,
    drawCallback: (self, first) => {
      if (drawing || first) return;
      drawing = true;
      shareWindow(self);
      drawing = false;
    },
    clickCallback: (event, x) => page.animation && page.animation.setTime(x),
  });
  page.charts.push({ chart, cursor, plot });
}

function drawCharts() {
  const before = page.charts.length > 0 ? page.charts[0].chart.xAxisRange() : null;
  for (const { chart } of page.charts) chart.destroy();
  page.charts = [];
  byId("charts").replaceChildren();
  const columns = page.data.run.columns;
  for (const [unit, group] of unitsOf(columns)) {
    const chosen = group.filter((column) => column.chosen);
    if (chosen.length > 0) addChart(unit, chosen);
  }
  if (before) for (const { chart } of page.charts) chart.updateOptions({ dateWindow: before });
  placeCursors();
}

/** A line in every plot at the time of the animation. */
function placeCursors() {
  if (!page.animation) return;
  for (const { chart, cursor, plot } of page.charts) {
    const area = chart.getArea(), x = chart.toDomXCoord(page.animation.time);
    cursor.style.display = x >= area.x && x <= area.x + area.w ? "block" : "none";
    cursor.style.left = `${plot.offsetLeft + x}px`;
    cursor.style.top = `${plot.offsetTop + area.y}px`;
    cursor.style.height = `${area.h}px`;
  }
}

function addChooser() {
  const kinds = { output: "Outputs", input: "Inputs", local: "Motion and multipliers" };
  const columns = page.data.run.columns, labels = [];
  for (const [kind, title] of Object.entries(kinds)) {
    const group = columns.filter((column) => column.kind === kind);
    if (group.length === 0) continue;
    const set = element("fieldset", {}, element("legend", { textContent: title }));
    for (const column of group) {
      const box = element("input", { type: "checkbox", checked: Boolean(column.chosen) });
      box.addEventListener("change", () => {
        column.chosen = box.checked;
        drawCharts();
      });
      const words = unitText(column.unit) === "" ? column.name : `${column.name} [${column.unit}]`;
      const label = element("label", { title: column.about }, box, words);
      labels.push([label, `${column.name} ${column.about}`.toLowerCase()]);
      set.append(label);
    }
    byId("chooser").append(set);
  }
  const search = byId("column-search");
  search.hidden = columns.length < 16;
  search.addEventListener("input", () => {
    const wanted = search.value.toLowerCase();
    for (const [label, words] of labels) label.hidden = !words.includes(wanted);
  });
}

function startPlots() {
  if (!byId("charts") || !page.data.run) return;
  chooseColumns(page.data.run.columns);
  addChooser();
  drawCharts();
  byId("whole").addEventListener("click", showWholeRun);
  inDark.addEventListener("change", drawCharts);
  new ResizeObserver(placeCursors).observe(byId("charts"));
}

// Animation

/** Such that the run takes about four to twelve seconds; real time where that is so. */
function usualSpeed(duration) {
  if (duration >= 0.8 && duration <= 30) return 1;
  const power = 10 ** Math.floor(Math.log10(duration / 8));
  return [1, 2, 5, 10].map((k) => k * power).find((speed) => duration / speed <= 12);
}

function fillSpeeds(animation) {
  const usual = usualSpeed(animation.stopTime - animation.startTime), select = byId("speed");
  for (const factor of [0.1, 0.25, 0.5, 1, 2, 4]) {
    const speed = Number((factor * usual).toPrecision(3));
    const words = speed === 1 ? "real time" : `${speed} ×`;
    select.append(element("option", { value: speed, textContent: words, selected: factor === 1 }));
  }
  animation.speed = usual;
  select.addEventListener("change", () => { animation.speed = Number(select.value); });
}

function startAnimation() {
  if (!byId("stage") || !page.data.scene) return;
  const animation = new Animation(byId("stage"), page.data.scene);
  page.animation = animation;
  const play = byId("play"), scrub = byId("scrub"), clock = byId("clock");
  const setPlaying = (playing) => {
    animation.setPlaying(playing);
    play.textContent = playing ? "Pause" : "Play";
    play.setAttribute("aria-pressed", String(playing));
  };
  const duration = animation.stopTime - animation.startTime;
  const digits = Math.max(0, Math.min(9, 2 - Math.floor(Math.log10(duration / 2))));
  const show = (time) => {
    scrub.value = (time - animation.startTime) / duration;
    clock.textContent = `${time.toFixed(digits)} s`;
    scrub.setAttribute("aria-valuetext", clock.textContent);
    placeCursors();
  };
  animation.listeners.push(show);
  show(animation.time);
  fillSpeeds(animation);
  play.addEventListener("click", () => setPlaying(!animation.playing));
  scrub.addEventListener("input", () => {
    setPlaying(false);
    animation.setTime(animation.startTime + scrub.value * duration);
  });
  byId("front").addEventListener("click", () => animation.resetView());
  for (const [id, property] of [["paths", "showPaths"], ["names", "showNames"]]) {
    byId(id).addEventListener("change", (event) => {
      animation[property] = event.target.checked;
      animation.draw();
    });
  }
  byId("paths").parentElement.hidden = page.data.scene.paths.length === 0;
  byId("stage").addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: -1, ArrowRight: 1 };
    if (event.key === " ") setPlaying(!animation.playing);
    else if (event.key in steps) animation.setTime(animation.time + steps[event.key] * duration / 200);
    else return;
    event.preventDefault();
  });
}

// Tables and texts

function startSearch() {
  const search = byId("variable-search");
  if (!search) return;
  const rows = [...document.querySelectorAll("#variables tbody tr")].map((row) => [row, row.textContent.toLowerCase()]);
  search.addEventListener("input", () => {
    const wanted = search.value.toLowerCase();
    for (const [row, words] of rows) row.hidden = !words.includes(wanted);
    for (const group of document.querySelectorAll("#variables .group")) {
      group.hidden = group.querySelector("tbody tr:not([hidden])") === null;
      if (wanted !== "" && group.tagName === "DETAILS") group.open = true;
    }
  });
}

/** Comments, tables, keys, texts and numbers of TOML in colours. */
function colourToml(code) {
  const pattern = /(#[^\n]*)|("""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'[^'\n]*')|(^\s*\[\[?[^\n\]]*\]?\])|([A-Za-z_][\w.-]*(?=\s*=))|([-+]?\b\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?\b|\btrue\b|\bfalse\b)/gm;
  const classes = ["comment", "string", "table", "key", "number"], text = code.textContent, parts = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    parts.push(text.slice(end, match.index));
    const kind = classes[match.slice(1).findIndex((part) => part !== undefined)];
    parts.push(element("span", { className: kind, textContent: match[0] }));
    end = match.index + match[0].length;
  }
  code.replaceChildren(...parts, text.slice(end));
}

function addCopyButtons() {
  if (!navigator.clipboard) return;
  for (const pre of document.querySelectorAll("pre")) {
    const text = pre.textContent, button = element("button", { type: "button", className: "copy", textContent: "Copy" });
    button.addEventListener("click", () => navigator.clipboard.writeText(text).then(() => {
      button.textContent = "Copied";
      window.setTimeout(() => { button.textContent = "Copy"; }, 1500);
    }));
    pre.append(button);
  }
}

startAnimation();
startPlots();
startSearch();
document.querySelectorAll("code.toml").forEach(colourToml);
addCopyButtons();
window.trammelPage = page;
