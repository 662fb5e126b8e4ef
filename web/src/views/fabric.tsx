// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The fabric view: the drawing. A click on a switch or link opens the page of this switch or link, or simulates its failure.
import type { JSX } from "preact";
import { useCallback, useMemo, useState } from "preact/hooks";
import type { Mode } from "../drawing/colours";
import { Drawing } from "../drawing/drawing";
import type { Model } from "../drawing/model";
import type { Marks } from "../drawing/painter";
import { useDrawing, useErrors } from "../drawing/source";
import type { SwitchOrLink } from "../drawing/stage";
import { go, toCable, toNode } from "../route";
import { plural } from "../words";
import { WhatIf } from "./what_if";

const kModes: [Mode, string, string][] = [
  ["load", "load", "number of paths between hosts on each link, with the active routes"],
  ["state", "state", "state of the ports of each link"],
  ["errors", "errors", "errors on each link, counted by the performance manager"],
  ["speed", "speed", "width and speed of each link"],
];
export const kNoMarks: Marks = { channels: [], switches: [] };

export function openSwitchOrLink({ guid, port }: SwitchOrLink): void {
  go(port === undefined ? toNode(guid) : toCable(guid, port));
}

/** Modes for an earlier time. Loads and errors are known only for the current time. */
const kPastModes: Mode[] = ["state", "speed"];

/** The drawing, with buttons for the mode. `marks`: links and switches to highlight. `past`: the drawing of an earlier time to show. */
export function Picture({ marks = kNoMarks, past, open = openSwitchOrLink }: { marks?: Marks; past?: Model; open?: (selected: SwitchOrLink) => void }): JSX.Element {
  const [mode, setMode] = useState<Mode>(past ? "state" : "load");
  const { model: current, problem } = useDrawing();
  const model = past ?? current;
  const { counted, byCable } = useErrors(current);
  if (!model) return <p class="soft">{problem || "Loading the drawing…"}</p>;
  if (model.count === 0) return <p class="soft">The fabric has no switches.</p>;
  return (
    <>
      <div class="tools" role="group" aria-label="Colours">
        <span>Colour links by</span>
        {kModes.filter(([key]) => !past || kPastModes.includes(key)).map(([key, words, about]) => (
          <button key={key} type="button" aria-pressed={mode === key} title={about} data-mode={key} onClick={() => setMode(key)}>{words}</button>))}
        <span class="soft about">{model.data.layout.about}, {plural(model.count, "switch", "switches")}, {plural(model.cableCount, "link")} between switches{!past && `; routed by ${model.data.engine}`}</span>
      </div>
      {mode === "errors" && !counted && <p class="soft">No counters: start the manager with <code>--perfmgr</code>.</p>}
      <Drawing model={model} mode={mode} errors={byCable} marks={marks} open={open} />
    </>
  );
}

/** The effect of the failure of the link or switch that is selected in the drawing. */
function Simulated({ selected, model }: { selected: SwitchOrLink; model: Model }): JSX.Element {
  const { guid, port } = selected, i = port === undefined ? undefined : model.cableAt(guid, port), cable = i === undefined ? null : model.cable(i);
  const name = cable ? `${model.name(cable.a)} port ${cable.aPort} – ${model.name(cable.b)} port ${cable.bPort}` : model.name(model.number(guid) ?? 0);
  const about = useMemo(() => (port === undefined ? { node: guid } : { node: guid, port }), [guid, port]);
  return (
    <div class="stack" id="simulated">
      <p><a href={port === undefined ? toNode(guid) : toCable(guid, port)}>{name}</a></p>
      <WhatIf about={about} title={`What if ${name} fails?`} auto />
    </div>
  );
}

export function FabricView(): JSX.Element {
  const [simulates, setSimulates] = useState(false);
  const [selected, setSelected] = useState<SwitchOrLink | null>(null);
  const { model } = useDrawing();
  const marks = useMemo((): Marks => {
    if (!simulates || !selected || !model) return kNoMarks;
    const cable = selected.port === undefined ? undefined : model.cableAt(selected.guid, selected.port), sw = model.number(selected.guid);
    return cable !== undefined ? { channels: [{ cable, back: false, both: true }], switches: [] } : { channels: [], switches: sw === undefined ? [] : [sw] };
  }, [simulates, selected, model]);
  const open = useCallback((one: SwitchOrLink) => (simulates ? setSelected(one) : openSwitchOrLink(one)), [simulates]);
  return (
    <>
      <h1>Fabric</h1>
      <div class="tools" role="group" aria-label="A click on a switch or link">
        <span>A click, or Enter, on a switch or link</span>
        <button type="button" id="opens" aria-pressed={!simulates} onClick={() => setSimulates(false)}>opens its page</button>
        <button type="button" id="simulates" aria-pressed={simulates} onClick={() => setSimulates(true)}>simulates its failure</button>
      </div>
      {simulates && (selected && model ? <Simulated selected={selected} model={model} /> : <p class="soft">Select a link or a switch in the drawing. The fabric is not changed.</p>)}
      <Picture marks={marks} open={open} />
    </>
  );
}
