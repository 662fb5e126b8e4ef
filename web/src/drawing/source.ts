// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The current drawing of the fabric and the error counts of its links, shared by the views.
import { useMemo } from "preact/hooks";
import { useAnswer } from "../cache";
import { kCountersEvery } from "../parts";
import { Model, type DrawingData } from "./model";

export interface ErrorsAnswer {
  counted: boolean;
  ports: { node: string; name: string; port: number; errors: number; counters: Record<string, number> }[];
}

let kept: { data: DrawingData; model: Model } | null = null;
function modelOf(data: DrawingData): Model {
  if (kept?.data !== data) kept = { data, model: new Model(data) };
  return kept.model;
}

export function useDrawing(): { model: Model | null; problem: string } {
  const { value, problem } = useAnswer<DrawingData>("/api/v1/drawing");
  const model = useMemo(() => (value ? modelOf(value) : null), [value]);
  return { model, problem };
}

export function useErrors(model: Model | null): { counted: boolean; byCable: Map<number, number> } {
  const { value } = useAnswer<ErrorsAnswer>("/api/v1/errors", kCountersEvery);
  const byCable = useMemo(() => {
    const sums = new Map<number, number>();
    for (const { node, port, errors } of value?.ports ?? []) {
      const cable = model?.cableAt(node, port);
      if (cable !== undefined) sums.set(cable, (sums.get(cable) ?? 0) + errors);
    }
    return sums;
  }, [value, model]);
  return { counted: value?.counted ?? false, byCable };
}
