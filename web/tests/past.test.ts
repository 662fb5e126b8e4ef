// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { describe, expect, test } from "vitest";
import type { WeftEvent } from "../src/api";
import type { DrawingData } from "../src/drawing/model";
import { differences } from "../src/past/changes";
import { drawingBefore } from "../src/past/drawing";

let id = 0;
const event = (kind: string, more: Partial<WeftEvent> = {}): WeftEvent => ({ id: ++id, event: kind, ...more });
const link = (kind: string, reversed = false): WeftEvent => event(kind, reversed
  ? { node: "0xb", name: "spine", port: 2, peer: "0xa", peer_name: "leaf", peer_port: 1, link: "4xHDR" }
  : { node: "0xa", name: "leaf", port: 1, peer: "0xb", peer_name: "spine", peer_port: 2, link: "4xHDR" });

describe("differences", () => {
  test("a link that is up again was interrupted, named from either end", () =>
    expect(differences([link("link_gone"), link("link_appeared", true)])).toMatchObject([{ what: "link", change: "interrupted", times: 2 }]));
  test("a link that came and left is none", () => expect(differences([link("link_appeared"), link("link_gone")])).toEqual([]));
  test("the first and the last event decide", () => {
    expect(differences([link("link_gone"), link("link_appeared"), link("link_gone")])).toMatchObject([{ change: "lost", times: 3 }]);
    expect(differences([link("link_appeared"), link("link_gone"), link("link_appeared")])).toMatchObject([{ change: "new" }]);
    expect(differences([link("link_changed")])).toMatchObject([{ change: "changed", text: "4xHDR" }]);
  });
  test("a node that got its name back is none", () => {
    expect(differences([event("node_renamed", { node: "0x1", name: "b", name_before: "a" }), event("node_renamed", { node: "0x1", name: "a", name_before: "b" })])).toEqual([]);
    expect(differences([event("node_renamed", { node: "0x1", name: "b", name_before: "a" })])).toMatchObject([{ what: "node", change: "renamed", text: "previous name: a" }]);
  });
  test("LIDs of one port count once, and not if the first is back", () => {
    const lid = (before: number, now: number): WeftEvent => event("lid_changed", { node: "0x1", port: 1, lid_before: before, lid: now });
    expect(differences([lid(1, 2), lid(2, 3)])).toMatchObject([{ what: "lid", text: "port 1: LID 1 → 3" }]);
    expect(differences([lid(1, 2), lid(2, 1)])).toEqual([]);
  });
  test("blocks of routes are summed; sweeps and traps are no differences", () =>
    expect(differences([event("sweep_begun"), event("routes_changed", { blocks: 2 }), event("trap"), event("routes_changed", { blocks: 3, engine: "updn" })]))
      .toMatchObject([{ what: "routes", times: 2, text: "5 table blocks written; active engine: updn" }]));
});

describe("drawingBefore", () => {
  const now: DrawingData = {
    sweep: 3, engine: "updn",
    layout: { shape: "", about: "", width: 100, height: 100, boxed: false, x: [0, 1, 2], y: [0, 1, 2], box: [0, 0, 0], boxes: [], labels: [] },
    switches: { guid: ["0xa", "0xb", "0xc"], name: ["leaf", "spine", "other"], lid: [1, 2, 3], ports: [4, 4, 4], hosts: [1, 0, 0] },
    cables: { a: [0, 1], a_port: [3, 4], b: [1, 2], b_port: [3, 4], there: [5, 6], back: [7, 8], rate: [0, 0], rates: ["4xEDR"], state: [0, 0], states: ["active"], bows: [1] },
  };
  test("without events it is the current one", () => expect(drawingBefore(now, [])).toEqual({ data: now, added: 0, removed: 0, unplaced: [] }));
  test("a link that was lost since is there, without load", () => {
    const { data, added } = drawingBefore(now, [link("link_gone")]);
    expect(added).toBe(1);
    expect(data.cables).toMatchObject({ a: [0, 1, 0], a_port: [3, 4, 1], b: [1, 2, 1], b_port: [3, 4, 2], there: [5, 6, 0], rate: [0, 0, 1], rates: ["4xEDR", "4xHDR"], bows: [1] });
    expect(now.cables.rates).toEqual(["4xEDR"]);
  });
  test("a link that came up since is not, and others keep their curves", () => {
    const { data, removed } = drawingBefore(now, [event("link_appeared", { node: "0xb", port: 3, peer: "0xa", peer_port: 3 })]);
    expect(removed).toBe(1);
    expect(data.cables).toMatchObject({ a: [1], b: [2], there: [6], bows: [0] });
  });
  test("switches that left since are listed", () =>
    expect(drawingBefore(now, [event("node_gone", { node: "0xd", name: "gone" }), event("link_gone", { node: "0xd", port: 1, peer: "0xa", peer_port: 9 })])).toMatchObject({ added: 0, unplaced: ["gone"] }));
});
