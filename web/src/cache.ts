// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The responses of the service: requested once for all views that show them, again after each published change, and periodically
// where they change without a sweep. After an error the old response stays, with its time and the error, and requests continue.
import { focusManager, QueryClient, QueryObserver, type QueryObserverResult } from "@tanstack/query-core";
import { useEffect, useMemo, useReducer } from "preact/hooks";
import { get, Refusal } from "./api";
import { connection, onEdition } from "./store";

const kAgain = 1500; // ms
const kBusyMost = 400; // attempts: a drawing or study of another client may take minutes
const kKept = 5 * 60_000; // ms: shown in a reopened view until the new response arrives

export const client = new QueryClient({
  defaultOptions: {
    queries: {
      // 503: busy with a large response to another client.
      retry: (failures, error) => error instanceof Refusal && error.status === 503 && failures < kBusyMost,
      retryDelay: kAgain, gcTime: kKept, networkMode: "always", refetchOnReconnect: false, refetchOnWindowFocus: false,
    },
  },
});
client.mount();
focusManager.setEventListener((changed) => {
  const listener = (): void => changed();
  document.addEventListener("visibilitychange", listener);
  return () => document.removeEventListener("visibilitychange", listener);
});

onEdition(() => refetch());

/** Requests the displayed data again: the data of paths that begin with `path`, or all data. */
export function refetch(path?: string): void {
  void client.invalidateQueries(path === undefined ? {} : { predicate: ({ queryKey }) => String(queryKey[0]).startsWith(path) });
}

export interface Answer<T> {
  value: T | null;
  problem: string; // error of the last request, "" if it succeeded; `value` may be older
  at: number; // time of `value`, ms since 1970
}

/** The part of a result that a view shows: no older response if the service no longer has the object. */
export function answerOf<T>({ data, error, dataUpdatedAt }: Pick<QueryObserverResult<T>, "data" | "error" | "dataUpdatedAt">): Answer<T> {
  const gone = error instanceof Refusal && error.status >= 400 && error.status < 500;
  return { value: gone ? null : (data ?? null), problem: error ? error.message : "", at: dataUpdatedAt };
}

/** The response of `fetch`, cached under `path`; null: no request. `every`: ms until the next request, 0: none. */
export function useFetched<T>(path: string | null, fetch: (path: string, signal: AbortSignal) => Promise<T>, every = 0): Answer<T> {
  const [, again] = useReducer<number, null>((n) => n + 1, 0);
  const options = {
    queryKey: [path], queryFn: ({ signal }: { signal: AbortSignal }) => fetch(path ?? "", signal),
    enabled: path !== null && connection.value === "live", staleTime: every > 0 ? 0 : Infinity, refetchInterval: every > 0 ? every : (false as const),
  };
  const observer = useMemo(() => new QueryObserver<T>(client, options), [path]);
  useEffect(() => observer.subscribe(() => again(null)), [observer]);
  useEffect(() => observer.setOptions(options), [observer, options.enabled, every]);
  return answerOf(observer.getCurrentResult());
}

export function useAnswer<T>(path: string | null, every = 0): Answer<T> {
  return useFetched<T>(path, get, every);
}
