// Numbers, times and events as words.
import type { WeftEvent } from "./api";

export const count = (n: number): string => n.toLocaleString("en-US");
export const plural = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;
export const percent = (part: number): string => `${(100 * part).toFixed(1)}%`;

export function seconds(s: number): string {
  if (s < 0.001) return `${(s * 1e6).toFixed(0)} µs`;
  if (s < 1) return `${(s * 1000).toFixed(s < 0.1 ? 1 : 0)} ms`;
  return `${s.toFixed(s < 10 ? 2 : 1)} s`;
}

export function ago(time: string | undefined, now = Date.now()): string {
  if (!time) return "";
  const s = Math.max(0, (now - Date.parse(time)) / 1000);
  if (s < 10) return "just now";
  if (s < 90) return `${Math.round(s)} s ago`;
  if (s < 5400) return `${Math.round(s / 60)} min ago`;
  if (s < 129_600) return `${Math.round(s / 3600)} h ago`;
  return `${Math.round(s / 86_400)} days ago`;
}

export function clock(time: string | undefined): string {
  if (!time) return "";
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? "" : date.toLocaleTimeString("en-GB");
}

const kMonths = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const day = (date: Date): string => `${date.getDate()} ${kMonths[date.getMonth()] ?? ""}`;

/** The time alone where it is today's. */
export function dayAndTime(ms: number, now = Date.now()): string {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return "";
  const text = date.toLocaleTimeString("en-GB");
  const year = date.getFullYear() === new Date(now).getFullYear() ? "" : ` ${date.getFullYear()}`;
  return date.toDateString() === new Date(now).toDateString() ? text : `${day(date)}${year}, ${text}`;
}

export const nameless = (name: string | undefined, guid: string | undefined): string => name || guid || "a node without a name";

export type Tone = "good" | "bad" | "warn" | "plain";
export interface Said {
  kind: string; // what happened, in two or three words
  tone: Tone;
}

/** Each kind of event: its word, and whether it is good news. */
const kKinds: Record<string, [string, Tone]> = {
  node_appeared: ["Node came", "good"],
  node_gone: ["Node lost", "bad"],
  node_renamed: ["Node renamed", "plain"],
  link_appeared: ["Cable came", "good"],
  link_gone: ["Cable lost", "bad"],
  link_changed: ["Cable changed", "warn"],
  lid_changed: ["LID given", "plain"],
  routes_changed: ["Routes changed", "plain"],
  state_changed: ["Manager's state", "plain"],
  sweep_begun: ["Sweep began", "plain"],
  sweep_ended: ["Sweep ended", "plain"],
  trap: ["Trap", "plain"],
  warning: ["Warning", "warn"],
  error: ["Error", "bad"],
  events_lost: ["Events lost", "warn"],
  partition_changed: ["Partition changed", "plain"],
  manager_appeared: ["Another manager", "warn"],
  manager_gone: ["Other manager gone", "plain"],
  manager_changed: ["Other manager", "plain"],
  counter_errors: ["Errors counted", "warn"],
};

export function said(event: WeftEvent): Said {
  const [kind, tone] = kKinds[event.event] ?? [event.event, "plain"];
  if (event.event !== "sweep_ended") return { kind, tone };
  return event.up ? { kind, tone: "good" } : { kind: "Sweep failed", tone: "bad" };
}

export const isSweep = (event: WeftEvent): boolean => event.event === "sweep_begun" || event.event === "sweep_ended";

/** Everything that changes what people have: not the sweeps that found it. */
export const isChange = (event: WeftEvent): boolean =>
  !["sweep_begun", "sweep_ended", "trap", "lid_changed", "events_lost", "counter_errors"].includes(event.event);

/** What the kind does not say yet; nodes and cables are shown beside it. */
export function details(event: WeftEvent): string {
  switch (event.event) {
    case "node_renamed":
      return `was ${event.name_before || "nameless"}`;
    case "link_appeared":
    case "link_gone":
    case "link_changed":
      return event.link ?? "";
    case "lid_changed":
      return event.lid_before ? `LID ${event.lid_before} became ${event.lid}` : `LID ${event.lid}`;
    case "routes_changed":
      return `${event.engine ?? ""}, ${plural(event.blocks ?? 0, "table block")} written`;
    case "state_changed":
      return event.state ?? "";
    case "sweep_begun":
      return event.reason ?? "";
    case "sweep_ended":
      return event.up ? "the fabric is up" : (event.error ?? "");
    case "trap":
      return `${event.text ?? ""} (from LID ${event.lid ?? "?"})`;
    case "manager_appeared":
    case "manager_gone":
    case "manager_changed":
      return `${event.state ?? ""}, priority ${event.priority ?? "?"}, LID ${event.lid ?? "?"}`;
    case "counter_errors":
      return `${event.counter ?? ""} rose from ${count(event.before ?? 0)} to ${count(event.value ?? 0)}`;
    case "events_lost":
      return `${count(event.count ?? 0)} are forgotten`;
    default:
      return event.text ?? "";
  }
}
