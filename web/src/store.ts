// What the whole page shares: is the service there, what does it say at a glance, what happened. Views ask for the rest
// themselves, and again when `edition` counts up.
import { useEffect, useReducer } from "preact/hooks";
import { get, hasToken, Refusal, setToken, type FabricState, type WeftEvent } from "./api";
import { follow } from "./stream";

export type Connection = "connecting" | "live" | "gone" | "locked";

interface State {
  connection: Connection;
  since: number; // of the connection's state, ms
  wrongToken: boolean;
  back: string; // what to say after an absence
  glance: FabricState | null;
  edition: number; // counts what was published
  events: WeftEvent[]; // the oldest first
}

const kEventsMax = 4096; // as many as the service keeps
const kRetry = 1500;
const kSettle = 250; // the fabric's state is posted right behind its event
const kGlance = 10_000; // light sweeps tell of themselves only here

export const state: State = {
  connection: "connecting", since: Date.now(), wrongToken: false, back: "", glance: null, edition: 0, events: [],
};

const watchers = new Set<() => void>();
function tell(): void {
  for (const watcher of watchers) watcher();
}

/** Draws the component again when anything changes. */
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
  if (connection === "gone") state.back = "";
  state.connection = connection;
  state.since = Date.now();
  tell();
}

let glanceTimer = 0;
function lookSoon(): void {
  window.clearTimeout(glanceTimer);
  glanceTimer = window.setTimeout(() => void look(), kSettle);
}

async function look(): Promise<void> {
  window.clearTimeout(glanceTimer);
  try {
    const glance = await get<FabricState>("/api/v1/fabric");
    const news = glance.sweep?.number !== state.glance?.sweep?.number || glance.state !== state.glance?.state;
    state.glance = glance;
    if (news) ++state.edition;
    tell();
  } catch {
    // The stream notices that nobody is there.
  }
  glanceTimer = window.setTimeout(() => void look(), kGlance);
}

const kTellsOfState = new Set(["sweep_begun", "sweep_ended", "state_changed", "routes_changed", "error"]);

function add(events: WeftEvent[]): void {
  const last = state.events.at(-1)?.id ?? 0;
  state.events.push(...events.filter((event) => event.id > last));
  if (state.events.length > kEventsMax) state.events.splice(0, state.events.length - kEventsMax);
  if (events.some((event) => kTellsOfState.has(event.event))) lookSoon();
}

let telling = 0;
function addLive(event: WeftEvent): void {
  add([event]);
  if (!telling) telling = window.setTimeout(() => { telling = 0; tell(); }, 50);
}

/** Events since the last that is known; all of them where the service began to count anew. */
async function catchUp(): Promise<void> {
  const last = state.events.at(-1);
  type Answer = { total: number; events: WeftEvent[] };
  if (last) {
    const same = await get<Answer>(`/api/v1/events?after=${last.id - 1}&limit=1`);
    const known = same.events[0];
    if (!known || known.id !== last.id || known.time !== last.time) {
      state.events = [];
      state.back = "The manager was started again.";
    }
  }
  const from = state.events.at(-1)?.id;
  const path = from === undefined ? `/api/v1/events?limit=${kEventsMax}` : `/api/v1/events?after=${from}&limit=${kEventsMax}`;
  add((await get<Answer>(path)).events);
}

async function connect(): Promise<void> {
  await catchUp();
  await look();
  const gone = state.connection === "gone" ? Date.now() - state.since : 0;
  await follow(state.events.at(-1)?.id ?? 0, {
    opened: () => {
      state.wrongToken = false;
      if (gone) state.back = `Back after ${Math.max(1, Math.round(gone / 1000))} s. ${state.back}`.trim();
      ++state.edition;
      become("live");
      window.setTimeout(() => { state.back = ""; tell(); }, 10_000);
    },
    event: addLive,
  }, (stream = new AbortController()));
}

// A browser has six connections to a service for all of its tabs, and a stream keeps one: a tab that nobody sees lets go.
const kUnseen = 60_000;
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
    if (document.hidden) timer = window.setTimeout(rest, kUnseen);
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
        tell();
        await new Promise<void>((resolve) => (unlock = resolve));
        continue;
      }
      if (resting) continue;
      become("gone");
    }
    await new Promise((resolve) => window.setTimeout(resolve, kRetry));
  }
}
