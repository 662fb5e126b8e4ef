// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Components shared by several views.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { End, WeftEvent } from "./api";
import type { Answer } from "./cache";
import { toCable, toNode } from "./route";
import { ago, dayAndTime, details, labelOf, nameOrGuid, type Tone } from "./words";

/** A symbol beside the text, so that the meaning does not depend on the colour. */
export function Sign({ tone }: { tone: Tone }): JSX.Element {
  const signs: Record<Tone, string> = { good: "✓", bad: "✗", warn: "!", plain: "·" };
  return <span class={`sign ${tone}`} aria-hidden="true">{signs[tone]}</span>;
}

export function Card({ title, children, id }: { title: string; children: ComponentChildren; id?: string }): JSX.Element {
  return <section class="card" id={id} aria-label={title}><h2>{title}</h2>{children}</section>;
}

export function NodeLink({ guid, name }: { guid: string; name: string }): JSX.Element {
  return <a href={toNode(guid)} class="node" title={guid}>{nameOrGuid(name, guid)}</a>;
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

/** States that `answer` is from an earlier request, because the last request failed. */
export function Stale({ answer: { value, problem, at } }: { answer: Answer<unknown> }): JSX.Element | null {
  if (problem === "" || value === null) return null;
  return <p class="stale bad-text" role="status">✗ Not updated since {dayAndTime(at)}: {problem}</p>;
}

/** Returns the current time in ms since 1970. Renders the component again every `every` ms. */
export function useClock(every: number): number {
  const [now, set] = useState(Date.now());
  useEffect(() => {
    const timer = window.setInterval(() => set(Date.now()), every);
    return () => window.clearInterval(timer);
  }, [every]);
  return now;
}

export function Ago({ time }: { time: string | undefined }): JSX.Element {
  return <span title={time}>{ago(time, Math.max(useClock(5000), Date.parse(time ?? "") || 0))}</span>;
}

export const kCountersEvery = 10_000; // ms

/** The arrow keys up and down move the focus to the previous or next link, or element with `data-stop`, of a list. */
export function arrows(event: JSX.TargetedKeyboardEvent<HTMLElement>): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-stop], a")].filter((stop) => stop.checkVisibility());
  const at = stops.findIndex((stop) => stop === document.activeElement || stop.contains(document.activeElement));
  const next = stops[at < 0 ? 0 : Math.min(stops.length - 1, Math.max(0, at + (event.key === "ArrowDown" ? 1 : -1)))];
  next?.focus();
  event.preventDefault();
}
