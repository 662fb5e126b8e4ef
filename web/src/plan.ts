// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Computes the effect of a change of members of a partition, before the page sends the change.

export type Membership = "full" | "limited" | "both";
export type Action = Membership | "remove";

export interface KnownPort {
  guid: string;
  node: string;
  name: string;
  port: number;
}

export interface Effect {
  guid: string;
  place: string; // name and port of the node
  before: Membership | "no member";
  after: Membership | "no member";
}

export interface Plan {
  effects: Effect[];
  same: number; // number of ports that already have the requested membership
  unknown: string[]; // words that are neither a name nor a port GUID of the fabric
}

const guidOf = (word: string): string | null => {
  const digits = /^(?:0x)?([0-9a-fA-F]{1,16})$/.exec(word)?.[1];
  return digits === undefined ? null : `0x${digits.toLowerCase().padStart(16, "0")}`;
};

/** `words`: names of nodes and port GUIDs, separated by spaces or commas. A name selects all ports in `ports` of nodes with this name. */
export function planOf(words: string, action: Action, ports: KnownPort[], members: Map<string, Membership>): Plan {
  const byName = new Map<string, KnownPort[]>(), byGuid = new Map<string, KnownPort>();
  for (const port of ports) {
    byName.set(port.name, [...(byName.get(port.name) ?? []), port]);
    byGuid.set(port.guid, port);
  }
  const wanted = new Map<string, string>(), unknown: string[] = [];
  for (const word of words.split(/[\s,]+/).filter((one) => one !== "")) {
    const named = byName.get(word) ?? [], guid = guidOf(word), found = guid === null ? undefined : byGuid.get(guid);
    for (const port of named.length > 0 ? named : found ? [found] : []) wanted.set(port.guid, `${port.name || port.node} port ${port.port}`);
    // The GUID of a member that is not in the fabric can be removed.
    if (named.length === 0 && !found && guid !== null && action === "remove" && members.has(guid)) wanted.set(guid, "not on the fabric");
    else if (named.length === 0 && !found) unknown.push(word);
  }
  const effects = [...wanted].map(([guid, place]): Effect => ({ guid, place, before: members.get(guid) ?? "no member", after: action === "remove" ? "no member" : action }));
  const changed = effects.filter(({ before, after }) => before !== after);
  return { effects: changed, same: effects.length - changed.length, unknown };
}
