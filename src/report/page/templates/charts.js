// Reading values off charts with the pointer: on the pages of a server and in saved reports.
"use strict";

const $ = (id) => document.getElementById(id);

// Where a drag along a chart began: the chart, and the nearest point's place. None while nothing is dragged.
let dragged = null;

// The value of an axis at a length of the drawing.
function valueAt([from, low, to, high, logarithmic], length) {
  const place = low + (high - low) * (length - from) / (to - from);
  return logarithmic ? 10 ** place : place;
}

function pointsOf(curve) {
  return curve.getAttribute("d").slice(1).split(/[M ]/).map((point) => ({ x: parseFloat(point), y: parseFloat(point.split(",")[1]) }));
}

// Shows the values of a chart's curves where the pointer is, the nearest curve first. A drag chooses a part of the axis.
function readChart(event) {
  document.querySelectorAll(".chart .at").forEach((mark) => mark.remove());
  const svg = event.target.closest?.("svg[data-axes]");
  const curves = svg ? [...svg.querySelectorAll(".curve")] : [];
  $("values").hidden = !curves.length;
  if (!curves.length) return;
  const [x, y, label] = JSON.parse(svg.dataset.axes);
  const box = svg.getBoundingClientRect();
  const unit = svg.viewBox.baseVal.width / box.width;
  const pointer = { x: (event.clientX - box.left) * unit, y: (event.clientY - box.top) * unit };
  const nearer = (a, b) => (Math.abs(b.x - pointer.x) < Math.abs(a.x - pointer.x) ? b : a);
  const all = curves.map((curve) => ({ name: curve.dataset.name, ...pointsOf(curve).reduce(nearer) }));
  // A curve that ends elsewhere has no value here.
  const near = 8 + Math.min(...all.map((point) => Math.abs(point.x - pointer.x)));
  const found = all.filter((point) => Math.abs(point.x - pointer.x) < near);
  found.sort((a, b) => Math.abs(a.y - pointer.y) - Math.abs(b.y - pointer.y));
  // Lengths are rounded to a tenth.
  const rounded = (value) => (Math.abs(value) < 100 ? Number(value.toPrecision(3)) : Math.round(value));
  const value = (axis, length) => rounded(valueAt(axis, length));
  const line = (point) => `${point.name} ${value(y, point.y)}`.trim();
  $("values").textContent = [`${label} ${value(x, found[0].x)}`.trim(), ...found.map(line)].join("\n");
  const left = Math.min(event.clientX + 14, innerWidth - $("values").offsetWidth - 4);
  Object.assign($("values").style, { left: `${left}px`, top: `${event.clientY + 14}px` });
  if (event.type === "pointerdown" && event.button === 0 && isOfRun(svg)) {
    dragged = { svg, x: found[0].x };
    svg.setPointerCapture(event.pointerId);
  }
  const [from, to] = dragged?.svg === svg ? [dragged.x, found[0].x].sort((a, b) => a - b) : [0, 0];
  const mark = document.createElementNS("http://www.w3.org/2000/svg", "path");
  mark.setAttribute("class", from < to ? "at part" : "at");
  mark.setAttribute("d", from < to ? `M${from} ${y[0]}V${y[2]}H${to}V${y[0]}Z` : `M${found[0].x} ${y[0]}V${y[2]}`);
  svg.append(mark);
  if (event.type !== "pointerup") return;
  dragged = null;
  // Lengths are rounded to a tenth, and what is counted is whole.
  if (from < to) show(Math.ceil(valueAt(x, from - 0.1)), Math.floor(valueAt(x, to + 0.1)));
}

// Whether a chart is one of those that the reader may choose a part of.
function isOfRun(element) {
  return $("view") && element.closest?.("#evolution .chart svg, #paths .chart svg");
}

for (const kind of ["pointermove", "pointerdown", "pointerup"]) document.addEventListener(kind, readChart);
document.addEventListener("pointercancel", () => { dragged = null; });
