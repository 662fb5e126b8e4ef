// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The path between two nodes: a row for each link, with SL and VL.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { PathState } from "../api";
import { useAnswer } from "../cache";
import { useDrawing } from "../drawing/source";
import { EndLink, NodeLink, arrows } from "../parts";
import { go, toCable, toPath } from "../route";
import { Search } from "../search";
import { count, plural } from "../words";
import { Picture, kNoMarks } from "./fabric";

export function PathView({ from, to }: { from: string; to: string }): JSX.Element {
  const both = from !== "" && to !== "";
  const { value: path, problem } = useAnswer<PathState>(both ? `/api/v1/routes/path?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}` : null);
  const { model } = useDrawing();
  const cables = useMemo(() => (path?.hops ?? []).map((hop) => model?.cableAt(hop.from.node, hop.from.port)), [path, model]);
  const marks = useMemo(() => {
    if (!model || !path) return kNoMarks;
    const channels = path.hops.flatMap((hop, i) => {
      const cable = cables[i];
      return cable === undefined ? [] : [{ cable, back: model.cable(cable).a !== model.number(hop.from.node) }];
    });
    const first = path.hops[0], last = path.hops.at(-1);
    const ends = [first && (model.number(first.from.node) ?? (first.to && model.number(first.to.node))), last && ((last.to && model.number(last.to.node)) ?? model.number(last.from.node))];
    return { channels, switches: [...new Set(ends.filter((sw): sw is number => typeof sw === "number"))] };
  }, [path, model, cables]);
  const load = (i: number): string => {
    const cable = cables[i], hop = path?.hops[i];
    if (!model || cable === undefined || !hop) return "";
    const found = model.cable(cable);
    return count(found.a === model.number(hop.from.node) ? found.there : found.back);
  };
  return (
    <>
      <h1>Path</h1>
      <div class="tools">
        <Search id="path-from" label="from: name, GUID or LID" value={path?.from.name || from} pick={(one) => go(toPath(one.guid, to))} />
        <span aria-hidden="true">→</span>
        <Search id="path-to" label="to: name, GUID or LID" value={path?.to.name || to} pick={(one) => go(toPath(from, one.guid))} />
        <button type="button" disabled={!both} onClick={() => go(toPath(to, from))}>reverse path</button>
      </div>
      {!both && <p class="soft">Select two nodes.</p>}
      {problem && <p class="bad-text" id="no-path">✗ {problem}</p>}
      {path && (
        <section class="card" id="path">
          <p>{plural(path.hop_count, "hop")}, over {plural(path.hops.length, "link")}, from LID {path.slid} to LID {path.dlid}, service level {path.sl}.</p>
          <div class="scroll" onKeyDown={arrows}><table>
            <thead><tr><th class="number">link</th><th>from</th><th>to</th><th class="number">SL</th><th class="number">VL</th><th>rate</th><th class="number">paths on link</th><th>link</th></tr></thead>
            <tbody>{path.hops.map((hop, i) => (
              <tr key={i}>
                <td class="number">{i + 1}</td><td><EndLink end={hop.from} /></td><td>{hop.to ? <EndLink end={hop.to} /> : "no link"}</td>
                <td class="number">{path.sl}</td><td class="number">{hop.vl}</td><td>{hop.width}{hop.speed}</td><td class="number">{load(i)}</td>
                <td><a href={toCable(hop.from.node, hop.from.port)}>details</a></td>
              </tr>))}</tbody>
          </table></div>
          {path.hops.length === 0 && <p>Source and destination are the same node: <NodeLink guid={path.to.node} name={path.to.name} />.</p>}
        </section>)}
      <section class="card low" aria-label="Drawing"><Picture marks={marks} /></section>
    </>
  );
}
