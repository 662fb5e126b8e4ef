// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// State shared by all views: connection, state of the fabric, events. Views request further data themselves, again whenever
// `edition` changes.
import { useEffect, useReducer } from "preact/hooks";
import { get, hasToken, Refusal, setToken, type FabricState, type WeftEvent } from "./api";
import { follow } from "./stream";

export type Connection = "connecting" | "live" | "lost" | "locked";

interface State {
  connection: Connection;
  since: number; // start of the connection state, ms
  wrongToken: boolean;
  back: string; // message after a reconnection
  heard: number; // time of `glance`, ms since 1970
  problem: string; // of the last request for `glance`
  glance: FabricState | null;
  edition: number; // number of published changes
  events: WeftEvent[]; // oldest first
}

const kEventsMax = 4096; // as in the service
const kRetry = 1500;
const kSettle = 250; // ms; one request for the events of a sweep
const kGlance = 10_000; // ms; light sweeps publish no events

export const state: State = {
  connection: "connecting", since: Date.now(), wrongToken: false, back: "", heard: 0, problem: "", glance: null, edition: 0, events: [],
};

const watchers = new Set<() => void>();
function notify(): void {
  for (const watcher of watchers) watcher();
}

const editions = new Set<() => void>();
/** Called after each published change, and after a reconnection. */
export function onEdition(listener: () => void): void {
  editions.add(listener);
}
function newEdition(): void {
  ++state.edition;
  for (const listener of editions) listener();
}

/** Renders the component again after each change. */
export function useStore(): State {
  const [, again] = useReducer<number, null>((n) => n + 1, 0);
  useEffect(() => {
    const watcher = (): void => again(null);
    watchers.add(watcher);
    return () => void watchers.delete(watcher);
  }, []);
  return state;
}

function become(connection: Connection): void {
  if (state.connection === connection) return;
  if (connection === "lost") state.back = "";
  state.connection = connection;
  state.since = Date.now();
  notify();
}

let soonTimer = 0;
let glanceTimer = 0;
let glances = 0; // requests sent
function refreshSoon(): void {
  window.clearTimeout(soonTimer);
  soonTimer = window.setTimeout(() => void refresh(), kSettle);
}

async function refresh(): Promise<void> {
  window.clearTimeout(soonTimer);
  window.clearTimeout(glanceTimer);
  const number = ++glances;
  try {
    const glance = await get<FabricState>("/api/v1/fabric");
    if (number !== glances) return; // a later request is pending, or its response is shown
    const changed = glance.sweep?.number !== state.glance?.sweep?.number || glance.state !== state.glance?.state;
    Object.assign(state, { glance, heard: Date.now(), problem: "" });
    if (changed) newEdition();
  } catch (error) {
    if (number !== glances) return;
    state.problem = error instanceof Error ? error.message : String(error);
  }
  notify();
  if (number === glances) glanceTimer = window.setTimeout(() => void refresh(), kGlance);
}

const kStateEvents = new Set(["sweep_begun", "sweep_ended", "state_changed", "routes_changed", "error", "alarm_raised", "alarm_cleared", "alarm_acknowledged"]);

function add(events: WeftEvent[]): void {
  const last = state.events.at(-1)?.id ?? 0;
  state.events.push(...events.filter((event) => event.id > last));
  if (state.events.length > kEventsMax) state.events.splice(0, state.events.length - kEventsMax);
  if (events.some((event) => kStateEvents.has(event.event))) refreshSoon();
}

let notifyTimer = 0;
function addLive(event: WeftEvent): void {
  add([event]);
  if (!notifyTimer) notifyTimer = window.setTimeout(() => { notifyTimer = 0; notify(); }, 50);
}

/** Requests the events since the last known one; all events if the service was restarted. */
async function catchUp(): Promise<void> {
  const last = state.events.at(-1);
  type Answer = { total: number; events: WeftEvent[] };
  if (last) {
    const same = await get<Answer>(`/api/v1/events?after=${last.id - 1}&limit=1`);
    const known = same.events[0];
    if (!known || known.id !== last.id || known.time !== last.time) {
      state.events = [];
      state.back = "The manager was restarted.";
    }
  }
  const from = state.events.at(-1)?.id;
  const path = from === undefined ? `/api/v1/events?limit=${kEventsMax}` : `/api/v1/events?after=${from}&limit=${kEventsMax}`;
  add((await get<Answer>(path)).events);
}

let backTimer = 0;
async function connect(): Promise<void> {
  await catchUp();
  await refresh();
  const lost = state.connection === "lost" ? Date.now() - state.since : 0;
  await follow(state.events.at(-1)?.id ?? 0, {
    opened: () => {
      state.wrongToken = false;
      if (lost) state.back = `Reconnected after ${Math.max(1, Math.round(lost / 1000))} s. ${state.back}`.trim();
      newEdition();
      become("live");
      window.clearTimeout(backTimer);
      backTimer = window.setTimeout(() => { state.back = ""; notify(); }, 10_000);
    },
    event: addLive,
  }, (stream = new AbortController()));
}

// A browser has six connections to a service for all tabs, and each stream holds one: a hidden tab closes its stream.
const kHiddenMax = 60_000;
let stream = new AbortController();
let resting = false;
let rise: () => void = () => {};

function rest(): void {
  resting = true;
  stream.abort();
}

function wakeUp(): void {
  if (!resting) return;
  resting = false;
  rise();
}

function watchTab(): void {
  let timer = 0;
  window.addEventListener("pagehide", rest);
  window.addEventListener("pageshow", wakeUp);
  document.addEventListener("visibilitychange", () => {
    window.clearTimeout(timer);
    if (document.hidden) timer = window.setTimeout(rest, kHiddenMax);
    else wakeUp();
  });
}

let unlock: () => void = () => {};
/** The token that the user typed. */
export function tryToken(text: string): void {
  setToken(text.trim());
  unlock();
}

export async function run(): Promise<never> {
  watchTab();
  for (;;) {
    if (resting) await new Promise<void>((resolve) => (rise = resolve));
    try {
      await connect();
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) {
        state.wrongToken = hasToken();
        setToken("");
        become("locked");
        notify();
        await new Promise<void>((resolve) => (unlock = resolve));
        continue;
      }
      if (resting) continue;
      become("lost");
    }
    await new Promise((resolve) => window.setTimeout(resolve, kRetry));
  }
}
