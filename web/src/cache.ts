// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A cache of the responses of the service. All views that show a response share one request. The page repeats the request after each
// published change. For data that changes without a sweep, the page also repeats the request periodically. If a request fails, a view can
// show the previous response with its time and the error; after a status of 400 to 499 only the error.
import { focusManager, QueryClient, QueryObserver, type QueryObserverResult } from "@tanstack/query-core";
import { useEffect, useMemo, useReducer } from "preact/hooks";
import { ApiError, get } from "./api";
import { connection, onEdition } from "./store";

const kRetryInterval = 1500; // ms
const kBusyRetriesMax = 400; // 10 minutes, because a drawing or study for another client may take minutes
const kUnusedFor = 5 * 60_000; // ms for which a response that no view shows is stored: a view that is opened again shows the old response until the new response arrives

export const client = new QueryClient({
  defaultOptions: {
    queries: {
      // 503: the service is busy with requests of other clients, or no sweep has completed.
      retry: (failures, error) => error instanceof ApiError && error.status === 503 && failures < kBusyRetriesMax,
      retryDelay: kRetryInterval, gcTime: kUnusedFor, networkMode: "always", refetchOnReconnect: false, refetchOnWindowFocus: false,
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

/** Requests again all data that the open views show; with `path` only the data of paths that begin with `path`. */
export function refetch(path?: string): void {
  void client.invalidateQueries(path === undefined ? {} : { predicate: ({ queryKey }) => String(queryKey[0]).startsWith(path) });
}

export interface Answer<T> {
  value: T | null;
  problem: string; // error of the last request, "" if the request succeeded; `value` may be from an earlier request
  at: number; // time of `value`, ms since 1970
}

/** Converts a result for a view. After a status of 400 to 499 `value` is null, because the service does not provide the data. */
export function answerOf<T>({ data, error, dataUpdatedAt }: Pick<QueryObserverResult<T>, "data" | "error" | "dataUpdatedAt">): Answer<T> {
  const gone = error instanceof ApiError && error.status >= 400 && error.status < 500;
  return { value: gone ? null : (data ?? null), problem: error ? error.message : "", at: dataUpdatedAt };
}

/** Returns the response of `fetch`, cached under `path`. No request if `path` is null or the page is not live. `every`: ms between requests; 0: not periodic. */
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
