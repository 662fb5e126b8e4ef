// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Receives server-sent events by fetch, because EventSource cannot send a token. The caller reconnects after an error.
import { ApiError, headers, type WeftEvent } from "./api";

const kSilenceMax = 40_000; // ms; the service sends data at least every 15 s

export interface Listener {
  opened(): void;
  event(event: WeftEvent): void;
}

/** Returns the data of the complete events in `text`, and the rest of the text. */
export function takeFrames(text: string): { data: string[]; rest: string } {
  const frames = text.split("\n\n");
  const rest = frames.pop() ?? "";
  const data = frames.flatMap((frame) => {
    const lines = frame.split("\n").filter((line) => line.startsWith("data: "));
    return lines.length > 0 ? [lines.map((line) => line.slice(6)).join("\n")] : [];
  });
  return { data, rest };
}

/** Passes the events after `last` to the listener. Throws if the service refuses the request, when the stream ends, after kSilenceMax without data, or on `abort`. */
export async function follow(last: number, listener: Listener, abort: AbortController): Promise<never> {
  let timer = window.setTimeout(() => abort.abort(), kSilenceMax);
  try {
    const response = await fetch("/api/v1/events/stream", { headers: headers({ "Last-Event-ID": String(last) }), signal: abort.signal });
    if (!response.ok || !response.body) throw new ApiError(response.status, response.statusText);
    listener.opened();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) throw new ApiError(0, "event stream closed");
      window.clearTimeout(timer);
      timer = window.setTimeout(() => abort.abort(), kSilenceMax);
      const { data, rest } = takeFrames(text + value);
      text = rest;
      for (const line of data) listener.event(JSON.parse(line) as WeftEvent);
    }
  } finally {
    window.clearTimeout(timer);
    abort.abort();
  }
}
