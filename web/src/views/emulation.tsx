// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Controls that cut and restore links. They are shown only if the fabric of the manager is emulated.
import type { JSX } from "preact";
import type { End, Schema } from "../api";
import { useAnswer } from "../cache";
import { Change } from "../change";
import { Card, EndLink } from "../parts";
import { fabricState } from "../store";

const kCutEvery = 2000; // ms between requests, because other users may cut links

type CutCable = Schema["Cable"];

export function useEmulated(): boolean {
  return fabricState.value?.emulated ?? false;
}

/** All cut links, or the cut links of the node `guid`; empty on a real fabric. */
export function useCutCables(guid?: string): CutCable[] {
  const emulated = useEmulated();
  const { value } = useAnswer<{ cables: CutCable[] }>(emulated ? "/api/v1/emulation/cut" : null, kCutEvery);
  return (value?.cables ?? []).filter(({ a, b }) => guid === undefined || a.node === guid || b.node === guid);
}

export const isEnd = (end: End, guid: string, port: number): boolean => end.node === guid && end.port === port;

export function CableButton({ node, port, action }: { node: string; port: number; action: "cut" | "mend" }): JSX.Element {
  return (
    <div class="cable-button" data-action={action}>
      <Change label={action === "cut" ? "Cut link" : "Restore link"} role="operate" outdated={["/api/v1/emulation/cut"]}
        request={{ method: "POST", path: `/api/v1/emulation/${action}`, body: { node, port } }}
        done={`Link ${action === "cut" ? "cut" : "restored"}; the manager detects the change as on a real fabric`} />
    </div>
  );
}

/** The card of a link that is not cut. */
export function CutCard({ node, port }: { node: string; port: number }): JSX.Element | null {
  if (!useEmulated()) return null;
  return (
    <Card title="Cut this link" id="cut-cable">
      <p class="soft">The fabric is emulated: both ports go down, and the manager reacts as on a real fabric.</p>
      <CableButton node={node} port={port} action="cut" />
    </Card>
  );
}

/** The card of all cut links, or of the cut links of one node; null if no link is cut. */
export function CutCables({ guid }: { guid?: string }): JSX.Element | null {
  const cables = useCutCables(guid);
  if (cables.length === 0) return null;
  return (
    <Card title="Cut links" id="cut-cables">
      {cables.map(({ a, b }) => (
        <div key={`${a.node} ${a.port}`} class="cut">
          <p><EndLink end={a} /> – <EndLink end={b} /></p>
          <CableButton node={a.node} port={a.port} action="mend" />
        </div>))}
    </Card>
  );
}
