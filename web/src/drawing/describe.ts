// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The text of the item under the pointer.
import { count, plural } from "../words";
import type { Model } from "./model";
import type { Hit } from "./painter";

export interface Terms {
  unit: string; // of the loads of links
  errors: Map<number, number>; // by link
  more: string; // the effect of a click on a switch or link; empty: none
}

function aboutLine(model: Model, hit: { line: number; boxes: boolean }, { unit, errors, more }: Terms): string[] {
  const lines = hit.boxes ? model.strands : model.trunks, begin = lines.begin[hit.line] ?? 0, end = lines.begin[hit.line + 1] ?? 0;
  const name = (spot: number): string => (hit.boxes ? model.boxes[spot]?.label || "box" : model.name(spot));
  const members = lines.members.subarray(begin, end);
  let most = 0, wrong = 0;
  for (const member of members) {
    const cable = model.cable(member);
    most = Math.max(most, cable.there, cable.back);
    wrong += errors.get(member) ?? 0;
  }
  const { aPort, bPort, rate, state, there, back } = model.cable(members[0] ?? 0), one = members.length === 1;
  return [
    `${name(lines.a[hit.line] ?? 0)} – ${name(lines.b[hit.line] ?? 0)}`,
    one ? [`ports ${aPort} and ${bPort}`, rate, state].filter((word) => word).join(", ") : plural(members.length, "link"),
    one ? `${count(there)} ${unit} there, ${count(back)} back` : `${count(most)} ${unit} on the most loaded`,
    wrong > 0 ? plural(wrong, "error") : "", hit.boxes ? "" : more,
  ];
}

export function describe(model: Model, hit: Hit, terms: Terms): string[] {
  let lines: string[] = [];
  if (hit && "sw" in hit) {
    lines = [model.name(hit.sw), model.guid(hit.sw), `LID ${model.data.switches.lid[hit.sw]}, ${plural(model.hosts(hit.sw), "host")}`, terms.more];
  } else if (hit && "box" in hit) {
    const box = model.boxes[hit.box];
    if (box) lines = [`${box.label || "box"}: ${plural(box.switches, "switch", "switches")}, ${plural(box.hosts, "host")}`, "click to zoom in"];
  } else if (hit) lines = aboutLine(model, hit, terms);
  return lines.filter((line) => line);
}
