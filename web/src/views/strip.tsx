// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The timeline of a period: a column for each interval, a row for each group of events. A click or Enter on a column selects the interval
// of this column.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { WeftEvent } from "../api";
import { count, dayAndTime, isSweep, labelOf } from "../words";

const kColumns = 48;
const kShortest = 1000; // ms; shortest interval of a column

interface Row {
  name: string;
  tone: string;
  has: (event: WeftEvent) => boolean;
}

const kRows: Row[] = [
  { name: "lost, failed", tone: "bad", has: (event) => labelOf(event).tone === "bad" },
  { name: "warnings", tone: "warn", has: (event) => labelOf(event).tone === "warn" },
  { name: "up, new", tone: "good", has: (event) => labelOf(event).tone === "good" && !isSweep(event) },
  { name: "routes, LIDs, manager", tone: "plain", has: (event) => labelOf(event).tone === "plain" && !isSweep(event) },
  { name: "sweeps", tone: "sweeps", has: (event) => event.event === "sweep_ended" },
];

interface Column {
  from: number;
  to: number;
  counts: number[]; // number of events in each row
}

export function columns(events: WeftEvent[], from: number, to: number): Column[] {
  const width = Math.max(kShortest, (to - from) / kColumns);
  const number = Math.max(1, Math.ceil((to - from) / width));
  const list = Array.from({ length: number }, (_, i) => ({ from: from + i * width, to: from + (i + 1) * width, counts: kRows.map(() => 0) }));
  for (const event of events) {
    const column = list[Math.min(number - 1, Math.floor((Date.parse(event.time ?? "") - from) / width))];
    if (column) kRows.forEach((row, r) => { if (row.has(event)) column.counts[r] = (column.counts[r] ?? 0) + 1; });
  }
  return list;
}

/** Height of a bar in percent. Logarithmic, so that one event is visible beside a thousand. */
const height = (n: number, most: number): number => n === 0 ? 0 : 22 + (78 * Math.log1p(n)) / Math.log1p(most);

function words({ from, to, counts }: Column): string {
  const parts = kRows.flatMap((row, r) => (counts[r] ?? 0) > 0 ? [`${count(counts[r] ?? 0)} ${row.name}`] : []);
  return `${dayAndTime(from)} to ${dayAndTime(to)}: ${parts.join("; ") || "no events"}`;
}

const kSecondsCount = 600_000; // ms; shorter periods show seconds

/** Text of a time below the timeline, with seconds only for short periods. `period`: length of the period in ms. */
const coarse = (ms: number, period: number): string => period < kSecondsCount ? dayAndTime(ms) : dayAndTime(ms).replace(/:\d\d$/, "");

interface Shown {
  events: WeftEvent[];
  from: number;
  to: number;
  now: boolean; // the period ends now
  open: (from: number, to: number) => void;
}

export function Strip({ events, from, to, now, open }: Shown): JSX.Element {
  const list = useMemo(() => columns(events, from, to), [events, from, to]);
  const most = kRows.map((_, r) => Math.max(1, ...list.map((column) => column.counts[r] ?? 0)));
  const totals = kRows.map((_, r) => list.reduce((sum, column) => sum + (column.counts[r] ?? 0), 0));
  const marks = [0, 0.25, 0.5, 0.75].map((part) => from + part * (to - from));
  return (
    <section class="strip card" aria-label="Timeline">
      <div class="strip-names">{kRows.map((row, r) => (
        <div key={row.name}>{row.name} <span class="soft">{count(totals[r] ?? 0)}</span></div>))}</div>
      <div class="strip-columns">{list.map((column) => {
        const empty = column.counts.every((n) => n === 0);
        return (
          <button key={column.from} type="button" class="column" disabled={empty} title={words(column)} aria-label={words(column)} onClick={() => open(column.from, column.to)}>
            {column.counts.map((n, r) => <span key={r} class="cell"><i class={kRows[r]?.tone} style={{ height: `${height(n, most[r] ?? 1)}%` }} /></span>)}
          </button>);
      })}</div>
      <div class="strip-marks soft">
        {marks.map((mark) => <span key={mark}>{coarse(mark, to - from)}</span>)}<span>{now ? "now" : coarse(to, to - from)}</span></div>
      <p class="strip-marks soft">Each column is an interval. The height of a bar shows the number of events, on a logarithmic scale. Select a column to list the events of the interval.</p>
    </section>
  );
}
