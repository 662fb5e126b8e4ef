// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The drawing of the fabric at an earlier time: the current drawing without the links that appeared after that time, and with the links that
// were lost after that time. Other changes, such as of speeds and names, are not undone. Switches keep their positions. Nodes that
// disappeared have no position, and are listed. The links of these nodes are not drawn.
import type { WeftEvent } from "../api";
import type { DrawingData } from "../drawing/model";
import { differences } from "./changes";

export interface PastDrawing {
  data: DrawingData;
  added: number; // links that were up at that time and are not up now
  removed: number; // links that came up since that time
  unplaced: string[]; // names of nodes that disappeared since that time
}

const pick = <T>(list: T[], keep: boolean[]): T[] => list.filter((_, i) => keep[i]);

/** `since`: the events after the earlier time, oldest first. The loads are the current loads, and 0 for links that are not up now. */
export function drawingBefore(now: DrawingData, since: WeftEvent[]): PastDrawing {
  const { cables, switches } = now;
  const number = new Map(switches.guid.map((guid, i) => [guid, i]));
  const at = new Map<string, number>();
  for (let i = 0; i < cables.a.length; ++i) {
    at.set(`${cables.a[i]} ${cables.a_port[i]}`, i);
    at.set(`${cables.b[i]} ${cables.b_port[i]}`, i);
  }
  const keep = cables.a.map(() => true), lost: { a: number; a_port: number; b: number; b_port: number; rate: string }[] = [], unplaced: string[] = [];
  let removed = 0;
  for (const one of differences(since)) {
    if (one.what === "node" && one.change === "lost") unplaced.push(one.name || one.node);
    if (one.what !== "link") continue;
    const a = number.get(one.link.node), b = number.get(one.link.peer);
    if (a === undefined || b === undefined) continue;
    if (one.change === "new") {
      const i = at.get(`${a} ${one.link.port}`);
      if (i === undefined || !keep[i]) continue;
      keep[i] = false;
      ++removed;
    } else if (one.change === "lost") lost.push({ a, a_port: one.link.port, b, b_port: one.link.peer_port, rate: one.text });
  }
  const rates = [...cables.rates], states = [...cables.states];
  const indexIn = (list: string[], text: string): number => (list.includes(text) ? list.indexOf(text) : list.push(text) - 1);
  const renumbered = new Map<number, number>();
  keep.forEach((kept, i) => { if (kept) renumbered.set(i, renumbered.size); });
  return {
    data: {
      ...now,
      cables: {
        rates, states,
        a: [...pick(cables.a, keep), ...lost.map(({ a }) => a)], a_port: [...pick(cables.a_port, keep), ...lost.map(({ a_port }) => a_port)],
        b: [...pick(cables.b, keep), ...lost.map(({ b }) => b)], b_port: [...pick(cables.b_port, keep), ...lost.map(({ b_port }) => b_port)],
        there: [...pick(cables.there, keep), ...lost.map(() => 0)], back: [...pick(cables.back, keep), ...lost.map(() => 0)],
        rate: [...pick(cables.rate, keep), ...lost.map(({ rate }) => indexIn(rates, rate))],
        state: [...pick(cables.state, keep), ...lost.map(() => indexIn(states, "active"))],
        bows: cables.bows.flatMap((i) => renumbered.get(i) ?? []),
      },
    },
    added: lost.length, removed, unplaced,
  };
}
