// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Paints the fabric on a canvas. Large fabrics are drawn as boxes of switches until the zoom is high enough. Independent of the
// rest of the page.
import { classed, type Colouring } from "./colours";
import type { Lines, Model } from "./model";

export interface View {
  k: number; // pixels per unit
  x: number;
  y: number;
}

export interface Marks {
  channels: { cable: number; back: boolean; both?: boolean }[];
  switches: number[];
  texts?: string[]; // of the switches, instead of their names
}

export interface Theme {
  ink: string;
  soft: string;
  card: string;
  mark: string;
}

export type Hit = { sw: number } | { box: number } | { line: number; boxes: boolean } | null;

const kOpenAt = 13; // pixels per unit above which switches are drawn instead of boxes
const kBoxPart = 0.6; // drawn part of the sides of a box, so that links between boxes are visible
const kBoxPartMax = 0.9; // the same for a small box
const kBoxSideMin = 15; // px; a box with this side has space for its number of switches
const kNone = 255; // no link within the box
const kBow = 0.12; // distance of the control point of a bow from the line, by the length of the line
const kFont = 'system-ui, "DejaVu Sans", sans-serif';
const kNear = 6; // px from a line within which the pointer is on the line
// Lines, switches and names in one portion of the picture. Without a graphics card a portion takes up to 4 ms.
const kLinePortion = 500;
const kSwitchPortion = 50;
const kNamePortion = 8;

const drawnSide = (side: number): number => Math.min(side * kBoxPartMax, Math.max(side * kBoxPart, kBoxSideMin));
const shorten = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

export class Painter {
  view: View = { k: 1, x: 0, y: 0 };
  marks: Marks = { channels: [], switches: [] };
  focus = -1; // the switch with the keyboard focus; -1: none
  focusCable: number | null = null; // the link of this switch with the keyboard focus
  width = 1;
  height = 1;
  private trunks: { of: Uint8Array; order: Uint32Array };
  private strands: { of: Uint8Array; order: Uint32Array };
  private inner: Uint8Array = new Uint8Array(); // by box: the highest class of its internal links

  constructor(readonly model: Model, private colouring: Colouring, public theme: Theme) {
    this.trunks = classed(model.trunks, colouring.classes);
    this.strands = classed(model.strands, colouring.classes);
    this.inner = this.innerClasses();
  }

  colour(colouring: Colouring): void {
    this.colouring = colouring;
    this.trunks = classed(this.model.trunks, colouring.classes);
    this.strands = classed(this.model.strands, colouring.classes);
    this.inner = this.innerClasses();
  }

  private innerClasses(): Uint8Array {
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
  get boxed(): boolean { return this.model.data.layout.boxed && this.view.k < kOpenAt; }

  whole(): void {
    const left = this.model.labels.length > 0 ? 92 : 24, margin = 24;
    const k = Math.min((this.width - left - margin) / this.model.width, (this.height - 2 * margin) / this.model.height, 80);
    this.view = { k, x: left + (this.width - left - margin - this.model.width * k) / 2, y: (this.height - this.model.height * k) / 2 };
  }

  sx(x: number): number { return x * this.view.k + this.view.x; }
  sy(y: number): number { return y * this.view.k + this.view.y; }

  /** Paints the picture in portions, one for each step. The view must not change between the steps. */
  *portions(context: CanvasRenderingContext2D): Generator<void> {
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

  private boxX(): Float32Array { return Float32Array.from(this.model.boxes, (box) => box.x + box.width / 2); }
  private boxY(): Float32Array { return Float32Array.from(this.model.boxes, (box) => box.y + box.height / 2); }

  private *lines(context: CanvasRenderingContext2D, lines: Lines, classes: { of: Uint8Array; order: Uint32Array }, x: Float32Array, y: Float32Array): Generator<void> {
    const { k, x: ox, y: oy } = this.view, { width, height } = this;
    const fade = this.marks.channels.length > 0 ? 0.45 : 1;
    // The lines of a class are one canvas path, so that crossings are as opaque as the lines. Many lines are thin, because wide lines would
    // cover the whole area.
    const crowd = lines.count > 800 ? 0.8 : 0.95;
    const wide = (lines.count > 4000 ? 0.35 : lines.count > 800 ? 0.6 : 1.6) * Math.min(4, Math.max(1, k / 12));
    let now = -1, painted = 0;
    context.lineCap = "butt";
    for (const i of classes.order) {
      const a = lines.a[i] ?? 0, b = lines.b[i] ?? 0;
      const ax = (x[a] ?? 0) * k + ox, ay = (y[a] ?? 0) * k + oy, bx = (x[b] ?? 0) * k + ox, by = (y[b] ?? 0) * k + oy;
      if ((ax < 0 && bx < 0) || (ay < 0 && by < 0) || (ax > width && bx > width) || (ay > height && by > height)) continue;
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

  private boxes(context: CanvasRenderingContext2D): void {
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
      // The class of the internal links, as a bar at the bottom.
      const linkClass = this.inner[i] ?? kNone;
      context.fillStyle = this.colouring.colours[linkClass] ?? "#888";
      if (linkClass !== kNone) context.fillRect(x + 1, y + h - Math.min(5, h / 4), w - 2, Math.min(4, h / 4));
      if (w <= 14 || h <= 9) continue;
      context.fillStyle = this.theme.ink;
      context.font = `${Math.max(9, Math.min(13, h * 0.6))}px ${kFont}`;
      context.fillText(String(box.switches), x + w / 2, y + h / 2);
    }
  }

  radius(): number { return Math.max(1.6, Math.min(12, this.view.k * 0.3)); }

  /** The switches within the picture. */
  private seen(): number[] {
    const { model } = this, seen: number[] = [];
    for (let sw = 0; sw < model.count; ++sw) {
      const x = this.sx(model.x[sw] ?? 0), y = this.sy(model.y[sw] ?? 0);
      if (x > -60 && x < this.width + 60 && y > -30 && y < this.height + 30) seen.push(sw);
    }
    return seen;
  }

  private *switches(context: CanvasRenderingContext2D, seen: number[]): Generator<void> {
    const r = this.radius(), { model } = this;
    for (let at = 0; at < seen.length; at += kSwitchPortion) {
      const portion = seen.slice(at, at + kSwitchPortion);
      // Switches with hosts are filled, others hollow: two canvas paths for all.
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

  private hostCounts(context: CanvasRenderingContext2D, seen: number[], r: number): void {
    context.fillStyle = this.theme.card;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.font = `${Math.round(r)}px ${kFont}`;
    for (const sw of seen) {
      const hosts = this.model.hosts(sw);
      if (hosts > 0) context.fillText(String(hosts), this.sx(this.model.x[sw] ?? 0), this.sy(this.model.y[sw] ?? 0) + 0.5);
    }
  }

  private *names(context: CanvasRenderingContext2D, seen: number[], r: number): Generator<void> {
    for (let at = 0; at < seen.length; at += kNamePortion) {
      context.fillStyle = this.theme.soft;
      context.textAlign = "center";
      context.textBaseline = "top";
      context.font = `11px ${kFont}`;
      // An outline in the background colour separates the letters from links.
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

  private paintMarks(context: CanvasRenderingContext2D): void {
    const { model } = this, point = (sw: number): [number, number] => [this.sx(model.x[sw] ?? 0), this.sy(model.y[sw] ?? 0)];
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
  hasVisibleMarks(): boolean {
    const { model, marks } = this, { a, b } = model.data.cables;
    const marked = [...marks.switches, ...marks.channels.flatMap(({ cable }) => [a[cable] ?? 0, b[cable] ?? 0])];
    return marked.length === 0 || marked.some((sw) => {
      const x = this.sx(model.x[sw] ?? 0), y = this.sy(model.y[sw] ?? 0);
      return x > 0 && x < this.width && y > 0 && y < this.height;
    });
  }

  private arrow(context: CanvasRenderingContext2D, x: number, y: number, dx: number, dy: number): void {
    const length = Math.hypot(dx, dy);
    if (length < 14) return;
    const ux = (dx / length) * 7, uy = (dy / length) * 7;
    context.beginPath();
    context.moveTo(x + ux, y + uy);
    context.lineTo(x - ux - uy * 0.8, y - uy + ux * 0.8);
    context.lineTo(x - ux + uy * 0.8, y - uy - ux * 0.8);
    context.closePath();
    context.fill();
  }

  private label(context: CanvasRenderingContext2D, x: number, y: number, text: string): void {
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

  private labels(context: CanvasRenderingContext2D): void {
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

  hit(px: number, py: number): Hit {
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

  private hitLine(px: number, py: number, lines: Lines, x: Float32Array, y: Float32Array, boxes: boolean): Hit {
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
}

/** Square of the distance of a point from a segment. */
function toSegment(x: number, y: number, ax: number, ay: number, bx: number, by: number): number {
  const dx = bx - ax, dy = by - ay, all = dx * dx + dy * dy;
  const t = all > 0 ? Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / all)) : 0;
  return (x - ax - t * dx) ** 2 + (y - ay - t * dy) ** 2;
}
