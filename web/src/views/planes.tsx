// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Planes: the card of the overview, and the plane ports of a node and of a link.
import type { JSX } from "preact";
import type { Schema } from "../api";
import { useAnswer } from "../cache";
import { Card, EndLink, Sign, arrows } from "../parts";
import { toCable, toTable } from "../route";
import { count, plural, type Tone } from "../words";

export type Plane = Schema["Planes"]["planes"][number];
export type AggregatedPort = Schema["AggregatedPort"];

export const planeTone = ({ state, aports_without_link }: Plane): Tone =>
  state === "failed" || state === "down" ? "bad" : state === "verified" && aports_without_link === 0 ? "good" : "warn";

export function usePlanes(): Schema["Planes"] | null {
  return useAnswer<Schema["Planes"]>("/api/v1/planes").value;
}

export function Deviations({ texts, total }: { texts: string[]; total: number }): JSX.Element | null {
  if (total === 0) return null;
  return (
    <ul class="plain-list" id="plane-deviations">
      {texts.map((text) => <li key={text}><Sign tone="bad" /> {text}</li>)}
      {total > texts.length && <li>and {plural(total - texts.length, "more deviation")}</li>}
    </ul>
  );
}

/** Switches in rings of fabric-management links that are not closed. */
export function RingFindings({ texts }: { texts: string[] }): JSX.Element | null {
  if (texts.length === 0) return null;
  const shown = texts.slice(0, 20);
  return (
    <ul class="plain-list" id="fnm-findings">
      {shown.map((text) => <li key={text}><Sign tone="bad" /> {text}</li>)}
      {texts.length > shown.length && <li>and {plural(texts.length - shown.length, "more finding")}</li>}
    </ul>
  );
}

/** The card of the planes; null if the fabric has no planes. */
export function PlanesCard(): JSX.Element | null {
  const value = usePlanes();
  if (!value || value.planes.length === 0) return null;
  const { planes, devices, deviations, fnm } = value;
  return (
    <Card title="Planes" id="planes">
      <ul class="plain-list">{planes.map((plane) => (
        <li key={plane.plane}><Sign tone={planeTone(plane)} /> Plane {plane.plane}: {plane.state}, {count(plane.hosts)} of {plural(plane.hosts_of_all, "host")}
          {plane.aports_without_link > 0 && `, ${plural(plane.aports_without_link, "aggregated port")} without a link`}</li>))}
      </ul>
      <Deviations texts={deviations} total={devices.contradictions} />
      <RingFindings texts={fnm.findings.map(({ text }) => text)} />
      <p><a href={toTable("planes")}>Table of all planes</a>{devices.aports > 0 && <>, <a href={toTable("aports")}>{plural(devices.aports, "aggregated port")}</a></>}</p>
    </Card>
  );
}

const pathOf = (guid: string): string => `/api/v1/aports?node=${encodeURIComponent(guid)}&limit=10000`;

/** The aggregated ports with a port of this node. */
export function PlanePorts({ guid }: { guid: string }): JSX.Element | null {
  const { value } = useAnswer<Schema["AggregatedPorts"]>(pathOf(guid));
  if (!value || value.total === 0) return null;
  return (
    <Card title="Aggregated ports" id="plane-ports">
      <div class="scroll" onKeyDown={arrows}><table>
        <thead><tr><th class="number">aggregated port</th><th class="number">plane</th><th>port</th><th>state</th><th>peer</th></tr></thead>
        <tbody>{value.aports.flatMap((aport) => rowsOf(aport, guid))}</tbody>
      </table></div>
    </Card>
  );
}

/** A row for each plane port of an aggregated port, also of other nodes, and a row for each plane in which no port is known. */
function rowsOf({ device, number, ports, without_link }: AggregatedPort, guid: string): JSX.Element[] {
  const unknown = without_link.filter((plane) => ports.every((one) => one.plane !== plane));
  return [
    ...ports.map(({ plane, port }) => (
      <tr key={`${device} ${number} ${port.node} ${port.port}`}><td class="number">{number}</td><td class="number">{plane}</td>
        <td>{port.node === guid ? <span>port {port.peer ? <a href={toCable(guid, port.port)}>{port.port}</a> : port.port}</span> : <EndLink end={port} />}</td>
        <td><Sign tone={port.peer ? "good" : "bad"} /> {port.peer ? port.state : "no link"}</td><td>{port.peer && <EndLink end={port.peer} />}</td></tr>)),
    ...unknown.map((plane) => (
      <tr key={`${device} ${number} ${plane}`}><td class="number">{number}</td><td class="number">{plane}</td><td />
        <td><Sign tone="bad" /> no link</td><td /></tr>)),
  ];
}

/** The plane of a port of a link, as an entry of a list of properties. */
export function PlaneOfPort({ guid, port: num }: { guid: string; port: number }): JSX.Element | null {
  const { value } = useAnswer<Schema["AggregatedPorts"]>(pathOf(guid));
  for (const { number, planes, ports, without_link } of value?.aports ?? [])
    for (const { plane, port } of ports)
      if (port.node === guid && port.port === num)
        return (
          <><dt>plane</dt><dd id="plane-of-link">{plane} of {planes}, aggregated port {number}
            {without_link.length > 0 && <>; <Sign tone="warn" /> the aggregated port has no link in {without_link.length === 1 ? "plane" : "planes"} {without_link.join(", ")}</>}</dd></>);
  return null;
}
