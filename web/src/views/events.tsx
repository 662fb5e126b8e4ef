// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Events as a timeline, and a list by sweep, newest sweep first. If a sweep has many events of one kind, the list shows them as one line
// that the user can expand.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { WeftEvent } from "../api";
import { kPastEventsMax, useHistory, type Past, type Period } from "../history";
import { Ago, EventLine, Sign, arrows, useClock } from "../parts";
import { count, dayAndTime, labelOf, plural } from "../words";
import { Strip } from "./strip";

const kSeparateMax = 12; // events of one kind in a sweep; more events are one line
const kSweepsShown = 50;
const kLinesMax = 500; // events listed when the user expands such a line

const kFilters: [string, string, (event: WeftEvent) => boolean][] = [
  ["all", "all", () => true],
  ["cables", "links", (event) => event.event.startsWith("link_")],
  ["nodes", "nodes", (event) => event.event.startsWith("node_")],
  ["routes", "routes and LIDs", (event) => ["routes_changed", "routes_rebalanced", "lid_changed"].includes(event.event)],
  ["manager", "manager", (event) => ["sweep_begun", "sweep_ended", "state_changed", "trap", "partition_changed"].includes(event.event) || event.event.startsWith("manager_")],
  ["trouble", "problems", (event) => ["bad", "warn"].includes(labelOf(event).tone)],
];

export interface Sweep {
  number: number;
  events: WeftEvent[];
}

/** Groups events (oldest first) by sweep; returns the newest sweep first. */
export function bySweep(events: WeftEvent[]): Sweep[] {
  const sweeps: Sweep[] = [];
  for (const event of events) {
    const last = sweeps.at(-1);
    const number = event.sweep ?? last?.number ?? 0;
    // An event without a sweep number belongs to the current sweep. After a restart the manager numbers its sweeps from 1 again.
    const again = event.event === "sweep_begun" && last?.events.some((other) => other.event === "sweep_begun");
    if (last && number <= last.number && !again) last.events.push(event);
    else sweeps.push({ number, events: [event] });
  }
  return sweeps.reverse();
}

function byKind(events: WeftEvent[]): Map<string, WeftEvent[]> {
  const kinds = new Map<string, WeftEvent[]>();
  for (const event of events) {
    const list = kinds.get(event.event);
    if (list) list.push(event);
    else kinds.set(event.event, [event]);
  }
  return kinds;
}
function Many({ events }: { events: WeftEvent[] }): JSX.Element {
  const first = events[0];
  if (!first) return <></>;
  const { many, tone } = labelOf(first);
  return (
    <details class="many">
      <summary data-stop><Sign tone={tone} /> <strong>{count(events.length)} {many}</strong></summary>
      {events.slice(0, kLinesMax).map((event) => <EventLine key={event.id} event={event} />)}
      {events.length > kLinesMax && <p class="soft">and {count(events.length - kLinesMax)} more</p>}
    </details>
  );
}

/** The events of one sweep as lines, newest first. */
export function Lines({ events }: { events: WeftEvent[] }): JSX.Element {
  const kinds = byKind(events);
  const lines: JSX.Element[] = [];
  const done = new Set<string>();
  for (const event of [...events].reverse()) {
    const same = kinds.get(event.event) ?? [];
    if (same.length <= kSeparateMax) lines.push(<EventLine key={event.id} event={event} />);
    else if (!done.has(event.event)) lines.push(<Many key={event.event} events={same} />);
    done.add(event.event);
  }
  return <>{lines}</>;
}

export function SweepEvents({ sweep }: { sweep: Sweep }): JSX.Element {
  const last = sweep.events.at(-1);
  return (
    <li class="sweep">
      <h2>{sweep.number > 0 ? `Sweep ${sweep.number}` : "Before the first sweep"} <span class="soft"><Ago time={last?.time} /></span></h2>
      <Lines events={sweep.events} />
    </li>
  );
}

const kMinute = 60_000;
const kSlide = 15_000; // ms between two advances of the period
const kHour = 60 * kMinute;
const kSpans: [string, number][] = [["last hour", kHour], ["day", 24 * kHour], ["week", 168 * kHour], ["30 days", 720 * kHour], ["all", 0]];

/** States the source, number and times of the events shown. */
function Source({ past, period, longer }: { past: Past; period: Period; longer: (() => void) | null }): JSX.Element {
  const first = past.events[0], last = past.events.at(-1);
  const times = first && last ? `; the first: ${dayAndTime(Date.parse(first.time ?? ""))}, the last: ${dayAndTime(Date.parse(last.time ?? ""))}` : "";
  if (past.problem) return <p id="history" data-history="failed"><Sign tone="bad" /> The history cannot be read: {past.problem}. Showing the events since the start of the manager.</p>;
  if (!past.kept) {
    return (
      <p id="history" data-history="none" class="soft">{plural(past.events.length, "event")}{times}. This manager keeps no history: only events since its start
        are available, at most 4,096. To keep older events, start the manager with <code>--history FILE</code>.</p>);
  }
  return (
    <p id="history" data-history="kept" class="soft">{plural(past.events.length, "event")}{times}.
      {past.cut && ` Only the newest ${count(kPastEventsMax)} are shown: select a shorter period or a column.`}
      {past.events.length === 0 && period.to === null && longer && <> <button type="button" onClick={longer}>Show all events</button></>}</p>);
}

function None({ past, period, filtered }: { past: Past; period: Period; filtered: boolean }): JSX.Element {
  if (filtered && past.events.length > 0) return <p class="empty">No matching events.</p>;
  if (!past.kept || period.from === 0) return <p class="empty">No events yet. Changes of nodes, links and routes appear here at once.</p>;
  return <p class="empty">No events in this period.</p>;
}

export function Events(): JSX.Element {
  const [span, setSpan] = useState(24 * kHour);
  const [piece, setPiece] = useState<Period | null>(null);
  const [filter, setFilter] = useState("all");
  const [text, setText] = useState("");
  const [shown, setShown] = useState(kSweepsShown);
  // The period is requested once. While the view is open, live events are added, and the start of the period advances with the clock.
  const whole = useMemo<Period>(() => ({ from: span === 0 ? 0 : Date.now() - span, to: null }), [span]);
  const now = useClock(kSlide);
  const asked = piece ?? whole, answer = useHistory(asked);
  const period = useMemo<Period>(() => piece ?? { from: span === 0 ? 0 : Math.max(whole.from, now - span), to: null }, [piece, whole, span, now]);
  const past = useMemo(() => answer && { ...answer, events: answer.events.filter((event) => Date.parse(event.time ?? "") >= period.from) }, [answer, period]);
  const all = useMemo(() => bySweep(past?.events ?? []), [past]);
  const sweeps = useMemo(() => {
    const fits = kFilters.find(([key]) => key === filter)?.[2] ?? (() => true);
    const part = text.trim().toLowerCase();
    const has = (event: WeftEvent): boolean =>
      [event.name, event.peer_name, event.node, event.peer, event.text].some((field) => field?.toLowerCase().includes(part));
    return all.map(({ number, events }) => ({ number, events: events.filter((event) => fits(event) && (part === "" || has(event))) }))
      .filter(({ events }) => events.length > 0);
  }, [all, filter, text]);
  const wanted = useMemo(() => sweeps.flatMap(({ events }) => events), [sweeps]);
  const first = Date.parse(past?.events[0]?.time ?? "");
  const to = period.to ?? Date.now();
  // The timeline starts at the first event if earlier events are not available.
  const from = piece || (past?.kept && period.from > 0 && !past.cut) ? period.from : Math.min(first, to - kMinute);
  return (
    <>
      <h1>Events</h1>
      <div class="tools">
        {past?.kept && <div class="spans" role="group" aria-label="Period">
          {kSpans.map(([words, ms]) => (
            <button key={words} type="button" data-span={ms} aria-pressed={span === ms && !piece} onClick={() => { setSpan(ms); setPiece(null); setShown(kSweepsShown); }}>{words}</button>))}
        </div>}
        {piece && <button type="button" id="whole" onClick={() => setPiece(null)}>← back from {dayAndTime(piece.from)} – {dayAndTime(piece.to ?? 0)}</button>}
      </div>
      {past && past.events.length > 0 && <Strip events={wanted} from={from} to={to} now={period.to === null} open={(begin, end) => setPiece({ from: begin, to: end })} />}
      {past && <Source past={past} period={period} longer={span > 0 ? () => setSpan(0) : null} />}
      <div class="tools" role="group" aria-label="Filter">
        {kFilters.map(([key, words]) => (
          <button key={key} type="button" data-filter={key} aria-pressed={filter === key} onClick={() => setFilter(key)}>{words}</button>))}
        <input type="search" placeholder="name or GUID" aria-label="Filter by name or GUID" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </div>
      {!past && <p class="soft">Waiting for the manager…</p>}
      {past && sweeps.length === 0 && <None past={past} period={period} filtered={filter !== "all" || text !== ""} />}
      <ol class="timeline" onKeyDown={arrows}>{sweeps.slice(0, shown).map((sweep) => <SweepEvents key={sweep.events[0]?.id} sweep={sweep} />)}</ol>
      {sweeps.length > shown && <button type="button" id="more" onClick={() => setShown(shown + kSweepsShown)}>Show {count(Math.min(kSweepsShown, sweeps.length - shown))} older sweeps of {count(sweeps.length - shown)}</button>}
    </>
  );
}
