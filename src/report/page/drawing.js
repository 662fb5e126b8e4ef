// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The drawing: switches and cables on a canvas that pans and zooms. Large fabrics are drawn as boxes, which open when they
// are clicked or large enough on the screen.
const kOpenAt = 15;  // pixels between switches at which boxes open
const kSteps = 32;   // colours

class Drawing {
  constructor(canvas, tip) {
    this.canvas = canvas;
    this.tip = tip;
    this.layout = data.layout;
    this.x = this.layout.x.map((v) => v / 100);
    this.y = this.layout.y.map((v) => v / 100);
    this.boxes = this.layout.boxes.map(([x, y, w, h, label, n, hostCount]) => (
      { x: x / 100, y: y / 100, w: w / 100, h: h / 100, label, n, hosts: hostCount, open: !this.layout.boxed }));
    this.opened = new Set();
    this.values = null;
    this.marks = null;
    this.view = { k: 1, x: 0, y: 0 };
    this.makeTrunks();
    this.listen();
    new ResizeObserver(() => { this.resize(); }).observe(canvas.parentElement);
    this.resize();
  }

  // All cables between two switches.
  makeTrunks() {
    const bows = new Set(cables.bows);
    const found = new Map();
    cables.a.forEach((a, i) => {
      const b = cables.b[i], key = Math.min(a, b) * switchCount + Math.max(a, b);
      let trunk = found.get(key);
      if (!trunk) found.set(key, trunk = { a, b, cables: [], bow: bows.has(i) });
      trunk.cables.push(i);
    });
    this.trunks = [...found.values()];
  }

  resize() {
    const box = this.canvas.parentElement.getBoundingClientRect();
    const first = !this.width;
    if (!first && box.width === this.width && box.height === this.height && this.ratio === (window.devicePixelRatio || 1)) return;
    this.width = box.width;
    this.height = box.height;
    this.ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(box.width * this.ratio);
    this.canvas.height = Math.round(box.height * this.ratio);
    if (first || this.untouched) this.whole();
    // A new size clears the canvas: without a picture at once it would be blank until the next frame.
    if (first) this.draw(); else this.paint();
  }

  // Fits everything into the canvas.
  whole() {
    const left = this.layout.labels.length ? 96 : 20, margin = 20;
    const w = Math.max(this.layout.width / 100, 1), h = Math.max(this.layout.height / 100, 1);
    const k = Math.min((this.width - left - margin) / w, (this.height - 2 * margin) / h, 90);
    this.view = { k, x: left + (this.width - left - margin - w * k) / 2, y: (this.height - h * k) / 2 };
    this.untouched = true;
    this.draw();
  }

  sx(x) { return x * this.view.k + this.view.x; }
  sy(y) { return y * this.view.k + this.view.y; }

  show(values, unit, most) {
    this.values = values;
    this.unit = unit;
    this.most = most;
    this.strands = null;
    this.draw();
  }

  // Highlights cables, [{cable, back}], and shows names beside switches.
  mark(ways, named) {
    this.marks = ways ? { ways, named: named || [] } : null;
    byId("unmark").hidden = !ways;
    if (this.marks && !this.marksInView()) this.whole();
    this.draw();
  }

  // Whether any highlighted element is visible.
  marksInView() {
    const seen = (sw) => {
      const x = this.sx(this.x[sw]), y = this.sy(this.y[sw]);
      return x > 0 && x < this.width && y > 0 && y < this.height;
    };
    const marked = [...this.marks.named.map(({ sw }) => sw), ...this.marks.ways.flatMap(({ cable }) => [cables.a[cable], cables.b[cable]])];
    return marked.length === 0 || marked.some(seen);
  }

  draw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => { this.pending = false; this.paint(); });
  }

  visible(box) {
    return this.sx(box.x + box.w) > 0 && this.sx(box.x) < this.width && this.sy(box.y + box.h) > 0 && this.sy(box.y) < this.height;
  }

  // Determines which boxes are open and thus which cables are drawn as one line.
  openBoxes() {
    if (!this.layout.boxed) return;
    let changed = false;
    this.boxes.forEach((box, i) => {
      const open = this.opened.has(i) || (this.view.k >= kOpenAt && this.visible(box)) || box.n === 1;
      changed = changed || open !== box.open;
      box.open = open;
    });
    if (changed) this.strands = null;
  }

  // Draws lines between switches or closed boxes, the most loaded last.
  makeStrands() {
    const found = new Map(), spot = (sw) => (this.boxes[this.layout.box[sw]].open ? sw : switchCount + this.layout.box[sw]);
    for (const trunk of this.trunks) {
      const a = spot(trunk.a), b = spot(trunk.b);
      if (a === b) continue;
      const key = Math.min(a, b) * (switchCount + this.boxes.length) + Math.max(a, b);
      let strand = found.get(key);
      if (!strand) found.set(key, strand = { a, b, most: 0, sum: 0, cables: 0, bow: trunk.bow, first: trunk.cables[0] });
      for (const cable of trunk.cables) {
        const there = this.values ? this.values[2 * cable] : 0, back = this.values ? this.values[2 * cable + 1] : 0;
        strand.most = Math.max(strand.most, there, back);
        strand.sum += there + back;
        ++strand.cables;
      }
    }
    this.strands = [...found.values()].sort((s, t) => s.most - t.most);
  }

  at(spot) {
    if (spot < switchCount) return [this.sx(this.x[spot]), this.sy(this.y[spot])];
    const box = this.boxes[spot - switchCount];
    return [this.sx(box.x + box.w / 2), this.sy(box.y + box.h / 2)];
  }

  line(context, a, b, bow) {
    context.moveTo(a[0], a[1]);
    if (!bow) context.lineTo(b[0], b[1]);
    else context.quadraticCurveTo((a[0] + b[0]) / 2 - (b[1] - a[1]) * 0.12, (a[1] + b[1]) / 2 + (b[0] - a[0]) * 0.12, b[0], b[1]);
  }

  paint() {
    const context = this.canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--ink"), soft = style.getPropertyValue("--soft"), card = style.getPropertyValue("--card");
    const dark = document.documentElement.dataset.theme === "dark";
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.lineJoin = "round";
    this.openBoxes();
    if (!this.strands) this.makeStrands();
    this.paintStrands(context, dark);
    this.paintBoxes(context, ink, soft, card);
    this.paintSwitches(context, ink, soft, card);
    this.paintMarks(context, style.getPropertyValue("--mark"), ink, card);
    context.fillStyle = soft;
    context.font = "12px system-ui, 'DejaVu Sans', sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "left";
    for (const [, y, text] of this.layout.labels) {
      const at = this.sy(y / 100);
      context.fillStyle = card;
      context.globalAlpha = 0.8;
      context.fillRect(6, at - 9, context.measureText(text).width + 8, 18);
      context.globalAlpha = 1;
      context.fillStyle = soft;
      context.fillText(text, 10, at);
    }
  }

  inView(a, b) {
    return Math.max(a[0], b[0]) > 0 && Math.min(a[0], b[0]) < this.width && Math.max(a[1], b[1]) > 0 && Math.min(a[1], b[1]) < this.height;
  }

  paintStrands(context, dark) {
    const colours = loadColours(dark, kSteps), n = this.strands.length;
    const fade = this.marks ? 0.5 : 1;
    const alpha = (n > 3000 ? 0.4 : n > 800 ? 0.65 : 0.9) * fade;
    const widest = n > 800 ? 1.4 : 6;
    let bucket = -2, path = false, bow = false;
    const colourOf = (strand) => (strand.most === 0 || !this.most ? -1 : Math.min(kSteps - 1, Math.floor(strand.most / this.most * (kSteps - 1) + 0.5)));
    const flush = () => { if (path) context.stroke(); path = false; };
    let width = 0;
    for (const strand of this.strands) {
      const a = this.at(strand.a), b = this.at(strand.b);
      if (!this.inView(a, b)) continue;
      const its = colourOf(strand), w = Math.min(widest, 0.9 + 0.45 * Math.log2(strand.cables)) * Math.min(2, Math.max(1, this.view.k / 20));
      if (its !== bucket || w !== width || strand.bow !== bow) {
        flush();
        bow = strand.bow;
        bucket = its;
        width = w;
        context.strokeStyle = its < 0 ? (dark ? "#555c66" : "#c4cad2") : colours[its];
        context.lineWidth = w;
        context.globalAlpha = its < 0 ? alpha * 0.7 : alpha * (strand.bow ? 0.45 : 1);
        context.beginPath();
        path = true;
      }
      this.line(context, a, b, strand.bow);
    }
    flush();
    context.globalAlpha = 1;
  }

  paintBoxes(context, ink, soft, card) {
    context.textAlign = "center";
    context.textBaseline = "middle";
    this.boxes.forEach((box) => {
      if (!this.visible(box)) return;
      const x = this.sx(box.x), y = this.sy(box.y), w = box.w * this.view.k, h = box.h * this.view.k;
      if (box.open) {
        if (!this.layout.boxed) return;
        context.strokeStyle = soft;
        context.globalAlpha = 0.35;
        context.lineWidth = 1;
        context.strokeRect(x, y, w, h);
        context.globalAlpha = 1;
        return;
      }
      context.fillStyle = card;
      context.globalAlpha = 0.92;
      context.fillRect(x, y, w, h);
      context.globalAlpha = 1;
      context.strokeStyle = ink;
      context.lineWidth = box.hosts ? 1.6 : 0.8;
      context.strokeRect(x, y, w, h);
      if (w > 14 && h > 9) {
        context.fillStyle = ink;
        context.font = `${Math.max(9, Math.min(13, h * 0.6))}px system-ui, 'DejaVu Sans', sans-serif`;
        context.fillText(String(box.n), x + w / 2, y + h / 2);
      }
    });
  }

  radius() { return Math.max(1.8, Math.min(11, this.view.k * 0.3)); }

  paintSwitches(context, ink, soft, card) {
    const r = this.radius(), named = this.view.k > 46;
    context.font = "11px system-ui, 'DejaVu Sans', sans-serif";
    context.textAlign = "center";
    for (let sw = 0; sw < switchCount; ++sw) {
      if (!this.boxes[this.layout.box[sw]].open) continue;
      const x = this.sx(this.x[sw]), y = this.sy(this.y[sw]);
      if (x < -60 || x > this.width + 60 || y < -30 || y > this.height + 30) continue;
      context.beginPath();
      context.arc(x, y, r, 0, 2 * Math.PI);
      context.fillStyle = hostsAt[sw] ? ink : card;
      context.fill();
      context.strokeStyle = hostsAt[sw] ? card : ink;
      context.lineWidth = hostsAt[sw] ? 0.6 : 1.2;
      context.stroke();
      if (r >= 8 && hostsAt[sw]) {
        context.fillStyle = card;
        context.textBaseline = "middle";
        context.font = `${Math.round(r)}px system-ui, 'DejaVu Sans', sans-serif`;
        context.fillText(String(hostsAt[sw]), x, y + 0.5);
      }
      if (named) {
        context.fillStyle = soft;
        context.font = "11px system-ui, 'DejaVu Sans', sans-serif";
        context.textBaseline = "top";
        context.fillText(shorten(switches.name[sw], 18), x, y + r + 2);
      }
    }
  }

  paintMarks(context, colour, ink, card) {
    if (!this.marks) return;
    const point = (sw) => [this.sx(this.x[sw]), this.sy(this.y[sw])], bows = new Set(cables.bows);
    context.lineWidth = 3.5;
    context.strokeStyle = colour;
    context.fillStyle = colour;
    for (const way of this.marks.ways) {
      const from = way.back ? cables.b[way.cable] : cables.a[way.cable], to = way.back ? cables.a[way.cable] : cables.b[way.cable];
      const a = point(from), b = point(to);
      context.beginPath();
      // The bow follows that of the cable.
      if (way.back) this.line(context, b, a, bows.has(way.cable));
      else this.line(context, a, b, bows.has(way.cable));
      context.stroke();
      if (!way.both) this.arrow(context, a, b, bows.has(way.cable), way.back);
      for (const p of [a, b]) {
        context.beginPath();
        context.arc(p[0], p[1], Math.max(4, this.radius()), 0, 2 * Math.PI);
        context.fill();
      }
    }
    context.font = "600 12px system-ui, 'DejaVu Sans', sans-serif";
    context.textAlign = "center";
    context.textBaseline = "bottom";
    for (const { sw, text } of this.marks.named) {
      const [x, y] = point(sw), r = Math.max(4, this.radius()), label = shorten(text, 32);
      context.beginPath();
      context.arc(x, y, r + 2, 0, 2 * Math.PI);
      context.lineWidth = 2.5;
      context.strokeStyle = colour;
      context.stroke();
      const width = context.measureText(label).width;
      const at = Math.min(Math.max(x, width / 2 + 6), this.width - width / 2 - 6);
      context.fillStyle = card;
      context.globalAlpha = 0.85;
      context.fillRect(at - width / 2 - 4, y - r - 20, width + 8, 16);
      context.globalAlpha = 1;
      context.fillStyle = ink;
      context.fillText(label, at, y - r - 5);
    }
  }

  arrow(context, a, b, bow, back) {
    const side = back ? -1 : 1;
    let x = (a[0] + b[0]) / 2, y = (a[1] + b[1]) / 2;
    if (bow) { x -= side * (b[1] - a[1]) * 0.06; y += side * (b[0] - a[0]) * 0.06; }
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
    if (length < 14) return;
    const dx = (b[0] - a[0]) / length * 7, dy = (b[1] - a[1]) / length * 7;
    context.beginPath();
    context.moveTo(x + dx, y + dy);
    context.lineTo(x - dx - dy * 0.8, y - dy + dx * 0.8);
    context.lineTo(x - dx + dy * 0.8, y - dy - dx * 0.8);
    context.closePath();
    context.fill();
  }

  // The element under the pointer: a switch, a closed box or a line.
  hit(px, py) {
    const r = this.radius() + 3;
    let best = null, nearest = r * r;
    for (let sw = 0; sw < switchCount; ++sw) {
      if (!this.boxes[this.layout.box[sw]].open) continue;
      const dx = this.sx(this.x[sw]) - px, dy = this.sy(this.y[sw]) - py, d = dx * dx + dy * dy;
      if (d < nearest) { nearest = d; best = { sw }; }
    }
    if (best) return best;
    const box = this.boxes.findIndex((b) => !b.open && px >= this.sx(b.x) && px <= this.sx(b.x + b.w) && py >= this.sy(b.y) && py <= this.sy(b.y + b.h));
    if (box >= 0) return { box };
    nearest = 36;
    for (const strand of this.strands || []) {
      const a = this.at(strand.a), b = this.at(strand.b);
      if (!this.inView(a, b)) continue;
      const points = [a];
      if (strand.bow)
        for (let i = 1; i < 8; ++i) {
          const t = i / 8, cx = (a[0] + b[0]) / 2 - (b[1] - a[1]) * 0.12, cy = (a[1] + b[1]) / 2 + (b[0] - a[0]) * 0.12;
          points.push([(1 - t) * (1 - t) * a[0] + 2 * t * (1 - t) * cx + t * t * b[0], (1 - t) * (1 - t) * a[1] + 2 * t * (1 - t) * cy + t * t * b[1]]);
        }
      points.push(b);
      for (let i = 1; i < points.length; ++i) {
        const d = toSegment(px, py, points[i - 1], points[i]);
        if (d < nearest) { nearest = d; best = { strand }; }
      }
    }
    return best;
  }

  describe(found) {
    if (found.sw !== undefined) {
      const sw = found.sw;
      return [switches.name[sw] || "switch without a name", switches.guid[sw], `LID ${switches.lid[sw]}, ${switches.ports[sw]} ports, ${plural(hostsAt[sw], "host")}`, this.boxes[this.layout.box[sw]].label].filter((line) => line);
    }
    if (found.box !== undefined) {
      const box = this.boxes[found.box];
      return [`${box.label || "box"}: ${plural(box.n, "switch", "switches")}`, plural(box.hosts, "host"), "click to open it"];
    }
    const { a, b, most, sum, cables: n, first } = found.strand, name = (spot) => (spot < switchCount ? switches.name[spot] : `${this.boxes[spot - switchCount].label} of ${this.boxes[spot - switchCount].n}`);
    const lines = [`${name(a)} – ${name(b)}`];
    if (a < switchCount && b < switchCount && n === 1) {
      const there = this.values[2 * first], back = this.values[2 * first + 1];
      lines.push(`${switches.name[cables.a[first]]} port ${cables.a_port[first]} → ${switches.name[cables.b[first]]} port ${cables.b_port[first]}: ${count(there)} ${this.unit}`);
      lines.push(`opposite direction: ${count(back)} ${this.unit}`);
      lines.push(cables.rates[cables.rate[first]]);
    } else {
      lines.push(plural(n, "cable"), `the most loaded: ${count(most)} ${this.unit}`, `sum of both directions: ${count(sum)} ${this.unit}`);
    }
    return lines;
  }

  zoom(factor, px, py) {
    const k = Math.min(400, Math.max(0.2, this.view.k * factor)), f = k / this.view.k;
    this.view = { k, x: px - (px - this.view.x) * f, y: py - (py - this.view.y) * f };
    this.untouched = false;
    this.draw();
  }

  centre(sw) {
    const k = Math.max(this.view.k, 22);
    this.view = { k, x: this.width / 2 - this.x[sw] * k, y: this.height / 2 - this.y[sw] * k };
    this.untouched = false;
    this.mark([], [{ sw, text: switches.name[sw] }]);
  }

  listen() {
    let drag = null;
    const place = (event) => {
      const box = this.canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const [x, y] = place(event);
      this.zoom(Math.exp(-event.deltaY * 0.0015), x, y);
    }, { passive: false });
    this.canvas.addEventListener("pointerdown", (event) => {
      drag = { at: place(event), view: this.view, moved: false };
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const [x, y] = place(event);
      if (drag) {
        const dx = x - drag.at[0], dy = y - drag.at[1];
        if (Math.hypot(dx, dy) > 3) drag.moved = true;
        if (!drag.moved) return;
        this.canvas.classList.add("dragging");
        this.view = { k: drag.view.k, x: drag.view.x + dx, y: drag.view.y + dy };
        this.untouched = false;
        this.tip.hidden = true;
        this.draw();
        return;
      }
      this.point(x, y);
    });
    this.canvas.addEventListener("pointerup", (event) => {
      this.canvas.classList.remove("dragging");
      const clicked = drag && !drag.moved, [x, y] = place(event);
      drag = null;
      if (!clicked || !this.layout.boxed) return;
      const found = this.hit(x, y);
      if (found && found.box !== undefined) this.opened.add(found.box);
      else if (found && found.sw !== undefined) this.opened.delete(this.layout.box[found.sw]);
      this.tip.hidden = true;
      this.draw();
    });
    this.canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    this.canvas.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[event.key];
      if (step) {
        this.view = { k: this.view.k, x: this.view.x + step[0], y: this.view.y + step[1] };
        this.untouched = false;
        this.draw();
      } else if (event.key === "+" || event.key === "-") {
        this.zoom(event.key === "+" ? 1.25 : 0.8, this.width / 2, this.height / 2);
      } else {
        return;
      }
      event.preventDefault();
    });
  }

  point(x, y) {
    const found = this.hit(x, y);
    this.tip.hidden = !found;
    if (!found) return;
    this.tip.replaceChildren(...this.describe(found).map((line) => element("div", line)));
    const w = this.tip.offsetWidth, h = this.tip.offsetHeight;
    this.tip.style.left = `${Math.max(4, x + 14 + w > this.width ? x - w - 10 : x + 14)}px`;
    this.tip.style.top = `${Math.max(4, y + 14 + h > this.height ? y - h - 10 : y + 14)}px`;
  }
}

function shorten(text, most) { return text.length > most ? text.slice(0, most - 1) + "…" : text; }

// Square of the distance of a point from a segment.
function toSegment(x, y, a, b) {
  const dx = b[0] - a[0], dy = b[1] - a[1], all = dx * dx + dy * dy;
  const t = all ? Math.max(0, Math.min(1, ((x - a[0]) * dx + (y - a[1]) * dy) / all)) : 0;
  return (x - a[0] - t * dx) ** 2 + (y - a[1] - t * dy) ** 2;
}
