// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { beforeEach, expect, test, vi } from "vitest";
import { Driver } from "../src/drawing/driver";
import type { Painter } from "../src/drawing/painter";

// A browser whose clock, frames and timers the test moves. `copies`: pictures that are drawn from another canvas, with their transform.
let clock = 0, paintMs = 0, paints = 0, frames: ((now: number) => void)[] = [], timers = new Map<number, () => void>();
let transform: number[] = [], copies: number[][] = [];

function canvas(): HTMLCanvasElement {
  const context = {
    setTransform: (...values: number[]) => { transform = values; },
    clearRect: () => undefined,
    drawImage: () => { copies.push(transform); },
  };
  return { width: 0, height: 0, dataset: {}, getContext: () => context } as unknown as HTMLCanvasElement;
}

function driverOf(links: number): Driver {
  const painter = { model: { cableCount: links }, view: { k: 1, x: 0, y: 0 }, width: 0, height: 0, whole: () => undefined, paint: () => { paints += 1; clock += paintMs; } };
  const driver = new Driver(canvas(), painter as unknown as Painter);
  driver.resize(800, 600);
  paints = 0;
  copies = [];
  return driver;
}

/** The next frame, so many ms after the last one. */
function frame(after = 16): void {
  clock += after;
  const due = frames;
  frames = [];
  for (const call of due) call(clock);
}

function rest(): void {
  const due = [...timers.values()];
  timers.clear();
  for (const call of due) call();
}

beforeEach(() => {
  clock = paintMs = paints = 0;
  frames = [];
  timers = new Map();
  vi.stubGlobal("performance", { now: () => clock });
  vi.stubGlobal("requestAnimationFrame", (call: (now: number) => void) => frames.push(call));
  vi.stubGlobal("document", { createElement: canvas });
  let last = 0;
  vi.stubGlobal("window", {
    devicePixelRatio: 1,
    setTimeout: (call: () => void) => { timers.set(++last, call); return last; },
    clearTimeout: (timer: number) => timers.delete(timer),
  });
});

test("a drawing of 4,000 links is painted in each frame of a movement", () => {
  const driver = driverOf(4000);
  for (let step = 0; step < 5; ++step) {
    driver.pan(3, 0);
    frame();
  }
  expect([paints, copies.length]).toEqual([5, 0]);
});

test("one with more links is moved as a picture, and painted after the movement", () => {
  const driver = driverOf(4001);
  for (let step = 0; step < 5; ++step) {
    driver.pan(3, 1);
    frame();
  }
  expect(paints).toBe(0);
  // The first is the copy at the start; each frame moves it by the whole way.
  expect(copies.slice(1)).toEqual([1, 2, 3, 4, 5].map((step) => [1, 0, 0, 1, 3 * step, step]));
  rest();
  frame();
  expect(paints).toBe(1);
  driver.pan(3, 1);  // from the new picture
  frame();
  expect([paints, copies.at(-1)]).toEqual([1, [1, 0, 0, 1, 3, 1]]);
});

test("the picture is scaled about the point of the zoom", () => {
  const driver = driverOf(4001);
  driver.zoom(2, 100, 50);
  frame();
  expect(copies.at(-1)).toEqual([2, 0, 0, 2, -100, -50]);
});

test("a drawing that takes more than 10 ms is moved as a picture, whatever its links", () => {
  paintMs = 11;
  const driver = driverOf(1);
  driver.pan(1, 0);
  frame();
  expect([paints, copies.length]).toEqual([0, 2]);
});

test("a drawing whose frames are late is moved as a picture until the movement ends", () => {
  const driver = driverOf(1);
  for (const after of [16, 25, 16]) {
    driver.pan(1, 0);
    frame(after);
  }
  expect([paints, copies.length]).toEqual([2, 2]);
  rest();
  frame();
  driver.pan(1, 0);
  frame();
  expect([paints, copies.length]).toEqual([4, 2]);
});

test("the time without movement makes no frame late", () => {
  const driver = driverOf(1);
  driver.pan(1, 0);
  frame(1000);
  rest();
  frame();
  driver.pan(1, 0);
  frame(1000);
  driver.pan(1, 0);
  frame();
  expect([paints, copies.length]).toEqual([4, 0]);
});

test("a change of the drawing is painted during a movement", () => {
  const driver = driverOf(4001);
  driver.pan(1, 0);
  frame();
  driver.draw();
  frame();
  expect(paints).toBe(1);
});
