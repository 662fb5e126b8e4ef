// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Components shared by several views.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get, Refusal, type End, type WeftEvent } from "./api";
import { toCable, toNode } from "./route";
import { useStore } from "./store";
import { ago, dayAndTime, details, labelOf, nameless, type Tone } from "./words";

/** A symbol beside the text, so that the meaning does not depend on the colour. */
export function Sign({ tone }: { tone: Tone }): JSX.Element {
  const signs: Record<Tone, string> = { good: "✓", bad: "✗", warn: "!", plain: "·" };
  return <span class={`sign ${tone}`} aria-hidden="true">{signs[tone]}</span>;
}

export function Card({ title, children, id }: { title: string; children: ComponentChildren; id?: string }): JSX.Element {
  return <section class="card" id={id} aria-label={title}><h2>{title}</h2>{children}</section>;
}

export function NodeLink({ guid, name }: { guid: string; name: string }): JSX.Element {
  return <a href={toNode(guid)} class="node" title={guid}>{nameless(name, guid)}</a>;
}

export function EndLink({ end }: { end: End }): JSX.Element {
  return <span><NodeLink guid={end.node} name={end.name} /> <span class="soft">port {end.port}</span></span>;
}

/** One line of a timeline. */
export function EventLine({ event }: { event: WeftEvent }): JSX.Element {
  const { one, tone } = labelOf(event);
  const cable = event.peer !== undefined && event.node !== undefined;
  return (
    <div class="event" data-event={event.event}>
      <time dateTime={event.time} title={event.time}>{dayAndTime(Date.parse(event.time ?? ""))}</time>
      <Sign tone={tone} /> <strong>{one}</strong>{" "}
      {event.node !== undefined && <NodeLink guid={event.node} name={event.name ?? ""} />}
      {event.port !== undefined && <span class="soft"> port {event.port}</span>}
      {cable && <> – <NodeLink guid={event.peer ?? ""} name={event.peer_name ?? ""} /><span class="soft"> port {event.peer_port}</span></>}
      {" "}<span class="soft">{details(event)}</span>
      {cable && event.event !== "link_gone" && <> <a class="quiet" href={toCable(event.node ?? "", event.port ?? 0)}>link</a></>}
    </div>
  );
}

export function Ago({ time }: { time: string | undefined }): JSX.Element {
  const [, again] = useState(0);
  useEffect(() => {
    const timer = window.setInterval(() => again((n) => n + 1), 5000);
    return () => window.clearInterval(timer);
  }, []);
  return <span title={time}>{ago(time)}</span>;
}

/** The last responses: shown in a reopened view until the new response arrives. */
const kept = new Map<string, unknown>();
const kKeptMost = 12;
const kAgain = 1500; // ms
export const kCountersEvery = 10_000; // ms

function keep(path: string, value: unknown): void {
  kept.delete(path);
  kept.set(path, value);
  const [oldest] = kept.keys();
  if (kept.size > kKeptMost && oldest !== undefined) kept.delete(oldest);
}

/**
 * A response of the service, requested again after each published change; the old one is shown meanwhile.
 * `every`: also after this many ms, for data that changes without a sweep.
 */
export function useAnswer<T>(path: string | null, every = 0): { value: T | null; problem: string } {
  const { edition, connection } = useStore();
  const [answer, set] = useState<{ path: string | null; value: T | null; problem: string }>({ path: null, value: null, problem: "" });
  useEffect(() => {
    if (path === null || connection !== "live") return;
    const abort = new AbortController();
    let timer = 0;
    const ask = (): void => {
      get<T>(path, abort.signal).then(
        (value) => {
          keep(path, value);
          if (every > 0) timer = window.setTimeout(ask, every);
          set({ path, value, problem: "" });
        },
        (error: unknown) => {
          if (abort.signal.aborted) return;
          // 503: busy with a large response to another client.
          if (error instanceof Refusal && error.status === 503) {
            timer = window.setTimeout(ask, kAgain);
            if (kept.has(path)) return;
          }
          set({ path, value: null, problem: error instanceof Error ? error.message : String(error) });
        });
    };
    ask();
    return () => {
      window.clearTimeout(timer);
      abort.abort();
    };
  }, [path, edition, connection]);
  if (answer.path === path) return answer;
  return { value: path !== null && kept.has(path) ? (kept.get(path) as T) : null, problem: "" };
}

/** Up and down move the focus among the links of a list. */
export function arrows(event: JSX.TargetedKeyboardEvent<HTMLElement>): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-stop], a")].filter((stop) => stop.checkVisibility());
  const at = stops.findIndex((stop) => stop === document.activeElement || stop.contains(document.activeElement));
  const next = stops[at < 0 ? 0 : Math.min(stops.length - 1, Math.max(0, at + (event.key === "ArrowDown" ? 1 : -1)))];
  next?.focus();
  event.preventDefault();
}
