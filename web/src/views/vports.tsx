// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The virtual ports of the CA ports of a node.
import type { JSX } from "preact";
import { useAnswer } from "../cache";
import { Card, Sign, arrows } from "../parts";
import { vportState } from "../words";

const kEvery = 5_000; // ms between two requests

interface VirtualPort {
  guid: string;
  description: string;
  index: number;
  state: "init" | "active";
  duplicate: boolean;
  forbidden: boolean;
  over_lid_limit: boolean;
  pkeys: string[];
}
interface VirtualPortsAnswer {
  total: number;
  vports: VirtualPort[];
}

export function VirtualPorts({ guid }: { guid: string }): JSX.Element | null {
  const { value } = useAnswer<VirtualPortsAnswer>(`/api/v1/vports?host=${encodeURIComponent(guid)}`, kEvery);
  if (!value || value.total === 0) return null;
  return (
    <Card title="Virtual ports" id="vports">
      <div class="scroll" onKeyDown={arrows}><table>
        <thead><tr><th class="number">index</th><th>state</th><th>virtual node</th><th>P_Keys</th></tr></thead>
        <tbody>{value.vports.map((vport) => (
          <tr key={vport.index}><td class="number">{vport.index}</td>
            <td><Sign tone={vportState(vport).tone} /> {vportState(vport).text}</td>
            <td>{vport.description} <span class="mono soft">{vport.guid}</span></td><td class="mono">{vport.pkeys.join(" ")}</td></tr>))}</tbody>
      </table></div>
    </Card>
  );
}
