// What happened in a stretch of time: out of the manager's history, where it keeps one, and what has come since, live.
// Without a history it is what the service remembers since it was started.
import { useEffect, useMemo, useState } from "preact/hooks";
import { get, type WeftEvent } from "./api";
import { useStore } from "./store";

export const kPastMost = 10_000; // events that the service gives at once: the newest
const kAgain = 1500; // ms
const kLiveIds = 1e12; // the two count apart, and lists want one name for each

/** From a moment on (ms since 1970; 0: from the first on), to another; null: on and on. */
export interface Stretch {
  from: number;
  to: number | null;
}

export interface Past {
  events: WeftEvent[]; // the oldest first
  kept: boolean; // there is a history
  cut: boolean; // there were more, older ones
  problem: string;
}

const time = (event: WeftEvent): number => Date.parse(event.time ?? "");
const within = (event: WeftEvent, { from, to }: Stretch): boolean => time(event) >= from && (to === null || time(event) < to);

function pathOf({ from, to }: Stretch): string {
  // The service counts in seconds.
  return `/api/v1/history/events?limit=${kPastMost}` +
    (from > 0 ? `&since=${Math.floor(from / 1000)}` : "") + (to === null ? "" : `&until=${Math.ceil(to / 1000)}`);
}

type Answer = { path: string; kept: boolean; events: WeftEvent[]; problem: string };

/** Null: not known yet. */
export function useHistory(stretch: Stretch): Past | null {
  const { connection, glance, events: live } = useStore();
  const kept = glance?.history;
  const [answer, set] = useState<Answer | null>(null);
  const path = pathOf(stretch);
  useEffect(() => {
    if (connection !== "live" || kept === undefined) return;
    if (!kept) return set({ path, kept, events: [], problem: "" });
    const abort = new AbortController();
    let timer = 0;
    const ask = (): void => void get<{ events: WeftEvent[] }>(path, abort.signal).then(
      ({ events }) => set({ path, kept: true, events, problem: "" }),
      (error: unknown) => {
        if (abort.signal.aborted) return;
        // It may be there soon: the manager makes it a moment after its start, and tries again where it cannot.
        timer = window.setTimeout(ask, kAgain);
        set({ path, kept, events: [], problem: error instanceof Error ? error.message : String(error) });
      });
    ask();
    return () => {
      window.clearTimeout(timer);
      abort.abort();
    };
  }, [path, connection, kept]);
  return useMemo(() => {
    if (answer === null || (answer.kept && answer.path !== path)) return null;
    const last = answer.events.at(-1)?.time ?? "";
    // Times are text of one length, to the microsecond. What is being written when the history is read comes live.
    const since = live.filter((event) => (event.time ?? "") > last).map((event) => ({ ...event, id: kLiveIds + event.id }));
    return {
      events: [...answer.events, ...since].filter((event) => within(event, stretch)),
      kept: answer.kept,
      cut: answer.events.length >= kPastMost,
      problem: answer.problem,
    };
  }, [answer, path, live, live.length, live.at(-1)?.id]);
}
