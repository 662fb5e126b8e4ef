// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { expect, test } from "vitest";
import { vportState } from "../src/words";

test("a forbidden virtual port is shown as forbidden, whatever its state is", () => {
  for (const state of ["init", "active"])
    expect(vportState({ state, duplicate: false, forbidden: true, over_lid_limit: false })).toEqual({ text: "forbidden by tenants", tone: "bad" });
});

test("other virtual ports are shown by their state, unless their GUID belongs to another virtual port", () => {
  expect(vportState({ state: "active", duplicate: false, forbidden: false, over_lid_limit: false })).toEqual({ text: "active", tone: "good" });
  expect(vportState({ state: "init", duplicate: false, forbidden: false, over_lid_limit: false })).toEqual({ text: "init", tone: "warn" });
  expect(vportState({ state: "init", duplicate: true, forbidden: false, over_lid_limit: false })).toEqual({ text: "duplicate GUID", tone: "bad" });
  expect(vportState({ state: "init", duplicate: false, forbidden: false, over_lid_limit: true })).toEqual({ text: "over the limit of LIDs", tone: "bad" });
});
