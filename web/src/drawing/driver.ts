// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Moves the view and paints when necessary. If painting is slow, dragging and zooming transform the last picture, and the next one
// is painted in portions, one for each frame: the cost of a frame does not depend on the fabric.
import type { Painter, View } from "./painter";
import { Repaint } from "./repaint";

const kSlow = 10; // ms; slower pictures are not painted in each frame
const kMany = 1000; // links; larger pictures count as slow, since the browser may draw them only after paint() has returned
const kLate = 24; // ms from a painted frame to the next; a longer time means that the browser draws slowly
const kRest = 140; // ms without movement before painting again
const kZoomMost = 400;
const kZoomLeast = 0.2;

export class Driver {
  private readonly context: CanvasRenderingContext2D;
  private readonly last = document.createElement("canvas");
  private lastView: View | null = null; // the view of the picture in `last`; null: the canvas shows the current view
  private shown: View | null = null; // the view of the last complete picture; null: there is none yet
  private changed = false; // the data or the view has changed since the last picture
  private next: Repaint | null = null;
  private cost = 0;
  private late = false;
  private paintedAt = 0; // time of the last frame if it painted during a movement; else 0
  private pending = false;
  private restTimer = 0;
  private moving = false;
  untouched = true; // the view is that of the whole fabric, and follows the size of the canvas

  constructor(readonly canvas: HTMLCanvasElement, readonly painter: Painter) {
    const context = canvas.getContext("2d");
    if (!context) throw new Error("this browser has no canvas");
    this.context = context;
  }

  resize(width: number, height: number): void {
    const ratio = window.devicePixelRatio || 1;
    this.keep();
    this.painter.width = width;
    this.painter.height = height;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    if (this.untouched) this.painter.whole();
    // A new size clears the canvas: without a picture at once it would be blank until the next frame.
    if (!this.lastView) return this.paint();
    this.moveLast(this.lastView);
    this.draw();
  }

  /** Requests a new picture, to be called after a change of data or view. */
  draw(): void {
    this.changed = true;
    this.requestFrame();
  }

  private requestFrame(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame((now) => {
      this.pending = false;
      this.frame(now);
    });
  }

  private get slow(): boolean { return this.shown !== null && (this.late || this.cost > kSlow || this.painter.model.cableCount > kMany); }

  private frame(now: number): void {
    if (this.moving && this.paintedAt > 0 && now - this.paintedAt > kLate) this.late = true;
    this.paintedAt = 0;
    if (!this.slow || (!this.lastView && !this.changed && !this.next)) {
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

  private paint(): void {
    const { canvas, context, painter } = this, begun = performance.now(), ratio = canvas.width / Math.max(1, painter.width);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    for (const portion of painter.portions(context)) void portion;
    this.finish(performance.now() - begun, painter.view);
    this.lastView = null;
  }

  private finish(cost: number, view: View): void {
    this.cost = cost;
    this.shown = { ...view };
    this.changed = false;
    this.next = null;
    this.canvas.dataset["paintMs"] = this.cost.toFixed(1);
  }

  /** Shows a complete picture. If the view has changed since the picture was begun, the picture is transformed to the current view. */
  private show(next: Repaint): void {
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
  private keep(): void {
    if (!this.lastView && this.shown && this.slow) this.copy(this.canvas, this.shown);
  }

  private copy(from: HTMLCanvasElement, view: View): void {
    this.last.width = from.width;
    this.last.height = from.height;
    this.last.getContext("2d")?.drawImage(from, 0, 0);
    this.lastView = { ...view };
  }

  private moveLast(from: View): void {
    const { canvas, context, painter } = this, { view } = painter, ratio = canvas.width / Math.max(1, painter.width), f = view.k / from.k;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.imageSmoothingEnabled = false;
    context.setTransform(f, 0, 0, f, (view.x - from.x * f) * ratio, (view.y - from.y * f) * ratio);
    context.drawImage(this.last, 0, 0);
  }

  /** Shows the last picture in the new view until the next one is complete. */
  private jump(view: View): void {
    this.keep();
    this.painter.view = view;
    this.draw();
  }

  private go(view: View): void {
    this.keep();
    this.painter.view = view;
    this.untouched = false;
    this.moving = true;
    window.clearTimeout(this.restTimer);
    this.restTimer = window.setTimeout(() => { this.moving = false; this.late = false; this.draw(); }, kRest);
    this.requestFrame();
  }

  pan(dx: number, dy: number): void {
    const { k, x, y } = this.painter.view;
    this.go({ k, x: x + dx, y: y + dy });
  }

  zoom(factor: number, px = this.painter.width / 2, py = this.painter.height / 2): void {
    const { k: old, x, y } = this.painter.view, k = Math.min(kZoomMost, Math.max(kZoomLeast, old * factor)), f = k / old;
    this.go({ k, x: px - (px - x) * f, y: py - (py - y) * f });
  }

  whole(): void {
    this.keep();
    this.painter.whole();
    this.untouched = true;
    this.draw();
  }

  /** Zooms to a box so that its switches are drawn. */
  open(box: { x: number; y: number; width: number; height: number }): void {
    const { width, height } = this.painter;
    const k = Math.min(60, Math.max(14, Math.min(width / (box.width + 4), height / (box.height + 4))));
    this.untouched = false;
    this.jump({ k, x: width / 2 - (box.x + box.width / 2) * k, y: height / 2 - (box.y + box.height / 2) * k });
  }

  centre(sw: number): void {
    const { model, width, height } = this.painter, k = Math.max(this.painter.view.k, 24);
    this.untouched = false;
    this.jump({ k, x: width / 2 - (model.x[sw] ?? 0) * k, y: height / 2 - (model.y[sw] ?? 0) * k });
  }

  stop(): void {
    window.clearTimeout(this.restTimer);
  }
}
