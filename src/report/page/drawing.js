// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Made from web/src/drawing by web/drawing. Do not edit.
"use strict";
(() => {
  // web/src/words.ts
  var count = (n) => n.toLocaleString("en-US");
  var plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

  // web/src/drawing/colours.ts
  var kViridis = ["#440154", "#482475", "#414487", "#355f8d", "#2a788e", "#21918c", "#22a884", "#44bf70", "#7ad151", "#bddf26", "#fde725"];
  var grey = (dark) => dark ? "#4b5661" : "#c3cad1";
  var loadSteps = (dark) => dark ? kViridis : [...kViridis].reverse();
  function loads(model, dark, end = 0) {
    const { there, back } = model.data.cables;
    const steps = loadSteps(dark);
    let most = end;
    if (end === 0) for (let i = 0; i < model.cableCount; ++i) most = Math.max(most, there[i] ?? 0, back[i] ?? 0);
    const classes = new Uint8Array(model.cableCount);
    for (let i = 0; i < model.cableCount; ++i) {
      const value = Math.max(there[i] ?? 0, back[i] ?? 0);
      if (value > 0) classes[i] = 1 + Math.round(value / most * (steps.length - 1));
    }
    const legend = steps.map((colour, i) => ({ colour, text: i === 0 ? "few paths" : i === steps.length - 1 ? `${count(most)} paths` : "" }));
    return { mode: "load", classes, colours: [grey(dark), ...steps], legend };
  }
  function classed(lines, classes) {
    const of = new Uint8Array(lines.count);
    for (let i = 0; i < lines.count; ++i)
      for (let m = lines.begin[i] ?? 0; m < (lines.begin[i + 1] ?? 0); ++m) of[i] = Math.max(of[i] ?? 0, classes[lines.members[m] ?? 0] ?? 0);
    const order = Uint32Array.from({ length: lines.count }, (_, i) => i);
    order.sort((i, j) => (of[i] ?? 0) - (of[j] ?? 0) || i - j);
    return { of, order };
  }

  // web/src/drawing/describe.ts
  function aboutLine(model, hit, { unit, errors, more }) {
    const lines = hit.boxes ? model.strands : model.trunks, begin = lines.begin[hit.line] ?? 0, end = lines.begin[hit.line + 1] ?? 0;
    const name = (spot) => hit.boxes ? model.boxes[spot]?.label || "box" : model.name(spot);
    const members = lines.members.subarray(begin, end);
    let most = 0, wrong = 0;
    for (const member of members) {
      const cable = model.cable(member);
      most = Math.max(most, cable.there, cable.back);
      wrong += errors.get(member) ?? 0;
    }
    const { aPort, bPort, rate, state, there, back } = model.cable(members[0] ?? 0), one = members.length === 1;
    return [
      `${name(lines.a[hit.line] ?? 0)} – ${name(lines.b[hit.line] ?? 0)}`,
      one ? [`ports ${aPort} and ${bPort}`, rate, state].filter((word) => word).join(", ") : plural(members.length, "link"),
      one ? `${count(there)} ${unit} there, ${count(back)} back` : `${count(most)} ${unit} on the most loaded`,
      wrong > 0 ? plural(wrong, "error") : "",
      hit.boxes ? "" : more
    ];
  }
  function describe(model, hit, terms) {
    let lines = [];
    if (hit && "sw" in hit) {
      lines = [model.name(hit.sw), model.guid(hit.sw), `LID ${model.data.switches.lid[hit.sw]}, ${plural(model.hosts(hit.sw), "host")}`, terms.more];
    } else if (hit && "box" in hit) {
      const box = model.boxes[hit.box];
      if (box) lines = [`${box.label || "box"}: ${plural(box.switches, "switch", "switches")}, ${plural(box.hosts, "host")}`, "click to zoom in"];
    } else if (hit) lines = aboutLine(model, hit, terms);
    return lines.filter((line) => line);
  }

  // web/src/drawing/model.ts
  var kPortsMax = 256;
  function bundle(cables, a, b, bows, spots) {
    const found = /* @__PURE__ */ new Map();
    for (let i = 0; i < cables; ++i) {
      const from = a(i), to = b(i);
      if (from === to) continue;
      const key = Math.min(from, to) * spots + Math.max(from, to);
      const list = found.get(key);
      if (list) list.push(i);
      else found.set(key, [i]);
    }
    const count2 = found.size;
    const lines = {
      count: count2,
      a: new Uint32Array(count2),
      b: new Uint32Array(count2),
      bow: new Uint8Array(count2),
      begin: new Uint32Array(count2 + 1),
      members: new Uint32Array([...found.values()].reduce((sum, list) => sum + list.length, 0))
    };
    let line = 0, at = 0;
    for (const list of found.values()) {
      const first = list[0] ?? 0;
      lines.a[line] = a(first);
      lines.b[line] = b(first);
      lines.bow[line] = bows.has(first) ? 1 : 0;
      lines.members.set(list, at);
      at += list.length;
      lines.begin[++line] = at;
    }
    return lines;
  }
  var Model = class {
    constructor(data) {
      this.data = data;
      const { layout, switches, cables } = data;
      this.count = switches.guid.length;
      this.x = Float32Array.from(layout.x, (v) => v / 100);
      this.y = Float32Array.from(layout.y, (v) => v / 100);
      this.width = Math.max(1, layout.width / 100);
      this.height = Math.max(1, layout.height / 100);
      this.boxes = layout.boxes.map((box) => ({ ...box, x: box.x / 100, y: box.y / 100, width: box.width / 100, height: box.height / 100 }));
      this.labels = layout.labels.map(({ x, y, text }) => ({ x: x / 100, y: y / 100, text }));
      this.cableCount = cables.a.length;
      const bows = new Set(cables.bows);
      const a = (i) => cables.a[i] ?? 0, b = (i) => cables.b[i] ?? 0;
      const boxOf = (sw) => layout.box[sw] ?? 0;
      this.trunks = bundle(this.cableCount, a, b, bows, this.count);
      this.strands = layout.boxed ? bundle(this.cableCount, (i) => boxOf(a(i)), (i) => boxOf(b(i)), bows, this.boxes.length) : { count: 0, a: new Uint32Array(), b: new Uint32Array(), bow: new Uint8Array(), begin: new Uint32Array(1), members: new Uint32Array() };
      switches.guid.forEach((guid, sw) => this.numbers.set(guid, sw));
      for (let i = 0; i < this.cableCount; ++i) {
        this.cables.set(a(i) * kPortsMax + (cables.a_port[i] ?? 0), i);
        this.cables.set(b(i) * kPortsMax + (cables.b_port[i] ?? 0), i);
      }
    }
    count;
    x;
    y;
    width;
    height;
    boxes;
    labels;
    trunks;
    // between switches
    strands;
    // between boxes
    cableCount;
    numbers = /* @__PURE__ */ new Map();
    cables = /* @__PURE__ */ new Map();
    boxOf(sw) {
      return this.data.layout.box[sw] ?? 0;
    }
    /** Undefined for hosts. */
    number(guid) {
      return this.numbers.get(guid);
    }
    cableAt(guid, port) {
      const sw = this.number(guid);
      return sw === void 0 ? void 0 : this.cables.get(sw * kPortsMax + port);
    }
    /** The links of a switch to switches, by its port. */
    cablesOf(sw) {
      const { a, a_port, b, b_port } = this.data.cables, ends = [];
      for (let i = 0; i < this.cableCount; ++i) if (a[i] === sw || b[i] === sw) ends.push([(a[i] === sw ? a_port : b_port)[i] ?? 0, i]);
      return ends.sort(([p], [q]) => p - q).map(([, i]) => i);
    }
    name(sw) {
      return this.data.switches.name[sw] || this.data.switches.guid[sw] || "";
    }
    guid(sw) {
      return this.data.switches.guid[sw] ?? "";
    }
    hosts(sw) {
      return this.data.switches.hosts[sw] ?? 0;
    }
    cable(i) {
      const c = this.data.cables;
      return {
        a: c.a[i] ?? 0,
        aPort: c.a_port[i] ?? 0,
        b: c.b[i] ?? 0,
        bPort: c.b_port[i] ?? 0,
        there: c.there[i] ?? 0,
        back: c.back[i] ?? 0,
        rate: c.rates[c.rate[i] ?? 0] ?? "",
        state: c.states[c.state[i] ?? 0] ?? ""
      };
    }
  };

  // web/src/drawing/repaint.ts
  var kBudget = 5;
  var Repaint = class {
    /** The picture has the size of `size`, in pixels of the device, and the present view of the painter. */
    constructor(size, painter) {
      this.painter = painter;
      this.canvas.width = size.width;
      this.canvas.height = size.height;
      this.view = { ...painter.view };
      const context = this.canvas.getContext("2d", { willReadFrequently: true });
      if (!context) throw new Error("this browser has no canvas");
      this.context = context;
      const ratio = size.width / Math.max(1, painter.width);
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      this.portions = painter.portions(context);
    }
    canvas = document.createElement("canvas");
    view;
    cost = 0;
    // ms up to now
    context;
    portions;
    /** Paints portions until the time for a frame is over; true when the picture is complete. */
    advance() {
      const { painter } = this, moved = painter.view, begun = performance.now();
      painter.view = this.view;
      let done = false;
      while (!done && performance.now() - begun < kBudget) {
        done = this.portions.next().done === true;
        this.context.getImageData(0, 0, 1, 1);
      }
      this.cost += performance.now() - begun;
      painter.view = moved;
      return done;
    }
  };

  // web/src/drawing/driver.ts
  var kSlow = 10;
  var kMany = 1e3;
  var kLate = 24;
  var kRest = 140;
  var kZoomMost = 400;
  var kZoomLeast = 0.2;
  var Driver = class {
    // the view is that of the whole fabric, and follows the size of the canvas
    constructor(canvas, painter) {
      this.canvas = canvas;
      this.painter = painter;
      const context = canvas.getContext("2d");
      if (!context) throw new Error("this browser has no canvas");
      this.context = context;
    }
    context;
    last = document.createElement("canvas");
    lastView = null;
    // the view of the picture in `last`; null: the canvas shows the current view
    shown = null;
    // the view of the last complete picture; null: there is none yet
    changed = false;
    // the data or the view has changed since the last picture
    next = null;
    cost = 0;
    late = false;
    paintedAt = 0;
    // time of the last frame if it painted during a movement; else 0
    pending = false;
    restTimer = 0;
    moving = false;
    untouched = true;
    resize(width, height) {
      const ratio = window.devicePixelRatio || 1;
      this.keep();
      this.painter.width = width;
      this.painter.height = height;
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
      if (this.untouched) this.painter.whole();
      if (!this.lastView) return this.paint();
      this.moveLast(this.lastView);
      this.draw();
    }
    /** Requests a new picture, to be called after a change of data or view. */
    draw() {
      this.changed = true;
      this.requestFrame();
    }
    requestFrame() {
      if (this.pending) return;
      this.pending = true;
      requestAnimationFrame((now) => {
        this.pending = false;
        this.frame(now);
      });
    }
    get slow() {
      return this.shown !== null && (this.late || this.cost > kSlow || this.painter.model.cableCount > kMany);
    }
    frame(now) {
      if (this.moving && this.paintedAt > 0 && now - this.paintedAt > kLate) this.late = true;
      this.paintedAt = 0;
      if (!this.slow || !this.lastView && !this.changed && !this.next) {
        this.paint();
        if (this.moving) this.paintedAt = now;
        return;
      }
      if (this.changed) this.next = new Repaint(this.canvas, this.painter);
      this.changed = false;
      if (this.next?.advance()) this.show(this.next);
      else if (this.lastView) this.moveLast(this.lastView);
      if (this.next) this.requestFrame();
    }
    paint() {
      const { canvas, context, painter } = this, begun = performance.now(), ratio = canvas.width / Math.max(1, painter.width);
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      for (const portion of painter.portions(context)) void portion;
      this.finish(performance.now() - begun, painter.view);
      this.lastView = null;
    }
    finish(cost, view) {
      this.cost = cost;
      this.shown = { ...view };
      this.changed = false;
      this.next = null;
      this.canvas.dataset["paintMs"] = this.cost.toFixed(1);
    }
    /** Shows a complete picture. If the view has changed since the picture was begun, the picture is transformed to the current view. */
    show(next) {
      const { view } = this.painter;
      this.finish(next.cost, next.view);
      if (view.k !== next.view.k || view.x !== next.view.x || view.y !== next.view.y) {
        this.copy(next.canvas, next.view);
        return this.moveLast(next.view);
      }
      this.context.setTransform(1, 0, 0, 1, 0, 0);
      this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
      this.context.drawImage(next.canvas, 0, 0);
      this.lastView = null;
    }
    /** Saves the picture at the start of a movement. */
    keep() {
      if (!this.lastView && this.shown && this.slow) this.copy(this.canvas, this.shown);
    }
    copy(from, view) {
      this.last.width = from.width;
      this.last.height = from.height;
      this.last.getContext("2d")?.drawImage(from, 0, 0);
      this.lastView = { ...view };
    }
    moveLast(from) {
      const { canvas, context, painter } = this, { view } = painter, ratio = canvas.width / Math.max(1, painter.width), f = view.k / from.k;
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, canvas.width, canvas.height);
      context.imageSmoothingEnabled = false;
      context.setTransform(f, 0, 0, f, (view.x - from.x * f) * ratio, (view.y - from.y * f) * ratio);
      context.drawImage(this.last, 0, 0);
    }
    /** Shows the last picture in the new view until the next one is complete. */
    jump(view) {
      this.keep();
      this.painter.view = view;
      this.draw();
    }
    go(view) {
      this.keep();
      this.painter.view = view;
      this.untouched = false;
      this.moving = true;
      window.clearTimeout(this.restTimer);
      this.restTimer = window.setTimeout(() => {
        this.moving = false;
        this.late = false;
        this.draw();
      }, kRest);
      this.requestFrame();
    }
    pan(dx, dy) {
      const { k, x, y } = this.painter.view;
      this.go({ k, x: x + dx, y: y + dy });
    }
    zoom(factor, px = this.painter.width / 2, py = this.painter.height / 2) {
      const { k: old, x, y } = this.painter.view, k = Math.min(kZoomMost, Math.max(kZoomLeast, old * factor)), f = k / old;
      this.go({ k, x: px - (px - x) * f, y: py - (py - y) * f });
    }
    whole() {
      this.keep();
      this.painter.whole();
      this.untouched = true;
      this.draw();
    }
    /** Zooms to a box so that its switches are drawn. */
    open(box) {
      const { width, height } = this.painter;
      const k = Math.min(60, Math.max(14, Math.min(width / (box.width + 4), height / (box.height + 4))));
      this.untouched = false;
      this.jump({ k, x: width / 2 - (box.x + box.width / 2) * k, y: height / 2 - (box.y + box.height / 2) * k });
    }
    centre(sw) {
      const { model, width, height } = this.painter, k = Math.max(this.painter.view.k, 24);
      this.untouched = false;
      this.jump({ k, x: width / 2 - (model.x[sw] ?? 0) * k, y: height / 2 - (model.y[sw] ?? 0) * k });
    }
    stop() {
      window.clearTimeout(this.restTimer);
    }
  };

  // web/src/drawing/painter.ts
  var kOpenAt = 13;
  var kBoxPart = 0.6;
  var kBoxPartMax = 0.9;
  var kBoxSideMin = 15;
  var kNone = 255;
  var kBow = 0.12;
  var kFont = 'system-ui, "DejaVu Sans", sans-serif';
  var kNear = 6;
  var kLinePortion = 500;
  var kSwitchPortion = 50;
  var kNamePortion = 8;
  var drawnSide = (side) => Math.min(side * kBoxPartMax, Math.max(side * kBoxPart, kBoxSideMin));
  var shorten = (text, most) => text.length > most ? `${text.slice(0, most - 1)}…` : text;
  var Painter = class {
    // by box: the highest class of its internal links
    constructor(model, colouring, theme) {
      this.model = model;
      this.colouring = colouring;
      this.theme = theme;
      this.trunks = classed(model.trunks, colouring.classes);
      this.strands = classed(model.strands, colouring.classes);
      this.inner = this.innerClasses();
    }
    view = { k: 1, x: 0, y: 0 };
    marks = { channels: [], switches: [] };
    focus = -1;
    // the switch with the keyboard focus; -1: none
    focusCable = null;
    // the link of this switch with the keyboard focus
    width = 1;
    height = 1;
    trunks;
    strands;
    inner = new Uint8Array();
    colour(colouring) {
      this.colouring = colouring;
      this.trunks = classed(this.model.trunks, colouring.classes);
      this.strands = classed(this.model.strands, colouring.classes);
      this.inner = this.innerClasses();
    }
    innerClasses() {
      const { model } = this, { a, b } = model.data.cables, inner = new Uint8Array(model.boxes.length).fill(kNone);
      for (let i = 0; i < model.cableCount; ++i) {
        const box = model.boxOf(a[i] ?? 0);
        if (box !== model.boxOf(b[i] ?? 0)) continue;
        const linkClass = this.colouring.classes[i] ?? 0, most = inner[box] ?? kNone;
        if (most === kNone || linkClass > most) inner[box] = linkClass;
      }
      return inner;
    }
    /** Whether boxes are drawn instead of switches. */
    get boxed() {
      return this.model.data.layout.boxed && this.view.k < kOpenAt;
    }
    whole() {
      const left = this.model.labels.length > 0 ? 92 : 24, margin = 24;
      const k = Math.min((this.width - left - margin) / this.model.width, (this.height - 2 * margin) / this.model.height, 80);
      this.view = { k, x: left + (this.width - left - margin - this.model.width * k) / 2, y: (this.height - this.model.height * k) / 2 };
    }
    sx(x) {
      return x * this.view.k + this.view.x;
    }
    sy(y) {
      return y * this.view.k + this.view.y;
    }
    /** Paints the picture in portions, one for each step. The view must not change between the steps. */
    *portions(context) {
      context.clearRect(0, 0, this.width, this.height);
      if (this.boxed) {
        yield* this.lines(context, this.model.strands, this.strands, this.boxX(), this.boxY());
        this.boxes(context);
        this.paintMarks(context);
      } else {
        yield* this.lines(context, this.model.trunks, this.trunks, this.model.x, this.model.y);
        const seen = this.seen();
        yield* this.switches(context, seen);
        this.paintMarks(context);
        yield;
        if (this.view.k > 44) yield* this.names(context, seen, this.radius());
      }
      this.labels(context);
    }
    boxX() {
      return Float32Array.from(this.model.boxes, (box) => box.x + box.width / 2);
    }
    boxY() {
      return Float32Array.from(this.model.boxes, (box) => box.y + box.height / 2);
    }
    *lines(context, lines, classes, x, y) {
      const { k, x: ox, y: oy } = this.view, { width, height } = this;
      const fade = this.marks.channels.length > 0 ? 0.45 : 1;
      const crowd = lines.count > 800 ? 0.8 : 0.95;
      const wide = (lines.count > 4e3 ? 0.35 : lines.count > 800 ? 0.6 : 1.6) * Math.min(4, Math.max(1, k / 12));
      let now = -1, painted = 0;
      context.lineCap = "butt";
      for (const i of classes.order) {
        const a = lines.a[i] ?? 0, b = lines.b[i] ?? 0;
        const ax = (x[a] ?? 0) * k + ox, ay = (y[a] ?? 0) * k + oy, bx = (x[b] ?? 0) * k + ox, by = (y[b] ?? 0) * k + oy;
        if (ax < 0 && bx < 0 || ay < 0 && by < 0 || ax > width && bx > width || ay > height && by > height) continue;
        const linkClass = classes.of[i] ?? 0;
        if (linkClass !== now || painted === kLinePortion) {
          if (now >= 0) context.stroke();
          if (painted === kLinePortion) {
            painted = 0;
            yield;
          }
          now = linkClass;
          context.beginPath();
          context.strokeStyle = this.colouring.colours[linkClass] ?? "#888";
          context.lineWidth = linkClass === 0 && this.colouring.mode === "errors" ? wide * 0.7 : wide;
          context.globalAlpha = crowd * fade;
        }
        ++painted;
        context.moveTo(ax, ay);
        if (lines.bow[i]) context.quadraticCurveTo((ax + bx) / 2 - (by - ay) * kBow, (ay + by) / 2 + (bx - ax) * kBow, bx, by);
        else context.lineTo(bx, by);
      }
      if (now >= 0) context.stroke();
      context.globalAlpha = 1;
    }
    boxes(context) {
      context.textAlign = "center";
      context.textBaseline = "middle";
      for (const [i, box] of this.model.boxes.entries()) {
        const w = drawnSide(box.width * this.view.k), h = drawnSide(box.height * this.view.k);
        const x = this.sx(box.x + box.width / 2) - w / 2, y = this.sy(box.y + box.height / 2) - h / 2;
        if (x + w < 0 || y + h < 0 || x > this.width || y > this.height) continue;
        context.globalAlpha = 0.92;
        context.fillStyle = this.theme.card;
        context.fillRect(x, y, w, h);
        context.globalAlpha = 1;
        context.strokeStyle = this.theme.ink;
        context.lineWidth = box.hosts > 0 ? 1.6 : 0.8;
        context.strokeRect(x, y, w, h);
        const linkClass = this.inner[i] ?? kNone;
        context.fillStyle = this.colouring.colours[linkClass] ?? "#888";
        if (linkClass !== kNone) context.fillRect(x + 1, y + h - Math.min(5, h / 4), w - 2, Math.min(4, h / 4));
        if (w <= 14 || h <= 9) continue;
        context.fillStyle = this.theme.ink;
        context.font = `${Math.max(9, Math.min(13, h * 0.6))}px ${kFont}`;
        context.fillText(String(box.switches), x + w / 2, y + h / 2);
      }
    }
    radius() {
      return Math.max(1.6, Math.min(12, this.view.k * 0.3));
    }
    /** The switches within the picture. */
    seen() {
      const { model } = this, seen = [];
      for (let sw = 0; sw < model.count; ++sw) {
        const x = this.sx(model.x[sw] ?? 0), y = this.sy(model.y[sw] ?? 0);
        if (x > -60 && x < this.width + 60 && y > -30 && y < this.height + 30) seen.push(sw);
      }
      return seen;
    }
    *switches(context, seen) {
      const r = this.radius(), { model } = this;
      for (let at = 0; at < seen.length; at += kSwitchPortion) {
        const portion = seen.slice(at, at + kSwitchPortion);
        for (const filled of [true, false]) {
          context.beginPath();
          for (const sw of portion) {
            if (model.hosts(sw) > 0 !== filled) continue;
            const x = this.sx(model.x[sw] ?? 0), y = this.sy(model.y[sw] ?? 0);
            context.moveTo(x + r, y);
            context.arc(x, y, r, 0, 2 * Math.PI);
          }
          context.fillStyle = filled ? this.theme.ink : this.theme.card;
          context.strokeStyle = filled ? this.theme.card : this.theme.ink;
          context.lineWidth = filled ? 0.6 : 1.2;
          context.fill();
          context.stroke();
        }
        if (r >= 8) this.hostCounts(context, portion, r);
        yield;
      }
    }
    hostCounts(context, seen, r) {
      context.fillStyle = this.theme.card;
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.font = `${Math.round(r)}px ${kFont}`;
      for (const sw of seen) {
        const hosts = this.model.hosts(sw);
        if (hosts > 0) context.fillText(String(hosts), this.sx(this.model.x[sw] ?? 0), this.sy(this.model.y[sw] ?? 0) + 0.5);
      }
    }
    *names(context, seen, r) {
      for (let at = 0; at < seen.length; at += kNamePortion) {
        context.fillStyle = this.theme.soft;
        context.textAlign = "center";
        context.textBaseline = "top";
        context.font = `11px ${kFont}`;
        context.strokeStyle = this.theme.card;
        context.lineWidth = 3;
        context.lineJoin = "round";
        for (const sw of seen.slice(at, at + kNamePortion)) {
          const text = shorten(this.model.name(sw), 18), x = this.sx(this.model.x[sw] ?? 0), y = this.sy(this.model.y[sw] ?? 0) + r + 2;
          context.strokeText(text, x, y);
          context.fillText(text, x, y);
        }
        yield;
      }
    }
    paintMarks(context) {
      const { model } = this, point = (sw) => [this.sx(model.x[sw] ?? 0), this.sy(model.y[sw] ?? 0)];
      context.strokeStyle = context.fillStyle = this.theme.mark;
      context.lineWidth = 3.5;
      const bows = new Set(model.data.cables.bows);
      const focused = this.focusCable === null ? [] : [{ cable: this.focusCable, back: false, both: true }];
      for (const channel of [...this.marks.channels, ...focused]) {
        const cable = model.cable(channel.cable), [ax, ay] = point(cable.a), [bx, by] = point(cable.b);
        context.beginPath();
        context.moveTo(ax, ay);
        const bow = bows.has(channel.cable);
        const cx = (ax + bx) / 2 - (bow ? (by - ay) * kBow : 0), cy = (ay + by) / 2 + (bow ? (bx - ax) * kBow : 0);
        context.quadraticCurveTo(cx, cy, bx, by);
        context.stroke();
        if (!channel.both) this.arrow(context, (ax + bx) / 4 + cx / 2, (ay + by) / 4 + cy / 2, channel.back ? ax - bx : bx - ax, channel.back ? ay - by : by - ay);
      }
      context.lineWidth = 3;
      const r = Math.max(5, this.radius() + 2);
      for (const [i, sw] of (this.focus >= 0 ? [...this.marks.switches, this.focus] : this.marks.switches).entries()) {
        const [x, y] = point(sw);
        context.beginPath();
        context.arc(x, y, r, 0, 2 * Math.PI);
        context.strokeStyle = this.theme.mark;
        context.stroke();
        this.label(context, x, y - r - 4, this.marks.texts?.[i] ?? this.model.name(sw));
      }
    }
    /** Whether a marked switch or an end of a marked link is in the view, or nothing is marked. */
    hasVisibleMarks() {
      const { model, marks } = this, { a, b } = model.data.cables;
      const marked = [...marks.switches, ...marks.channels.flatMap(({ cable }) => [a[cable] ?? 0, b[cable] ?? 0])];
      return marked.length === 0 || marked.some((sw) => {
        const x = this.sx(model.x[sw] ?? 0), y = this.sy(model.y[sw] ?? 0);
        return x > 0 && x < this.width && y > 0 && y < this.height;
      });
    }
    arrow(context, x, y, dx, dy) {
      const length = Math.hypot(dx, dy);
      if (length < 14) return;
      const ux = dx / length * 7, uy = dy / length * 7;
      context.beginPath();
      context.moveTo(x + ux, y + uy);
      context.lineTo(x - ux - uy * 0.8, y - uy + ux * 0.8);
      context.lineTo(x - ux + uy * 0.8, y - uy - ux * 0.8);
      context.closePath();
      context.fill();
    }
    label(context, x, y, text) {
      const words = shorten(text, 32);
      context.font = `600 12px ${kFont}`;
      context.textAlign = "center";
      context.textBaseline = "bottom";
      const w = context.measureText(words).width, at = Math.min(Math.max(x, w / 2 + 6), this.width - w / 2 - 6);
      context.globalAlpha = 0.85;
      context.fillStyle = this.theme.card;
      context.fillRect(at - w / 2 - 4, y - 15, w + 8, 16);
      context.globalAlpha = 1;
      context.fillStyle = this.theme.ink;
      context.fillText(words, at, y);
    }
    labels(context) {
      context.font = `12px ${kFont}`;
      context.textAlign = "left";
      context.textBaseline = "middle";
      for (const { y, text } of this.model.labels) {
        const at = this.sy(y);
        context.globalAlpha = 0.85;
        context.fillStyle = this.theme.card;
        context.fillRect(6, at - 9, context.measureText(text).width + 8, 18);
        context.globalAlpha = 1;
        context.fillStyle = this.theme.soft;
        context.fillText(text, 10, at);
      }
    }
    hit(px, py) {
      const { model } = this;
      if (this.boxed) {
        const box = model.boxes.findIndex((b) => px >= this.sx(b.x) && px <= this.sx(b.x + b.width) && py >= this.sy(b.y) && py <= this.sy(b.y + b.height));
        if (box >= 0) return { box };
        return this.hitLine(px, py, model.strands, this.boxX(), this.boxY(), true);
      }
      const r = this.radius() + 3;
      let best = -1, nearest = r * r;
      for (let sw = 0; sw < model.count; ++sw) {
        const d = (this.sx(model.x[sw] ?? 0) - px) ** 2 + (this.sy(model.y[sw] ?? 0) - py) ** 2;
        if (d < nearest) [nearest, best] = [d, sw];
      }
      return best >= 0 ? { sw: best } : this.hitLine(px, py, model.trunks, model.x, model.y, false);
    }
    hitLine(px, py, lines, x, y, boxes) {
      let best = -1, nearest = kNear * kNear;
      for (let i = 0; i < lines.count; ++i) {
        const a = lines.a[i] ?? 0, b = lines.b[i] ?? 0;
        const ax = this.sx(x[a] ?? 0), ay = this.sy(y[a] ?? 0), bx = this.sx(x[b] ?? 0), by = this.sy(y[b] ?? 0);
        const bow = lines.bow[i] ? kBow : 0;
        const cx = (ax + bx) / 2 - (by - ay) * bow, cy = (ay + by) / 2 + (bx - ax) * bow;
        if (px < Math.min(ax, bx, cx) - kNear || px > Math.max(ax, bx, cx) + kNear || py < Math.min(ay, by, cy) - kNear || py > Math.max(ay, by, cy) + kNear) continue;
        const steps = bow ? 8 : 1;
        let fx = ax, fy = ay;
        for (let s = 1; s <= steps; ++s) {
          const t = s / steps, tx = (1 - t) ** 2 * ax + 2 * t * (1 - t) * cx + t * t * bx, ty = (1 - t) ** 2 * ay + 2 * t * (1 - t) * cy + t * t * by;
          const d = toSegment(px, py, fx, fy, tx, ty);
          if (d < nearest) [nearest, best] = [d, i];
          [fx, fy] = [tx, ty];
        }
      }
      return best >= 0 ? { line: best, boxes } : null;
    }
  };
  function toSegment(x, y, ax, ay, bx, by) {
    const dx = bx - ax, dy = by - ay, all = dx * dx + dy * dy;
    const t = all > 0 ? Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / all)) : 0;
    return (x - ax - t * dx) ** 2 + (y - ay - t * dy) ** 2;
  }

  // web/src/drawing/stage.ts
  var kStep = 60;
  var kClickMove = 4;
  function themeNow() {
    const style = getComputedStyle(document.documentElement), colour = (name) => style.getPropertyValue(name).trim();
    return { ink: colour("--ink"), soft: colour("--soft"), card: colour("--card"), mark: colour("--mark") };
  }
  var Stage = class {
    /** Keeps the view of `before` if the user changed that view and the layout has the same size. */
    constructor(canvas, model, colours, frame, before = null) {
      this.canvas = canvas;
      this.model = model;
      this.frame = frame;
      this.painter = new Painter(model, colours, themeNow());
      this.driver = new Driver(canvas, this.painter);
      if (before && before.model.width === model.width && before.model.height === model.height && !before.driver.untouched) {
        this.painter.view = before.painter.view;
        this.driver.untouched = false;
      }
      this.observer = new ResizeObserver(([entry]) => {
        if (entry) this.driver.resize(entry.contentRect.width, entry.contentRect.height);
      });
      if (canvas.parentElement) this.observer.observe(canvas.parentElement);
      this.listen();
    }
    painter;
    driver;
    ended = new AbortController();
    observer;
    drag = null;
    stop() {
      this.ended.abort();
      this.observer.disconnect();
      this.driver.stop();
    }
    listen() {
      const { canvas } = this, { signal } = this.ended;
      canvas.addEventListener("wheel", (event) => {
        event.preventDefault();
        this.driver.zoom(Math.exp(-event.deltaY * 15e-4), ...this.place(event));
      }, { passive: false, signal });
      canvas.addEventListener("pointerdown", (event) => {
        const [x, y] = this.place(event);
        this.drag = { x, y, moved: false };
        canvas.setPointerCapture(event.pointerId);
      }, { signal });
      canvas.addEventListener("pointermove", (event) => this.move(...this.place(event)), { signal });
      canvas.addEventListener("pointerup", (event) => {
        const clicked = this.drag && !this.drag.moved;
        this.drag = null;
        if (clicked) this.follow(this.painter.hit(...this.place(event)));
      }, { signal });
      canvas.addEventListener("pointerleave", () => this.frame.tip(null), { signal });
      canvas.addEventListener("keydown", (event) => this.key(event), { signal });
    }
    place(event) {
      const box = this.canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    }
    move(x, y) {
      const { drag } = this;
      if (!drag) {
        const words = this.frame.words(this.painter.hit(x, y));
        return this.frame.tip(words.length > 0 ? { x, y, words } : null);
      }
      if (!drag.moved && Math.hypot(x - drag.x, y - drag.y) < kClickMove) return;
      this.frame.tip(null);
      this.driver.pan(x - drag.x, y - drag.y);
      this.drag = { x, y, moved: true };
    }
    openLink(i) {
      const { a, aPort } = this.model.cable(i);
      this.frame.open({ guid: this.model.guid(a), port: aPort });
    }
    follow(hit) {
      const { model } = this;
      if (!hit) return;
      if ("sw" in hit) this.frame.open({ guid: model.guid(hit.sw) });
      else if ("box" in hit) {
        const box = model.boxes[hit.box];
        this.frame.tip(null);
        if (box) this.driver.open(box);
      } else if (!hit.boxes) this.openLink(model.trunks.members[model.trunks.begin[hit.line] ?? 0] ?? 0);
    }
    announce(text) {
      this.canvas.setAttribute("aria-label", `The fabric. ${text}`);
      this.frame.announce(text);
    }
    focusSwitch(step) {
      const { painter, model } = this;
      painter.focus = painter.focus < 0 ? step > 0 ? 0 : model.count - 1 : (painter.focus + step + model.count) % model.count;
      painter.focusCable = null;
      this.driver.centre(painter.focus);
      this.announce(`At ${model.name(painter.focus)}.`);
    }
    focusLink(step) {
      const { painter, model } = this, cables = model.cablesOf(painter.focus), at = painter.focusCable === null ? -1 : cables.indexOf(painter.focusCable);
      const next = cables[at < 0 ? step > 0 ? 0 : cables.length - 1 : (at + step + cables.length) % cables.length];
      if (next === void 0) return this.announce(`At ${model.name(painter.focus)}, which has no links to switches.`);
      const { a, aPort, b, bPort } = model.cable(next);
      painter.focusCable = next;
      this.driver.draw();
      this.announce(`At the link ${model.name(a)} port ${aPort} to ${model.name(b)} port ${bPort}.`);
    }
    key(event) {
      const { driver, painter } = this;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const steps = { ArrowLeft: [kStep, 0], ArrowRight: [-kStep, 0], ArrowUp: [0, kStep], ArrowDown: [0, -kStep] };
      const step = steps[event.key];
      if (step) driver.pan(...step);
      else if (event.key === "+" || event.key === "=") driver.zoom(1.25);
      else if (event.key === "-") driver.zoom(0.8);
      else if (event.key === "0") driver.whole();
      else if (event.key === "n" || event.key === "N") this.focusSwitch(event.key === "n" ? 1 : -1);
      else if ((event.key === "c" || event.key === "C") && painter.focus >= 0) this.focusLink(event.key === "c" ? 1 : -1);
      else if (event.key === "Enter" && painter.focus >= 0) {
        if (painter.focusCable !== null) this.openLink(painter.focusCable);
        else this.frame.open({ guid: this.model.guid(painter.focus) });
      } else return;
      event.preventDefault();
      event.stopPropagation();
    }
  };

  // web/src/drawing/report.ts
  var Drawing = class {
    /** `hosts`: their number by switch. `tip`: the element of the tooltip. */
    constructor(data, hosts, canvas, tip) {
      this.tip = tip;
      const none = data.cables.a.map(() => 0);
      this.model = new Model({
        sweep: 0,
        engine: "",
        layout: data.layout,
        switches: { ...data.switches, hosts },
        cables: { ...data.cables, there: none, back: none, state: none, states: [] }
      });
      this.stage = new Stage(canvas, this.model, loads(this.model, false), {
        words: (hit) => this.describe(hit),
        tip: (shown) => this.show(shown),
        announce: () => void 0,
        open: () => void 0
      });
    }
    stage;
    model;
    unit = "";
    describe(hit) {
      return describe(this.model, hit, { unit: this.unit, errors: /* @__PURE__ */ new Map(), more: "" });
    }
    show(shown) {
      const { tip } = this, { width, height } = this.stage.painter;
      tip.hidden = !shown;
      if (!shown) return;
      tip.replaceChildren(...shown.words.map((line) => Object.assign(document.createElement("div"), { textContent: line })));
      const { x, y } = shown, { offsetWidth: w, offsetHeight: h } = tip;
      tip.style.left = `${Math.max(4, x + 14 + w > width ? x - w - 10 : x + 14)}px`;
      tip.style.top = `${Math.max(4, y + 14 + h > height ? y - h - 10 : y + 14)}px`;
    }
    /** `values`: two for each link, one for each direction. `most`: the end of the scale. */
    colour(values, unit, most, dark) {
      const { cables } = this.model.data;
      cables.there = cables.a.map((_, i) => values[2 * i] ?? 0);
      cables.back = cables.a.map((_, i) => values[2 * i + 1] ?? 0);
      this.unit = unit;
      this.stage.painter.theme = themeNow();
      this.stage.painter.colour(loads(this.model, dark, most));
      this.stage.driver.draw();
    }
    /** Highlights links and switches. Shows the whole fabric if none of them is in the view. */
    mark(marks) {
      const { painter, driver } = this.stage;
      painter.marks = marks;
      if (!painter.hasVisibleMarks()) driver.whole();
      driver.draw();
    }
    whole() {
      this.stage.driver.whole();
    }
    find(sw) {
      this.stage.driver.centre(sw);
      this.mark({ channels: [], switches: [sw] });
    }
  };
  Object.assign(globalThis, { WeftDrawing: { Drawing, loadSteps } });
})();
