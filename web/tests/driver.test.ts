// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { beforeEach, expect, test, vi } from "vitest";
import { Driver } from "../src/drawing/driver";
import type { Painter } from "../src/drawing/painter";

// A browser whose clock, frames and timers the test moves. `copies`: pictures that are drawn from another canvas, with their transform.
let clock = 0, paintMs = 0, paints = 0, frames: ((now: number) => void)[] = [], timers = new Map<number, () => void>();
let transform: number[] = [], copies: number[][] = [];
let portions = 1; // in a picture, each of paintMs

function canvas(): HTMLCanvasElement {
  const context = {
    setTransform: (...values: number[]) => { transform = values; },
    clearRect: () => undefined,
    drawImage: () => { copies.push(transform); },
    getImageData: () => undefined,
  };
  return { width: 0, height: 0, dataset: {}, getContext: () => context } as unknown as HTMLCanvasElement;
}

function driverOf(links: number): Driver {
  const painter = { model: { cableCount: links }, view: { k: 1, x: 0, y: 0 }, width: 0, height: 0, whole: () => undefined, portions: function* () {
    const { x } = painter.view;
    for (let portion = 0; portion < portions; ++portion) {
      expect(painter.view.x).toBe(x); // all portions have the same view
      clock += paintMs;
      if (portion < portions - 1) yield;
    }
    paints += 1;
  } };
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
  portions = 1;
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

test("a drawing of 1,000 links is painted in each frame of a movement", () => {
  const driver = driverOf(1000);
  for (let step = 0; step < 5; ++step) {
    driver.pan(3, 0);
    frame();
  }
  expect([paints, copies.length]).toEqual([5, 0]);
});

test("one with more links is moved as a picture, and painted after the movement", () => {
  const driver = driverOf(1001);
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
  const driver = driverOf(1001);
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
  const driver = driverOf(1001);
  driver.pan(1, 0);
  frame();
  driver.draw();
  frame();
  expect(paints).toBe(1);
});

test("a picture in portions takes a frame for each, while the last one is shown", () => {
  portions = 4;
  paintMs = 5;
  const driver = driverOf(1001);
  driver.pan(3, 0);
  frame();
  rest();
  copies = [];
  for (let step = 1; step <= 3; ++step) {
    frame();
    expect([paints, copies.length]).toEqual([0, step]); // each the moved picture
  }
  frame();
  expect([paints, copies.at(-1)]).toEqual([1, [1, 0, 0, 1, 0, 0]]);
  expect(frames).toEqual([]);
});

test("portions that take less share a frame", () => {
  portions = 4;
  paintMs = 2.5;
  const driver = driverOf(1001);
  driver.draw();
  frame();
  expect(paints).toBe(0);
  frame();
  expect(paints).toBe(1);
});

test("a picture that becomes complete during a movement is moved from its own view", () => {
  portions = 2;
  paintMs = 5;
  const driver = driverOf(1001);
  driver.pan(3, 0);
  frame();
  rest();
  frame();
  driver.pan(5, 0);
  copies = [];
  frame();
  expect([paints, copies.length, copies.at(-1)]).toEqual([1, 2, [1, 0, 0, 1, 5, 0]]); // saved, then moved
});

test("a change during the painting begins it again", () => {
  portions = 2;
  paintMs = 5;
  const driver = driverOf(1001);
  driver.draw();
  frame();
  driver.draw();
  frame();
  expect(paints).toBe(0);
  frame();
  expect(paints).toBe(1);
});

test("a new size shows the last picture until there is one in it", () => {
  portions = 2;
  paintMs = 5;
  const driver = driverOf(1001);
  driver.resize(400, 300);
  expect([paints, copies.length]).toEqual([0, 2]);
  frame();
  frame();
  expect(paints).toBe(1);
});
