// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Text for numbers, times and events.
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

/** The time as text, with the date if the date is not today, and with the year if the year is not the current year. */
export function dayAndTime(ms: number, now = Date.now()): string {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return "";
  const text = date.toLocaleTimeString("en-GB");
  const year = date.getFullYear() === new Date(now).getFullYear() ? "" : ` ${date.getFullYear()}`;
  return date.toDateString() === new Date(now).toDateString() ? text : `${day(date)}${year}, ${text}`;
}

export const nameOrGuid = (name: string | undefined, guid: string | undefined): string => name || guid || "unnamed node";

export type Tone = "good" | "bad" | "warn" | "plain";

/** The state of a virtual port as text. A virtual port with a GUID that tenants_policy_file does not allow on its CA port gets no P_Keys, whatever its state is. */
export const vportState = ({ state, duplicate, forbidden, over_lid_limit }:
  { state: string; duplicate: boolean; forbidden: boolean; over_lid_limit: boolean }): { text: string; tone: Tone } =>
  forbidden ? { text: "forbidden by tenants", tone: "bad" } :
    duplicate ? { text: "duplicate GUID", tone: "bad" } :
      over_lid_limit ? { text: "over the limit of LIDs", tone: "bad" } : { text: state, tone: state === "active" ? "good" : "warn" };

export interface Label {
  one: string; // for one event: "Link up"
  many: string; // after a number: "links up"
  tone: Tone;
}

/** Labels of the kinds of events: for one event, for several events, and the tone. */
const kKinds: Record<string, [string, string, Tone]> = {
  node_appeared: ["Node joined", "nodes joined", "good"],
  node_gone: ["Node lost", "nodes lost", "bad"],
  node_renamed: ["Node renamed", "nodes renamed", "plain"],
  link_appeared: ["Link up", "links up", "good"],
  link_gone: ["Link lost", "links lost", "bad"],
  link_changed: ["Link changed", "links changed", "warn"],
  lid_changed: ["LID assigned", "LIDs assigned", "plain"],
  routes_changed: ["Routes changed", "changes of routes", "plain"],
  routes_rebalanced: ["Routes balanced by load", "changes of routes by load", "plain"],
  state_changed: ["SM state", "SM state changes", "plain"],
  sweep_begun: ["Sweep started", "sweeps started", "plain"],
  sweep_ended: ["Sweep ended", "sweeps ended", "plain"],
  trap: ["Trap", "traps", "plain"],
  warning: ["Warning", "warnings", "warn"],
  error: ["Error", "errors", "bad"],
  events_lost: ["Events lost", "losses of events", "warn"],
  partition_changed: ["Partition changed", "partition changes", "plain"],
  manager_appeared: ["Other SM found", "other SMs found", "warn"],
  manager_gone: ["Other SM lost", "other SMs lost", "plain"],
  manager_changed: ["Other SM changed", "changes of other SMs", "plain"],
  counter_errors: ["Errors counted", "error counter increases", "warn"],
  alarm_raised: ["Alarm raised", "alarms raised", "bad"],
  alarm_cleared: ["Alarm cleared", "alarms cleared", "good"],
  port_unhealthy: ["Port unhealthy", "unhealthy ports", "bad"],
  port_recovered: ["Port recovered by its switch", "ports recovered by switches", "plain"],
  port_healthy: ["Port healthy again", "ports healthy again", "good"],
  alarm_acknowledged: ["Alarm acknowledged", "alarms acknowledged", "plain"],
};

export function labelOf(event: WeftEvent): Label {
  const [one, many, tone] = kKinds[event.event] ?? [event.event, `${event.event} events`, "plain"];
  if (event.event !== "sweep_ended") return { one, many, tone };
  return event.up ? { one, many, tone: "good" } : { one: "Sweep failed", many: "sweeps failed", tone: "bad" };
}

export const isSweep = (event: WeftEvent): boolean => event.event === "sweep_begun" || event.event === "sweep_ended";

/** Whether an event is in the list of last changes: all events except sweeps, traps, assigned LIDs, lost events and error counters. */
export const isChange = (event: WeftEvent): boolean =>
  !["sweep_begun", "sweep_ended", "trap", "lid_changed", "events_lost", "counter_errors"].includes(event.event);

/** The details of an event that are shown after its label, nodes and ports. */
export function details(event: WeftEvent): string {
  switch (event.event) {
    case "node_renamed":
      return `previous name: ${event.name_before || "none"}`;
    case "link_appeared":
    case "link_gone":
    case "link_changed":
      return event.link ?? "";
    case "lid_changed":
      return event.lid_before ? `LID ${event.lid_before} → ${event.lid}` : `LID ${event.lid}`;
    case "routes_changed":
      return `${event.engine ?? ""}, ${plural(event.blocks ?? 0, "table block")} written`;
    case "state_changed":
      return event.state ?? "";
    case "sweep_begun":
      return event.reason ?? "";
    case "sweep_ended":
      return event.up ? "subnet up" : (event.error ?? "");
    case "trap":
      return `${event.text ?? ""} (from LID ${event.lid ?? "?"})`;
    case "manager_appeared":
    case "manager_gone":
    case "manager_changed":
      return `${event.state ?? ""}, priority ${event.priority ?? "?"}, LID ${event.lid ?? "?"}`;
    case "counter_errors":
      return `${event.counter ?? ""} rose from ${count(event.before ?? 0)} to ${count(event.value ?? 0)}`;
    case "events_lost":
      return `${plural(event.count ?? 0, "event")} discarded`;
    default:
      return event.text ?? "";
  }
}
