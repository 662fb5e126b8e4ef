// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Differences between two times, and the drawing at the first or the second time.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useAnswer } from "../cache";
import { Model, type DrawingData } from "../drawing/model";
import { kPastEventsMax, useHistory, type Period } from "../history";
import { EndLink, NodeLink, Sign } from "../parts";
import { differences, type Difference } from "../past/changes";
import { drawingBefore } from "../past/drawing";
import { go } from "../route";
import type { Column } from "../tables/rows";
import { Table } from "../tables/table";
import { count, dayAndTime, nameOrGuid, plural, type Tone } from "../words";
import { Picture } from "./fabric";

const kDay = 24 * 3600_000; // ms
const kTones: Record<Difference["change"], Tone> = { lost: "bad", interrupted: "warn", changed: "plain", renamed: "plain", new: "good" };

function placeOf(one: Difference): string {
  if (one.what === "link") return `${nameOrGuid(one.link.name, one.link.node)} port ${one.link.port} – ${nameOrGuid(one.link.peer_name, one.link.peer)} port ${one.link.peer_port}`;
  return "node" in one ? nameOrGuid(one.name, one.node) : "";
}

function Place({ one }: { one: Difference }): JSX.Element {
  if (one.what === "link") {
    const { link } = one;
    return <><EndLink end={link} /> – <EndLink end={{ node: link.peer, name: link.peer_name, port: link.peer_port }} /></>;
  }
  return "node" in one ? <NodeLink guid={one.node} name={one.name} /> : <></>;
}

const kColumns: Column<Difference>[] = [
  { id: "what", title: "object", value: ({ what }) => (what === "lid" ? "LID" : what) },
  { id: "change", title: "change", value: ({ change }) => change, show: ({ change }) => <><Sign tone={kTones[change]} /> {change}</> },
  { id: "place", title: "place", value: placeOf, show: (one) => <Place one={one} /> },
  { id: "details", title: "details", value: ({ text }) => text },
  { id: "events", title: "events", value: ({ times }) => times, numeric: true },
];

/** The value of an input of type datetime-local: local time with seconds. */
function localText(ms: number): string {
  const date = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return date.toISOString().slice(0, 19);
}

const addressOf = (from: number, to: number | null): string =>
  `#/differences?from=${new Date(from).toISOString()}${to === null ? "" : `&to=${new Date(to).toISOString()}`}`;

/** Inputs for two times. A button applies both times together, because a partly entered date is not a time. */
function Times({ from, to }: { from: number; to: number | null }): JSX.Element {
  const [first, setFirst] = useState(localText(from)), [second, setSecond] = useState(to === null ? "" : localText(to));
  const begin = Date.parse(first), end = second === "" ? null : Date.parse(second);
  const problem = Number.isNaN(begin) || (end !== null && Number.isNaN(end)) ? "Enter a date and a time." : begin >= (end ?? Date.now()) ? "The first time must be before the second." : "";
  const show = (event: Event): void => {
    event.preventDefault();
    if (problem === "") go(addressOf(begin, end));
  };
  return (
    <form class="tools" onSubmit={show}>
      <label>between <input type="datetime-local" id="time-from" step="1" value={first} onInput={(event) => setFirst(event.currentTarget.value)} /></label>
      <label>and <input type="datetime-local" id="time-to" step="1" value={second} onInput={(event) => setSecond(event.currentTarget.value)} /></label>
      <span class="soft">(no second time: now)</span>
      <button type="submit" disabled={problem !== ""}>Compare</button>
      {problem && <span class="bad-text" role="status">✗ {problem}</span>}
    </form>
  );
}

function PictureAt({ time, changed }: { time: number; changed: Difference[] }): JSX.Element {
  const { value: now, problem } = useAnswer<DrawingData>("/api/v1/drawing");
  const period = useMemo<Period>(() => ({ from: time, to: null }), [time]);
  const past = useHistory(period);
  const drawn = useMemo(() => (now && past ? drawingBefore(now, past.events) : null), [now, past]);
  const model = useMemo(() => (drawn ? new Model(drawn.data) : null), [drawn]);
  const marks = useMemo(() => ({
    channels: changed.flatMap((one) => {
      const cable = one.what === "link" ? (model?.cableAt(one.link.node, one.link.port) ?? model?.cableAt(one.link.peer, one.link.peer_port)) : undefined;
      return cable === undefined ? [] : [{ cable, back: false, both: true }];
    }), switches: [],
  }), [model, changed]);
  if (!model || !drawn) return <p class={problem ? "bad-text" : "soft"}>{problem || "Loading…"}</p>;
  return (
    <>
      <p class="soft" id="past-drawing">At {dayAndTime(time)}: {plural(drawn.added, "link")} between switches that {drawn.added === 1 ? "is" : "are"} not up now, without {plural(drawn.removed, "link")} that came up since. Links that differ between the two times are marked.
        {drawn.unplaced.length > 0 && ` Nodes that left the fabric since and are not drawn: ${drawn.unplaced.slice(0, 20).join(", ")}${drawn.unplaced.length > 20 ? ` and ${count(drawn.unplaced.length - 20)} more` : ""}.`}</p>
      <Picture marks={marks} past={model} />
    </>
  );
}

export function DifferencesView({ from, to }: { from: string; to: string }): JSX.Element {
  // If the address has no times, the period is the last 24 hours before the view was opened.
  const now = useMemo(() => Date.now(), [from, to]);
  const begin = Number.isNaN(Date.parse(from)) ? now - kDay : Date.parse(from), end = Number.isNaN(Date.parse(to)) ? null : Date.parse(to);
  const period = useMemo<Period>(() => ({ from: begin, to: end }), [begin, end]);
  const past = useHistory(period);
  const found = useMemo(() => differences(past?.events ?? []), [past]);
  const [later, setLater] = useState(false);
  return (
    <>
      <h1>Differences between two times</h1>
      <Times key={`${from} ${to}`} from={begin} to={end} />
      {past?.problem && <p class="bad-text">✗ The history cannot be read: {past.problem}. Only events since the start of the manager are compared.</p>}
      {past && !past.kept && <p class="soft">This manager keeps no history: only events since the start of the manager are compared. To keep a history, start the manager with <code>--history FILE</code>.</p>}
      {past?.cut && <p><Sign tone="warn" /> Only the newest {count(kPastEventsMax)} events of the period are compared: select a shorter period.</p>}
      <section class="card" aria-label="Differences">
        {past ? <Table name="differences" caption="Differences" rows={found} columns={kColumns} keyOf={(one) => `${one.what} ${one.change} ${placeOf(one)} ${one.text}`} empty="No differences." /> : <p class="soft">Loading…</p>}
      </section>
      <section class="card low" aria-label="Drawing">
        <div class="tools" role="group" aria-label="Time of the drawing"><h2>Drawing</h2>
          <button type="button" aria-pressed={!later} onClick={() => setLater(false)}>at the first time</button>
          <button type="button" aria-pressed={later} onClick={() => setLater(true)}>at the second time</button></div>
        <PictureAt time={later ? (end ?? Date.now()) : begin} changed={found} />
      </section>
    </>
  );
}
