// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// State shared by all views: connection, state of the fabric, events. The views request further data by cache.ts, and request the data
// again after each change of `edition`.
import { batch, signal } from "@preact/signals";
import { ApiError, get, hasToken, setToken, type FabricState, type WeftEvent } from "./api";
import { follow } from "./stream";

export type Connection = "connecting" | "live" | "lost" | "locked";

const kEventsMax = 4096; // as in the service
const kRetry = 1500; // ms
const kSettle = 250; // ms from the last event to the request of the state, so that the events of a sweep cause one request
const kStateInterval = 10_000; // ms between requests of the state, because light sweeps publish no events

// A view is rendered again after each change of a signal that the view reads.
export const connection = signal<Connection>("connecting");
export const since = signal(Date.now()); // start of the connection state, ms since 1970
export const wrongToken = signal(false);
export const reconnectNote = signal(""); // message after a reconnection
export const stateTime = signal(0); // time of `fabricState`, ms since 1970
export const problem = signal(""); // error of the last request for `fabricState`
export const fabricState = signal<FabricState | null>(null);
export const edition = signal(0); // number of published changes, and of connections to the event stream
export const events = signal<readonly WeftEvent[]>([]); // oldest first

/** Calls `listener` after each published change and each connection. */
export function onEdition(listener: () => void): void {
  let known = edition.value;
  edition.subscribe((number) => {
    if (number !== known) listener();
    known = number;
  });
}

function setConnection(state: Connection): void {
  if (connection.value === state) return;
  batch(() => {
    if (state === "lost") reconnectNote.value = "";
    connection.value = state;
    since.value = Date.now();
  });
}

let refreshTimer = 0;
let stateTimer = 0;
let stateRequests = 0; // requests sent
function refreshSoon(): void {
  window.clearTimeout(refreshTimer);
  refreshTimer = window.setTimeout(() => void refresh(), kSettle);
}

async function refresh(): Promise<void> {
  window.clearTimeout(refreshTimer);
  window.clearTimeout(stateTimer);
  const number = ++stateRequests;
  try {
    const now = await get<FabricState>("/api/v1/fabric");
    if (number !== stateRequests) return; // a later request is pending, or the page shows its response
    const changed = now.sweep?.number !== fabricState.value?.sweep?.number || now.state !== fabricState.value?.state;
    batch(() => {
      fabricState.value = now;
      stateTime.value = Date.now();
      problem.value = "";
      if (changed) ++edition.value;
    });
  } catch (error) {
    if (number !== stateRequests) return;
    problem.value = error instanceof Error ? error.message : String(error);
  }
  if (number === stateRequests) stateTimer = window.setTimeout(() => void refresh(), kStateInterval);
}

const kStateEvents = new Set(["sweep_begun", "sweep_ended", "state_changed", "routes_changed", "error", "alarm_raised", "alarm_cleared", "alarm_acknowledged"]);

function add(more: readonly WeftEvent[]): void {
  const last = events.value.at(-1)?.id ?? 0;
  events.value = [...events.value, ...more.filter((event) => event.id > last)].slice(-kEventsMax);
  if (more.some((event) => kStateEvents.has(event.event))) refreshSoon();
}

// The page shows events that arrive within this time together, so that many events cause few renderings.
const kRenderInterval = 50; // ms
let live: WeftEvent[] = [];
let liveTimer = 0;
function addLive(event: WeftEvent): void {
  live.push(event);
  if (!liveTimer) liveTimer = window.setTimeout(showLive, kRenderInterval);
}
function showLive(): void {
  window.clearTimeout(liveTimer);
  liveTimer = 0;
  add(live);
  live = [];
}

/** Requests the events after the last known event. If the service was restarted, requests all events of the service. */
async function catchUp(): Promise<void> {
  showLive();
  const last = events.value.at(-1);
  type Answer = { total: number; events: WeftEvent[] };
  if (last) {
    const same = await get<Answer>(`/api/v1/events?after=${last.id - 1}&limit=1`);
    const known = same.events[0];
    if (!known || known.id !== last.id || known.time !== last.time) {
      events.value = [];
      reconnectNote.value = "The manager was restarted.";
    }
  }
  const from = events.value.at(-1)?.id;
  const path = from === undefined ? `/api/v1/events?limit=${kEventsMax}` : `/api/v1/events?after=${from}&limit=${kEventsMax}`;
  add((await get<Answer>(path)).events);
}

let noteTimer = 0;
async function connect(): Promise<void> {
  await catchUp();
  await refresh();
  const lost = connection.value === "lost" ? Date.now() - since.value : 0;
  await follow(events.value.at(-1)?.id ?? 0, {
    opened: () => {
      batch(() => {
        wrongToken.value = false;
        if (lost) reconnectNote.value = `Reconnected after ${Math.max(1, Math.round(lost / 1000))} s. ${reconnectNote.value}`.trim();
        ++edition.value;
        setConnection("live");
      });
      window.clearTimeout(noteTimer);
      noteTimer = window.setTimeout(() => (reconnectNote.value = ""), 10_000);
    },
    event: addLive,
  }, (stream = new AbortController()));
}

// A browser opens at most six connections to a server, and the stream of each tab uses one of them. So a hidden tab closes its stream.
const kHiddenMax = 60_000; // ms
let stream = new AbortController();
let isClosed = false;
let reopen: () => void = () => {};

function closeStream(): void {
  isClosed = true;
  stream.abort();
}

function reopenStream(): void {
  if (!isClosed) return;
  isClosed = false;
  reopen();
}

function watchTab(): void {
  let timer = 0;
  window.addEventListener("pagehide", closeStream);
  window.addEventListener("pageshow", reopenStream);
  document.addEventListener("visibilitychange", () => {
    window.clearTimeout(timer);
    if (document.hidden) timer = window.setTimeout(closeStream, kHiddenMax);
    else reopenStream();
  });
}

let unlock: () => void = () => {};
/** Connects with the token that the user entered. */
export function tryToken(text: string): void {
  setToken(text.trim());
  unlock();
}

export async function run(): Promise<never> {
  watchTab();
  for (;;) {
    if (isClosed) await new Promise<void>((resolve) => (reopen = resolve));
    try {
      await connect();
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        wrongToken.value = hasToken();
        setToken("");
        setConnection("locked");
        await new Promise<void>((resolve) => (unlock = resolve));
        continue;
      }
      if (isClosed) continue;
      setConnection("lost");
    }
    await new Promise((resolve) => window.setTimeout(resolve, kRetry));
  }
}
