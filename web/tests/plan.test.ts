// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { expect, test } from "vitest";
import { planOf, type KnownPort, type Membership } from "../src/plan";

const ports: KnownPort[] = [
  { guid: "0x0000000000000101", node: "0x0000000000000100", name: "host-1", port: 1 }, { guid: "0x0000000000000102", node: "0x0000000000000100", name: "host-1", port: 2 },
  { guid: "0x0000000000000201", node: "0x0000000000000200", name: "", port: 1 },
];
const members = new Map<string, Membership>([["0x0000000000000101", "full"], ["0x0000000000000999", "limited"]]);

test("a name stands for all ports of the node; those that are members already are not changed", () =>
  expect(planOf("host-1", "full", ports, members)).toEqual({ effects: [{ guid: "0x0000000000000102", place: "host-1 port 2", before: "no member", after: "full" }], same: 1, unknown: [] }));

test("a GUID may lack its prefix and zeros; words may repeat", () =>
  expect(planOf("101, 0x101 0X1", "limited", ports, members)).toEqual({ effects: [{ guid: "0x0000000000000101", place: "host-1 port 1", before: "full", after: "limited" }], same: 0, unknown: ["0X1"] }));

test("what the fabric does not have is named, unless it is a member to remove", () => {
  expect(planOf("0x999 other", "full", ports, members)).toEqual({ effects: [], same: 0, unknown: ["0x999", "other"] });
  expect(planOf("0x999 201", "remove", ports, members)).toEqual({
    effects: [{ guid: "0x0000000000000999", place: "not on the fabric", before: "limited", after: "no member" }], same: 1, unknown: [],
  });
});

test("without words nothing changes", () => expect(planOf(" , ", "full", ports, members)).toEqual({ effects: [], same: 0, unknown: [] }));
