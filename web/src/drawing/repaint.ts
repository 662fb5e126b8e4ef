// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A picture of a large fabric that is painted in portions over several frames, on a canvas which is not visible.
import type { Painter, View } from "./painter";

const kBudget = 5; // ms of a frame, so that a frame takes less than the 16.7 ms of 60 frames a second

export class Repaint {
  readonly canvas = document.createElement("canvas");
  readonly view: View;
  cost = 0; // ms up to now
  private readonly context: CanvasRenderingContext2D;
  private readonly portions: Generator<void>;

  /** The picture has the size of `size`, in pixels of the device, and the present view of the painter. */
  constructor(size: HTMLCanvasElement, private readonly painter: Painter) {
    this.canvas.width = size.width;
    this.canvas.height = size.height;
    this.view = { ...painter.view };
    // Drawn by the processor: advance() reads pixels.
    const context = this.canvas.getContext("2d", { willReadFrequently: true });
    if (!context) throw new Error("this browser has no canvas");
    this.context = context;
    const ratio = size.width / Math.max(1, painter.width);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.portions = painter.portions(context);
  }

  /** Paints portions until the time for a frame is over; true when the picture is complete. */
  advance(): boolean {
    const { painter } = this, moved = painter.view, begun = performance.now();
    painter.view = this.view;
    let done = false;
    while (!done && performance.now() - begun < kBudget) {
      done = this.portions.next().done === true;
      this.context.getImageData(0, 0, 1, 1); // otherwise the browser draws all portions together at the end
    }
    this.cost += performance.now() - begun;
    painter.view = moved;
    return done;
  }
}
