// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One node: properties, ports, counters, events.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { End, NodeState, PortState } from "../api";
import { useAnswer } from "../cache";
import { useDrawing } from "../drawing/source";
import { Card, EndLink, EventLine, Sign, arrows, kCountersEvery } from "../parts";
import { toCable, toPath } from "../route";
import * as store from "../store";
import { count, nameOrGuid, plural } from "../words";
import { CutCables, isEnd, useCutCables } from "./emulation";
import { Picture, kNoMarks } from "./fabric";
import { Traffic } from "./traffic";
import { PlanePorts } from "./planes";
import { VirtualPorts } from "./vports";
import { WhatIf } from "./what_if";

const kEventsShown = 15;
export interface CountersAnswer {
  counted: boolean;
  ports: { port: number; counters: Record<string, number> }[];
}

const rateOf = (port: PortState): string => (port.width ? `${port.width}${port.speed ?? ""}, ${port.gbps} Gbit/s` : "");

function PortRow({ port, load, errors, cut }: { port: PortState; load: string; errors: number | null; cut: End | null }): JSX.Element {
  const tone = port.state === "active" ? "good" : port.peer ? "warn" : "plain";
  return (
    <tr>
      <td class="number">{port.peer || cut ? <a href={toCable(port.node, port.port)}>{port.port}</a> : port.port}</td>
      <td><Sign tone={tone} /> {port.state}</td>
      <td>{port.peer ? <EndLink end={port.peer} /> : cut ? <span><span class="soft">cut link to</span> <EndLink end={cut} /></span> : <span class="soft">none</span>}</td>
      <td>{rateOf(port)}</td>
      <td class="number">{load}</td>
      <td class={`number ${errors ? "bad-text" : ""}`}>{errors === null ? "" : count(errors)}</td>
    </tr>
  );
}

/** Sum of the error counters: all counters except traffic and wait counters. */
export function errorsOf(counters: Record<string, number>): number {
  return Object.entries(counters).reduce((sum, [name, value]) => sum + (/Wait|Data|Pkts/.test(name) ? 0 : value), 0);
}

export function NodeView({ guid }: { guid: string }): JSX.Element {
  const events = store.events.value;
  const { value: node, problem } = useAnswer<NodeState>(`/api/v1/node/${encodeURIComponent(guid)}`);
  const { value: counters } = useAnswer<CountersAnswer>(`/api/v1/counters/${encodeURIComponent(guid)}`, kCountersEvery);
  const { model } = useDrawing();
  const cuts = useCutCables(guid);
  const cutFrom = (port: number): End | null => {
    const found = cuts.find(({ a, b }) => isEnd(a, guid, port) || isEnd(b, guid, port));
    return found ? (isEnd(found.a, guid, port) ? found.b : found.a) : null;
  };
  const errors = useMemo(() => new Map((counters?.ports ?? []).map(({ port, counters: c }) => [port, errorsOf(c)])), [counters]);
  const own = events.filter((event) => event.node === guid || event.peer === guid).slice(-kEventsShown).reverse();
  const sw = model?.number(guid);
  const attached = node?.type === "SW" ? undefined : node?.port_list.map((port) => port.peer && model?.number(port.peer.node)).find((n) => typeof n === "number");
  const at = sw ?? attached;
  const marks = useMemo(() => (typeof at === "number" ? { channels: [], switches: [at] } : kNoMarks), [at]);
  if (!node) return <><h1>Node</h1><p class={problem ? "bad-text" : "soft"}>{problem || "Loading…"}</p><CutCables guid={guid} /></>;
  const loadOf = (port: number): string => {
    const i = model?.cableAt(guid, port);
    if (model === null || i === undefined) return "";
    const cable = model.cable(i);
    const outward = cable.a === sw && cable.aPort === port;
    return `${count(outward ? cable.there : cable.back)} out, ${count(outward ? cable.back : cable.there)} in`;
  };
  return (
    <>
      <h1>{nameOrGuid(node.name, node.guid)} <span class="soft">{node.type === "SW" ? "switch" : node.type === "RTR" ? "router" : "host"}</span></h1>
      <div class="cards wide-first">
        <Card title="Ports" id="ports">
          <div class="scroll" onKeyDown={arrows}><table>
            <thead><tr><th class="number">port</th><th>state</th><th>peer</th><th>rate</th><th class="number">paths</th>{counters?.counted ? <th class="number">errors</th> : <td />}</tr></thead>
            <tbody>{node.port_list.map((port) => <PortRow key={port.port} port={port} load={loadOf(port.port)} errors={counters?.counted ? (errors.get(port.port) ?? 0) : null} cut={port.peer ? null : cutFrom(port.port)} />)}</tbody>
          </table></div>
        </Card>
        <div class="stack">
          <Card title="About">
            <dl>
              <dt>GUID</dt><dd class="mono">{node.guid}</dd>
              <dt>system image GUID</dt><dd class="mono">{node.system_guid}</dd>
              <dt>LIDs</dt><dd>{node.lids.join(", ") || "none"}</dd>
              <dt>ports</dt><dd>{plural(node.ports_connected, "port")} of {node.ports} connected</dd>
              <dt>vendor, device</dt><dd class="mono">0x{node.vendor_id.toString(16)}, 0x{node.device_id.toString(16)}</dd>
            </dl>
            <p><a href={toPath(node.guid, "")}>Paths from this node</a></p>
          </Card>
          <PlanePorts guid={guid} />
          <VirtualPorts guid={guid} />
          <CutCables guid={guid} />
          {node.type === "SW" && <WhatIf about={{ node: node.guid }} title="What if this switch fails?" />}
          <Card title="Events">
            {own.length === 0 && <p class="soft">No events.</p>}
            <div onKeyDown={arrows}>{own.map((event) => <EventLine key={event.id} event={event} />)}</div>
          </Card>
        </div>
      </div>
      <div class="low"><Traffic of={`node=${encodeURIComponent(guid)}`} title="Traffic of all ports" /></div>
      {typeof at === "number" && <section class="card low" aria-label="Location"><h2>Location</h2><Picture marks={marks} /></section>}
    </>
  );
}
