// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Colour classes of links: 0 is unremarkable, higher classes are drawn over lower ones. Viridis for loads (Smith and van der Walt,
// 2015) and the colours of Okabe and Ito (2008) for unordered classes: distinguishable with any colour vision.
import { count } from "../words";
import type { Lines, Model } from "./model";

export type Mode = "load" | "state" | "errors" | "speed";

export interface Colouring {
  mode: Mode;
  classes: Uint8Array; // by cable
  colours: string[]; // by class
  legend: { colour: string; text: string }[];
}

const kViridis = ["#440154", "#482475", "#414487", "#355f8d", "#2a788e", "#21918c", "#22a884", "#44bf70", "#7ad151", "#bddf26", "#fde725"];
const kUnordered = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"];
const kErrors = ["#f0c000", "#e88a00", "#d5310c", "#a3006b"];

const grey = (dark: boolean): string => (dark ? "#4b5661" : "#c3cad1");

/** Low loads are close to the background colour, high loads contrast with it. */
export const loadSteps = (dark: boolean): string[] => (dark ? kViridis : [...kViridis].reverse());

/** By the loads of links. The scale ends at `end`, or at the highest load if `end` is 0. */
export function loads(model: Model, dark: boolean, end = 0): Colouring {
  const { there, back } = model.data.cables;
  const steps = loadSteps(dark);
  let most = end;
  if (end === 0) for (let i = 0; i < model.cableCount; ++i) most = Math.max(most, there[i] ?? 0, back[i] ?? 0);
  const classes = new Uint8Array(model.cableCount);
  for (let i = 0; i < model.cableCount; ++i) {
    const value = Math.max(there[i] ?? 0, back[i] ?? 0);
    if (value > 0) classes[i] = 1 + Math.round((value / most) * (steps.length - 1));
  }
  const legend = steps.map((colour, i) => ({ colour, text: i === 0 ? "few paths" : i === steps.length - 1 ? `${count(most)} paths` : "" }));
  return { mode: "load", classes, colours: [grey(dark), ...steps], legend };
}

const kStates: [string, string, string][] = [
  ["active", "#009e73", "carries data"], ["armed", "#56b4e9", "armed: not yet in use"],
  ["init", "#e69f00", "init: not yet configured"], ["down", "#d55e00", "down"], ["unknown", "#cc79a7", "unknown"],
];

function state(model: Model): Colouring {
  const { state: of, states } = model.data.cables;
  const classOf = states.map((name) => Math.max(0, kStates.findIndex(([known]) => known === name)));
  const classes = Uint8Array.from(of, (s) => classOf[s] ?? 0);
  const present = new Set(classes);
  return {
    mode: "state", classes, colours: kStates.map(([, colour]) => colour),
    legend: kStates.flatMap(([, colour, text], i) => (present.has(i) ? [{ colour, text }] : [])),
  };
}

function speed(model: Model): Colouring {
  const { rate, rates } = model.data.cables;
  const colours = rates.map((_, i) => kUnordered[i % kUnordered.length] ?? "");
  return { mode: "speed", classes: Uint8Array.from(rate), colours, legend: rates.map((text, i) => ({ colour: colours[i] ?? "", text })) };
}

/** By errors. `counted`: the number of errors by link, as the sum of both ends. */
function errors(model: Model, dark: boolean, counted: Map<number, number>): Colouring {
  const classes = new Uint8Array(model.cableCount);
  for (const [cable, n] of counted) if (n > 0) classes[cable] = 1 + Math.min(kErrors.length - 1, Math.floor(Math.log10(n)));
  const texts = ["none", "1 to 9", "10 to 99", "100 to 999", "1,000 and more"];
  const colours = [grey(dark), ...kErrors];
  return { mode: "errors", classes, colours, legend: texts.map((text, i) => ({ colour: colours[i] ?? "", text })) };
}

export function colouring(model: Model, mode: Mode, dark: boolean, counted: Map<number, number>): Colouring {
  if (mode === "state") return state(model);
  if (mode === "speed") return speed(model);
  return mode === "errors" ? errors(model, dark, counted) : loads(model, dark);
}

/** The highest class of the links of each line, and the lines in ascending order of class. */
export function classed(lines: Lines, classes: Uint8Array): { of: Uint8Array; order: Uint32Array } {
  const of = new Uint8Array(lines.count);
  for (let i = 0; i < lines.count; ++i)
    for (let m = lines.begin[i] ?? 0; m < (lines.begin[i + 1] ?? 0); ++m) of[i] = Math.max(of[i] ?? 0, classes[lines.members[m] ?? 0] ?? 0);
  const order = Uint32Array.from({ length: lines.count }, (_, i) => i);
  order.sort((i, j) => (of[i] ?? 0) - (of[j] ?? 0) || i - j);
  return { of, order };
}
