// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { expect, test } from "vitest";
import { peaksOf, seriesOf, stepOf, type Interval } from "../src/charts/series";

const interval = (begin: number, seconds: number, bytes = 0, errors = 0): Interval =>
  ({ begin: new Date(1000 * begin).toISOString(), seconds, sent_bytes: bytes, received_bytes: 2 * bytes, wait_ticks: 10 * seconds, errors, sent_peak: bytes / seconds, received_peak: 3 * bytes / seconds });

test("the peaks are the highest of all intervals", () => {
  expect(peaksOf([interval(0, 10, 1.25e9), interval(10, 10, 2.5e9), interval(20, 10, 0)])).toEqual({ sent: 2, received: 6 });
  expect(peaksOf([])).toEqual({ sent: 0, received: 0 });
});

test("an interval becomes a rate, and the time around it zero", () => {
  const series = seriesOf([interval(100, 10, 1.25e9, 5)], 0, 200);
  expect(series.times).toEqual([0, 100, 110, 200]);
  expect(series.sent).toEqual([0, 1, 0, 0]);
  expect(series.received).toEqual([0, 2, 0, 0]);
  expect(series.wait).toEqual([0, 10, 0, 0]);
  expect(series.errors).toEqual([0, 30, 0, 0]);
});

test("intervals that adjoin have no gap", () => {
  expect(seriesOf([interval(100, 10, 1.25e9), interval(110, 10, 2.5e9)], 100, 120)).toMatchObject({ times: [100, 110, 120], sent: [1, 2, 2] });
});

test("the sum of an interval that begins before the end of another is kept", () => {
  const { times, sent } = seriesOf([interval(100, 10, 1.25e9), interval(105, 10, 1.25e9)], 100, 115);
  expect(times).toEqual([100, 110, 115]);
  expect(sent).toEqual([1, 2, 2]);
});

test("times ascend strictly, so that the chart has one value for each", () => {
  const { times } = seriesOf([interval(90, 30), interval(91, 3), interval(130, 1), interval(130, 1)], 100, 120);
  expect(times.every((time, i) => i === 0 || time > (times[i - 1] ?? 0))).toBe(true);
});

test("without intervals the period is zero", () => {
  expect(seriesOf([], 10, 20)).toMatchObject({ times: [10, 20], sent: [0, 0] });
});

test("the step gives at most as many points as asked", () => {
  for (const seconds of [1, 599, 3600, 86_400, 7 * 86_400, 3650 * 86_400]) expect(seconds / stepOf(seconds, 360)).toBeLessThanOrEqual(360);
  expect(stepOf(600, 360)).toBe(2);
});
