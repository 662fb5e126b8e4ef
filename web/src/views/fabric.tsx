// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The drawing of the fabric.
import type { JSX } from "preact";
import { useCallback, useState } from "preact/hooks";
import type { Mode } from "../drawing/colours";
import { Drawing } from "../drawing/drawing";
import type { Marks } from "../drawing/painter";
import { useDrawing, useErrors } from "../drawing/source";
import { go, toCable, toNode } from "../route";
import { plural } from "../words";

const kModes: [Mode, string, string][] = [
  ["load", "load", "number of paths between hosts on each link, with the active routes"],
  ["state", "state", "state of the ports of each link"],
  ["errors", "errors", "errors on each link, counted by the performance manager"],
  ["speed", "speed", "width and speed of each link"],
];
export const kNoMarks: Marks = { channels: [], switches: [] };

export function openThing({ guid, port }: { guid: string; port?: number }): void {
  go(port === undefined ? toNode(guid) : toCable(guid, port));
}

/** The drawing with the selection of colours; highlights `marks`. */
export function Picture({ marks = kNoMarks }: { marks?: Marks }): JSX.Element {
  const [mode, setMode] = useState<Mode>("load");
  const { model, problem } = useDrawing();
  const { counted, byCable } = useErrors(model);
  const open = useCallback(openThing, []);
  if (!model) return <p class="soft">{problem || "Loading the drawing…"}</p>;
  if (model.count === 0) return <p class="soft">The fabric has no switches.</p>;
  return (
    <>
      <div class="tools" role="group" aria-label="Colours">
        <span>Colour links by</span>
        {kModes.map(([key, words, about]) => (
          <button key={key} type="button" aria-pressed={mode === key} title={about} data-mode={key} onClick={() => setMode(key)}>{words}</button>))}
        <span class="soft about">{model.data.layout.about}, {plural(model.count, "switch", "switches")}, {plural(model.cableCount, "link")} between them; routed by {model.data.engine}</span>
      </div>
      {mode === "errors" && !counted && <p class="soft">No counters: start the manager with <code>--perfmgr</code>.</p>}
      <Drawing model={model} mode={mode} errors={byCable} marks={marks} open={open} />
    </>
  );
}

export function FabricView(): JSX.Element {
  return <><h1>Fabric</h1><Picture /></>;
}
