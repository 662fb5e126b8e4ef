// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Computes the differences between two times from the events between these times.
import type { WeftEvent } from "../api";

export interface LinkKey {
  node: string;
  name: string;
  port: number;
  peer: string;
  peer_name: string;
  peer_port: number;
}

export type Difference =
  | { what: "link"; change: "lost" | "new" | "changed" | "interrupted"; link: LinkKey; times: number; text: string }
  | { what: "node"; change: "lost" | "new" | "interrupted" | "renamed"; node: string; name: string; times: number; text: string }
  | { what: "lid"; change: "changed"; node: string; name: string; times: number; text: string }
  | { what: "routes" | "manager" | "partition" | "alarm"; change: "changed"; times: number; text: string };

/** A name of a link that is the same from either end. */
export function linkName(node: string, port: number, peer: string, peerPort: number): string {
  const a = `${node} ${port}`, b = `${peer} ${peerPort}`;
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}

function keyOf(event: WeftEvent): string | null {
  const { event: kind, node = "", port = 0, peer = "", peer_port = 0 } = event;
  if (kind.startsWith("link_")) return `link ${linkName(node, port, peer, peer_port)}`;
  if (kind === "node_appeared" || kind === "node_gone") return `node ${node}`;
  if (kind === "node_renamed") return `name ${node}`;
  if (kind === "lid_changed") return `lid ${node} ${port}`;
  if (kind === "routes_changed") return "routes";
  if (kind === "state_changed") return "state";
  if (kind === "partition_changed") return `partition ${event.text ?? ""}`;
  return null;
}

const kPresence: Record<string, boolean> = { link_gone: false, node_gone: false, link_appeared: true, node_appeared: true };

/** Compares the presence of a node or link before its first event and after its last event. Null: absent at both times. */
function presence(events: WeftEvent[]): "lost" | "new" | "interrupted" | "changed" | null {
  const known = events.filter(({ event }) => event in kPresence);
  const first = known[0], last = known.at(-1);
  if (!first || !last) return "changed";
  const before = !kPresence[first.event], after = kPresence[last.event] ?? false;
  if (before === after) return before ? "interrupted" : null;
  return after ? "new" : "lost";
}

function differenceOf(key: string, events: WeftEvent[]): Difference | null {
  const first = events[0], last = events.at(-1), times = events.length;
  if (!first || !last) return null;
  const { node = "", name = "", port = 0, peer = "", peer_name = "", peer_port = 0 } = last;
  const what = key.split(" ")[0];
  if (what === "link") {
    const change = presence(events);
    return change && { what, change, link: { node, name, port, peer, peer_name, peer_port }, times, text: last.link ?? "" };
  }
  if (what === "node") {
    const change = presence(events);
    return change && change !== "changed" ? { what, change, node, name, times, text: "" } : null;
  }
  if (what === "name")
    return first.name_before === name ? null : { what: "node", change: "renamed", node, name, times, text: `previous name: ${first.name_before || "none"}` };
  if (what === "lid") {
    if (first.lid_before === last.lid) return null;
    return { what, change: "changed", node, name, times, text: `port ${port}: LID ${first.lid_before || "none"} → ${last.lid ?? "none"}` };
  }
  if (what === "routes") {
    const blocks = events.reduce((sum, event) => sum + (event.blocks ?? 0), 0);
    return { what, change: "changed", times, text: `${blocks} table blocks written; active engine: ${last.engine ?? "?"}` };
  }
  if (what === "state") return { what: "manager", change: "changed", times, text: `state ${last.state ?? "?"}` };
  return { what: "partition", change: "changed", times, text: last.text ?? "" };
}

/** `events`: oldest first. A node or link that is absent at both times is not a difference. */
export function differences(events: WeftEvent[]): Difference[] {
  const byKey = new Map<string, WeftEvent[]>();
  for (const event of events) {
    const key = keyOf(event);
    if (key === null) continue;
    const list = byKey.get(key);
    if (list) list.push(event);
    else byKey.set(key, [event]);
  }
  return [...byKey].flatMap(([key, list]) => differenceOf(key, list) ?? []);
}
