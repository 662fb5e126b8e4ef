// Events as a timeline, the newest sweep first. What comes in hundreds is one line until somebody looks closer.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { WeftEvent } from "../api";
import { Ago, EventLine, Sign, arrows } from "../parts";
import { useStore } from "../store";
import { count, said } from "../words";

const kManyAreOne = 12;
const kSweepsShown = 50;
const kLinesMax = 500;

const kFilters: [string, string, (event: WeftEvent) => boolean][] = [
  ["all", "everything", () => true],
  ["cables", "cables", (event) => event.event.startsWith("link_")],
  ["nodes", "nodes", (event) => event.event.startsWith("node_")],
  ["routes", "routes and LIDs", (event) => ["routes_changed", "lid_changed"].includes(event.event)],
  ["manager", "manager", (event) => ["sweep_begun", "sweep_ended", "state_changed", "trap", "partition_changed"].includes(event.event) || event.event.startsWith("manager_")],
  ["trouble", "trouble", (event) => ["bad", "warn"].includes(said(event).tone)],
];

export interface Sweep {
  number: number;
  events: WeftEvent[];
}

export function bySweep(events: WeftEvent[]): Sweep[] {
  const sweeps: Sweep[] = [];
  for (const event of events) {
    const last = sweeps.at(-1);
    const number = event.sweep ?? last?.number ?? 0;
    if (last && last.number === number) last.events.push(event);
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
  const { kind, tone } = said(first);
  return (
    <details class="many">
      <summary data-stop><Sign tone={tone} /> <strong>{kind}</strong>: {count(events.length)} times</summary>
      {events.slice(0, kLinesMax).map((event) => <EventLine key={event.id} event={event} />)}
      {events.length > kLinesMax && <p class="soft">and {count(events.length - kLinesMax)} more</p>}
    </details>
  );
}

/** The newest first. */
export function Lines({ events }: { events: WeftEvent[] }): JSX.Element {
  const kinds = byKind(events);
  const lines: JSX.Element[] = [];
  const done = new Set<string>();
  for (const event of [...events].reverse()) {
    const same = kinds.get(event.event) ?? [];
    if (same.length <= kManyAreOne) lines.push(<EventLine key={event.id} event={event} />);
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

export function Events(): JSX.Element {
  const { events } = useStore();
  const [filter, setFilter] = useState("all");
  const [text, setText] = useState("");
  const total = events.length;
  const sweeps = useMemo(() => {
    const wanted = kFilters.find(([key]) => key === filter)?.[2] ?? (() => true);
    const part = text.trim().toLowerCase();
    const has = (event: WeftEvent): boolean =>
      [event.name, event.peer_name, event.node, event.peer, event.text].some((field) => field?.toLowerCase().includes(part));
    return bySweep(events.filter((event) => wanted(event) && (part === "" || has(event))));
  }, [events, total, events.at(-1)?.id, filter, text]);
  return (
    <>
      <h1>Events</h1>
      <div class="tools" role="group" aria-label="Which events">
        {kFilters.map(([key, words]) => (
          <button key={key} type="button" aria-pressed={filter === key} onClick={() => setFilter(key)}>{words}</button>))}
        <input type="search" placeholder="name or GUID" aria-label="Only events about" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </div>
      {sweeps.length === 0 && <p class="soft">Nothing of this kind is remembered.</p>}
      <ol class="timeline" onKeyDown={arrows}>{sweeps.slice(0, kSweepsShown).map((sweep) => <SweepEvents key={sweep.events[0]?.id} sweep={sweep} />)}</ol>
    </>
  );
}
