// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One link: both ends, load, counters, and the effect of its failure.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { NodeState, PortState } from "../api";
import { useAnswer } from "../cache";
import { useDrawing } from "../drawing/source";
import { Card, EndLink, EventLine, NodeLink, Sign, arrows, kCountersEvery } from "../parts";
import * as store from "../store";
import { count, nameOrGuid } from "../words";
import { CableButton, CutCables, CutCard, isEnd, useCutCables } from "./emulation";
import { Picture, kNoMarks } from "./fabric";
import { errorsOf, type CountersAnswer } from "./node";
import { PlaneOfPort } from "./planes";
import { Traffic } from "./traffic";
import { WhatIf } from "./what_if";

function Counters({ title, guid, port }: { title: string; guid: string; port: number }): JSX.Element {
  const { value } = useAnswer<CountersAnswer>(`/api/v1/counters/${encodeURIComponent(guid)}`, kCountersEvery);
  const counters = value?.ports.find((one) => one.port === port)?.counters;
  const errors = counters ? errorsOf(counters) : 0;
  return (
    <Card title={title}>
      {!value?.counted && <p class="soft">No counters: start the manager with <code>--perfmgr</code>.</p>}
      {value?.counted && !counters && <p class="soft">The counters are not read yet.</p>}
      {counters && <p><Sign tone={errors > 0 ? "bad" : "good"} /> {errors > 0 ? `${count(errors)} errors` : "no errors"}</p>}
      {counters && <table><tbody>{Object.entries(counters).filter(([, value]) => value > 0).map(([name, value]) => (
        <tr key={name}><th scope="row">{name}</th><td class="number">{count(value)}</td></tr>))}</tbody></table>}
    </Card>
  );
}

function About({ port, peer }: { port: PortState; peer: NonNullable<PortState["peer"]> }): JSX.Element {
  return (
    <Card title="About">
      <dl>
        <dt>from</dt><dd><EndLink end={port} /></dd>
        <dt>to</dt><dd><EndLink end={peer} /></dd>
        <dt>state</dt><dd><Sign tone={port.state === "active" ? "good" : "warn"} /> {port.state}</dd>
        <dt>rate</dt><dd>{port.width}{port.speed}, {port.gbps} Gbit/s in each direction</dd>
        <dt>MTU, data VLs</dt><dd>{port.mtu}, {port.data_vls}</dd>
        <PlaneOfPort guid={port.node} port={port.port} />
      </dl>
    </Card>
  );
}

export function CableView({ guid, port: num }: { guid: string; port: number }): JSX.Element {
  const events = store.events.value;
  const { value: node, problem } = useAnswer<NodeState>(`/api/v1/node/${encodeURIComponent(guid)}`);
  const { model } = useDrawing();
  const cut = useCutCables(guid).find(({ a, b }) => isEnd(a, guid, num) || isEnd(b, guid, num));
  const port = node?.port_list.find((one) => one.port === num);
  const i = model?.cableAt(guid, num);
  const cable = model && i !== undefined ? model.cable(i) : null;
  const marks = useMemo(() => (cable && i !== undefined ? { channels: [{ cable: i, back: false, both: true }], switches: [cable.a, cable.b] } : kNoMarks), [model, i]);
  const about = useMemo(() => ({ node: guid, port: num }), [guid, num]);
  if (!node || !port) return <><h1>Link</h1><p class={problem || node ? "bad-text" : "soft"}>{problem || (node ? `The node has no port ${num}.` : "Loading…")}</p><CutCables guid={guid} /></>;
  const { peer } = port;
  const mine = events.filter((event) => (event.node === guid && event.port === num) || (event.peer === guid && event.peer_port === num)).slice(-10).reverse();
  if (!peer) return (
    <><h1>{nameOrGuid(node.name, guid)} port {num}</h1><p id="no-cable"><Sign tone="warn" /> No link at this port: the port is {port.state}. <NodeLink guid={guid} name={node.name} /></p>
      {cut && <Card title="Cut link" id="cut-cable">
        <p>The link to <EndLink end={isEnd(cut.a, guid, num) ? cut.b : cut.a} /> is cut.</p>
        <CableButton node={guid} port={num} action="mend" /></Card>}
      <Card title="Events"><div onKeyDown={arrows}>{mine.map((event) => <EventLine key={event.id} event={event} />)}</div></Card></>);
  return (
    <>
      <h1>Link {nameOrGuid(node.name, guid)} port {num} – {nameOrGuid(peer.name, peer.node)} port {peer.port}</h1>
      <div class="cards">
        <About port={port} peer={peer} />
        {cable && model && <Card title="Load" id="carries">
          <dl>
            <dt>{model.name(cable.a)} → {model.name(cable.b)}</dt><dd>{count(cable.there)} paths</dd>
            <dt>{model.name(cable.b)} → {model.name(cable.a)}</dt><dd>{count(cable.back)} paths</dd>
          </dl>
          <p class="soft">Number of ordered pairs of hosts with a path over this link by the active routes.</p></Card>}
        {cable && <WhatIf about={about} title="What if this link fails?" />}
        {!cut && <CutCard node={guid} port={num} />}
        <Counters title={`Counters of ${nameOrGuid(node.name, guid)} port ${num}`} guid={guid} port={num} />
        <Counters title={`Counters of ${nameOrGuid(peer.name, peer.node)} port ${peer.port}`} guid={peer.node} port={peer.port} />
        <Card title="Events">{mine.length === 0 && <p class="soft">No events.</p>}<div onKeyDown={arrows}>{mine.map((event) => <EventLine key={event.id} event={event} />)}</div></Card>
      </div>
      <div class="low"><Traffic of={`node=${encodeURIComponent(guid)}&port=${num}`} title={`Traffic of ${nameOrGuid(node.name, guid)} port ${num}`} /></div>
      {cable && <section class="card low" aria-label="Location"><h2>Location</h2><Picture marks={marks} /></section>}
    </>
  );
}
