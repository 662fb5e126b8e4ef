// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Computes rates from sums over intervals.

export interface Interval {
  begin: string;
  seconds: number;
  sent_bytes: number;
  received_bytes: number;
  wait_ticks: number;
  errors: number;
  sent_peak: number; // bytes/s
  received_peak: number;
}

export interface Series {
  times: number[]; // seconds since 1970, ascending; a value is valid until the next time
  sent: number[]; // Gbit/s
  received: number[]; // Gbit/s
  wait: number[]; // ticks/s
  errors: number[]; // errors per minute
}

const kGigabit = 1e9 / 8; // bytes

/**
 * Returns the rates from `from` to `to`, in seconds since 1970. Between the intervals all rates are 0. If an interval begins before `from` or
 * before the end of the previous interval, the sum of the interval is distributed over the part after that time, at least one second.
 */
export function seriesOf(intervals: Interval[], from: number, to: number): Series {
  const series: Series = { times: [], sent: [], received: [], wait: [], errors: [] };
  const add = (time: number, sent: number, received: number, wait: number, errors: number): void => {
    series.times.push(time);
    series.sent.push(sent);
    series.received.push(received);
    series.wait.push(wait);
    series.errors.push(errors);
  };
  let end = from;
  for (const { begin, seconds, sent_bytes, received_bytes, wait_ticks, errors } of intervals) {
    const first = Math.max(end, Date.parse(begin) / 1000), last = Math.max(first + 1, Date.parse(begin) / 1000 + seconds), length = last - first;
    if (first > end || series.times.length === 0 && first > from) add(end, 0, 0, 0, 0);
    add(first, sent_bytes / kGigabit / length, received_bytes / kGigabit / length, wait_ticks / length, (60 * errors) / length);
    end = last;
  }
  if (end < to || series.times.length === 0) {
    add(end, 0, 0, 0, 0);
    add(to, 0, 0, 0, 0);
  } else {
    const at = series.times.length - 1;
    add(end, series.sent[at] ?? 0, series.received[at] ?? 0, series.wait[at] ?? 0, series.errors[at] ?? 0);
  }
  return series;
}

/** The highest rates of one port between two readings, in Gbit/s. */
export function peaksOf(intervals: Interval[]): { sent: number; received: number } {
  let sent = 0, received = 0;
  for (const one of intervals) {
    sent = Math.max(sent, one.sent_peak);
    received = Math.max(received, one.received_peak);
  }
  return { sent: sent / kGigabit, received: received / kGigabit };
}

/** Returns the length of an interval in seconds, such that a period of `seconds` has at most `points` intervals. */
export function stepOf(seconds: number, points: number): number {
  const steps = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400];
  return steps.find((step) => seconds / step <= points) ?? Math.ceil(seconds / points);
}
