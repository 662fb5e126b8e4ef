// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The page: header with navigation and state of the connection, the selected view, and the keys of all views.
import { render, type JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Boundary } from "./boundary";
import { go, toNode, useRoute, type Route } from "./route";
import { useClock } from "./parts";
import { Search } from "./search";
import * as store from "./store";
import { clock, dayAndTime, plural } from "./words";
import { AlarmsView } from "./views/alarms";
import { CableView } from "./views/cable";
import { DifferencesView } from "./views/differences";
import { EnginesView } from "./views/engines";
import { Events } from "./views/events";
import { FabricView } from "./views/fabric";
import { Help } from "./views/help";
import { JobView } from "./views/job";
import { Locked } from "./views/locked";
import { NodeView } from "./views/node";
import { Overview } from "./views/overview";
import { NewPartition, PartitionView } from "./views/partition";
import { PathView } from "./views/path";
import { TablesView } from "./views/tables";
import "./style.css";

const kViews: [string, string][] = [
  ["", "Overview"], ["fabric", "Fabric"], ["path", "Path"], ["events", "Events"], ["engines", "Engines"], ["alarms", "Alarms"], ["tables", "Tables"],
  ["differences", "Differences"],
];

function View({ route }: { route: Route }): JSX.Element {
  switch (route.view) {
    case "":
      return <Overview />;
    case "fabric":
      return <FabricView />;
    case "node":
      return <NodeView key={route.words[0]} guid={route.words[0] ?? ""} />;
    case "cable":
      return <CableView key={route.words.join("/")} guid={route.words[0] ?? ""} port={Number(route.words[1])} />;
    case "path":
      return <PathView from={route.query.get("from") ?? ""} to={route.query.get("to") ?? ""} />;
    case "events":
      return <Events />;
    case "engines":
      return <EnginesView />;
    case "alarms":
      return <AlarmsView />;
    case "tables":
      return <TablesView name={route.words[0] ?? ""} />;
    case "differences":
      return <DifferencesView from={route.query.get("from") ?? ""} to={route.query.get("to") ?? ""} />;
    case "job":
      return <JobView key={route.words[0]} id={route.words[0] ?? ""} />;
    case "partition":
      return route.words[0] === "new" ? <NewPartition /> : <PartitionView key={route.words[0]} pkey={route.words[0] ?? ""} />;
    default:
      return <p>Unknown view. <a href="#/">Overview</a></p>;
  }
}

/** Shows, also to screen readers, that the data shown is outdated, or that the page is connected again. */
function ConnectionBar(): JSX.Element {
  const connection = store.connection.value;
  const problem = store.problem.value;
  const stateTime = store.stateTime.value;
  const reconnectNote = store.reconnectNote.value;
  const lost = connection === "lost";
  return (
    <div role="status" id="connection" data-connection={connection}>
      {lost && <div class="bar-message bad">✗ No response since {clock(new Date(store.since.value).toISOString())}. The data shown is outdated; reconnecting…</div>}
      {connection === "live" && problem && <div class="bar-message bad">✗ The state of the manager cannot be read: {problem}. Time of the state shown: {stateTime ? dayAndTime(stateTime) : "none"}.</div>}
      {connection === "live" && reconnectNote && <div class="bar-message good">✓ {reconnectNote}</div>}
    </div>
  );
}

function ManagerState(): JSX.Element {
  const connection = store.connection.value;
  const fabricState = store.fabricState.value;
  if (connection !== "live") return <span class="pill warn">{connection === "locked" ? "locked" : "not connected"}</span>;
  if (!fabricState) return <span class="pill warn">…</span>;
  return fabricState.ready ? <span class="pill good">✓ {fabricState.state.toLowerCase()}</span> : <span class="pill bad">✗ not ready</span>;
}

const kOld = 30_000; // ms; the state is requested every 10 s

/** The time of the state shown, marked if the state is older than kOld. */
function Age(): JSX.Element | null {
  const stateTime = store.stateTime.value;
  const now = useClock(5000);
  if (stateTime === 0) return null;
  const old = Math.max(now, stateTime) - stateTime > kOld;
  return <span class={old ? "tag" : "soft"} id="age" data-old={old} title="Time of the state shown"><span class="hidden">as of </span>{old ? "! as of " : ""}{dayAndTime(stateTime)}</span>;
}

function AlarmCount(): JSX.Element | null {
  const counts = store.fabricState.value?.alarms;
  if (!counts || counts.active === 0) return null;
  const open = counts.active > counts.acknowledged;
  return <a class={`pill ${open ? "bad" : "warn"}`} id="alarm-count" href="#/alarms">{open ? "✗" : "!"} {plural(counts.active, "alarm")}</a>;
}

/** A tag in the header, so that users do not mistake an emulated fabric for a real fabric. */
function Emulated(): JSX.Element | null {
  return store.fabricState.value?.emulated ? <span class="tag" id="emulated" title="No hardware is managed (weft sm --emulate)">emulated</span> : null;
}

function isTyping(event: KeyboardEvent): boolean {
  return event.target instanceof HTMLElement && event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey;
}

function useKeys(help: () => void): void {
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => {
      if (isTyping(event)) return;
      const view = kViews[Number(event.key) - 1];
      if (event.key === "?") help();
      else if (event.key === "/") document.getElementById("search")?.focus();
      else if (view) go(`#/${view[0]}`);
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", listener);
    return () => window.removeEventListener("keydown", listener);
  }, []);
}

function App(): JSX.Element {
  const route = useRoute();
  const connection = store.connection.value;
  const fabricState = store.fabricState.value;
  const [help, setHelp] = useState(false);
  useKeys(() => setHelp(true));
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>Skip to content</a>
      <header>
        <a class="brand" href="#/">Weft</a>
        <Emulated />
        <nav aria-label="Views">
          {kViews.map(([view, name], i) => (
            <a key={view} href={`#/${view}`} aria-current={route.view === view ? "page" : undefined} title={`key ${i + 1}`}>{name}</a>))}
        </nav>
        <Search id="search" label="Search: name, GUID or LID  ( / )" pick={(one) => go(toNode(one.guid))} />
        <AlarmCount />
        <ManagerState />
        <Age />
        <button type="button" class="quiet" onClick={() => setHelp(true)} aria-label="Keys" title="Keys (?)">?</button>
      </header>
      <ConnectionBar />
      <main id="main" tabIndex={-1}>{connection === "locked" ? <Locked /> : <Boundary key={`${route.view}/${route.words.join("/")}`}><View route={route} /></Boundary>}</main>
      <footer class="soft">weft {fabricState?.version}</footer>
      <Help open={help} close={() => setHelp(false)} />
    </>
  );
}

const place = document.getElementById("page");
if (place) {
  place.replaceChildren();
  render(<App />, place);
  void store.run();
}
