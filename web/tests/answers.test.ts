// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { expect, test, vi } from "vitest";

vi.hoisted(() => {
  vi.stubGlobal("sessionStorage", { getItem: () => null });
  vi.stubGlobal("window", globalThis);
  vi.stubGlobal("document", { addEventListener: () => {}, removeEventListener: () => {}, visibilityState: "visible" });
});
import { ApiError } from "../src/api";
import { answerOf } from "../src/cache";
import { takeFrames } from "../src/stream";

test("after a failed request the old response stays, with its time and the reason", () => {
  expect(answerOf({ data: 7, error: null, dataUpdatedAt: 5 })).toEqual({ value: 7, problem: "", at: 5 });
  expect(answerOf({ data: 7, error: new ApiError(0, "no response from the service"), dataUpdatedAt: 5 })).toEqual({ value: 7, problem: "no response from the service", at: 5 });
  expect(answerOf({ data: 7, error: new ApiError(503, "busy"), dataUpdatedAt: 5 })).toMatchObject({ value: 7, problem: "busy" });
});

test("what the service does not have any more is not shown", () => {
  expect(answerOf({ data: 7, error: new ApiError(404, "no node has this GUID"), dataUpdatedAt: 5 })).toMatchObject({ value: null, problem: "no node has this GUID" });
});

test("frames of the event stream are complete, or kept for the next part", () => {
  expect(takeFrames('id: 1\ndata: {"a"\ndata: :1}\n\n: comment\n\ndata: x')).toEqual({ data: ['{"a"\n:1}'], rest: "data: x" });
});
