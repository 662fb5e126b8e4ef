// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The events of a period. If the manager keeps a history, these are the events of the history and the later live events. Without a
// history, these are the events since the start of the manager that the service has in memory.
import { useEffect, useMemo, useState } from "preact/hooks";
import { get, type WeftEvent } from "./api";
import { connection, events as liveEvents, fabricState } from "./store";

export const kPastEventsMax = 10_000; // maximum number of events in a response; the service omits older events
const kRetryInterval = 1500; // ms
const kLiveIds = 1e12; // offset of the ids of live events, because the history has separate ids

/** A period, in ms since 1970. If `from` is 0, the period begins at the first event. If `to` is null, the period has no end. */
export interface Period {
  from: number;
  to: number | null;
}

export interface Past {
  events: WeftEvent[]; // oldest first
  kept: boolean; // the manager keeps a history
  cut: boolean; // older events were omitted
  problem: string;
}

const time = (event: WeftEvent): number => Date.parse(event.time ?? "");
const within = (event: WeftEvent, { from, to }: Period): boolean => time(event) >= from && (to === null || time(event) < to);

function pathOf({ from, to }: Period): string {
  // The service expects seconds.
  return `/api/v1/history/events?limit=${kPastEventsMax}` +
    (from > 0 ? `&since=${Math.floor(from / 1000)}` : "") + (to === null ? "" : `&until=${Math.ceil(to / 1000)}`);
}

type Answer = { path: string; kept: boolean; events: WeftEvent[]; problem: string };

/** The events of a period; null until the first response. */
export function useHistory(period: Period): Past | null {
  const isLive = connection.value === "live";
  const live = liveEvents.value;
  const kept = fabricState.value?.history;
  const [answer, set] = useState<Answer | null>(null);
  const path = pathOf(period);
  useEffect(() => {
    if (!isLive || kept === undefined) return;
    if (!kept) return set({ path, kept, events: [], problem: "" });
    const abort = new AbortController();
    let timer = 0;
    const ask = (): void => void get<{ events: WeftEvent[] }>(path, abort.signal).then(
      ({ events }) => set({ path, kept: true, events, problem: "" }),
      (error: unknown) => {
        if (abort.signal.aborted) return;
        // The manager creates the file of the history shortly after the start, and tries again after a failure.
        timer = window.setTimeout(ask, kRetryInterval);
        set({ path, kept, events: [], problem: error instanceof Error ? error.message : String(error) });
      });
    ask();
    return () => {
      window.clearTimeout(timer);
      abort.abort();
    };
  }, [path, isLive, kept]);
  return useMemo(() => {
    if (answer === null || (answer.kept && answer.path !== path)) return null;
    const last = answer.events.at(-1)?.time ?? "";
    // Texts are compared: all times have microseconds, so the texts have equal lengths. Events that are not yet in the history are live events.
    const since = live.filter((event) => (event.time ?? "") > last).map((event) => ({ ...event, id: kLiveIds + event.id }));
    return {
      events: [...answer.events, ...since].filter((event) => within(event, period)),
      kept: answer.kept,
      cut: answer.events.length >= kPastEventsMax,
      problem: answer.problem,
    };
  }, [answer, path, live]);
}
