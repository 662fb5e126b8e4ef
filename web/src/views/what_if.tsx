// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The effect of the failure of a link or a switch. A simulation may take seconds, so the page requests it only on demand.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { post, type Loss } from "../api";
import { Card, Sign } from "../parts";
import { percent, plural, seconds } from "../words";

function LossTable({ loss }: { loss: Loss }): JSX.Element {
  const part = loss.pairs > 0 ? ` (${percent(loss.pairs_cut / loss.pairs)})` : "";
  if (!loss.routed) return <p class="bad-text">✗ No engine can route the remaining fabric; {plural(loss.pairs_cut, "pair")} of hosts{part} would stay disconnected.</p>;
  const lost = loss.pairs_lost ?? 0;
  return (
    <dl id="loss">
      <dt>before rerouting</dt><dd>{plural(loss.pairs_cut, "pair")} of hosts{part} disconnected</dd>
      <dt>after rerouting</dt><dd><Sign tone={lost > 0 ? "bad" : "good"} /> {lost > 0 ? `${plural(lost, "pair")} disconnected` : "no pairs lost"}</dd>
      <dt>effective bisection</dt><dd>{percent(loss.ebb_left ?? 0)} after the failure, {percent(loss.ebb_before ?? 0)} now</dd>
      <dt>rerouting</dt><dd>{plural(loss.blocks ?? 0, "table block")} to write, {seconds(loss.seconds ?? 0)} to route by {loss.engine}, {plural(loss.vls ?? 1, "VL")}</dd>
      {loss.credit_loop && <><dt>deadlock</dt><dd class="bad-text">✗ credit loop</dd></>}
    </dl>
  );
}

/** The simulation of a failure, with a button that starts it. With `auto`, also starts at once and after each change of `about`. */
export function WhatIf({ about, title, auto = false }: { about: { node: string; port?: number }; title: string; auto?: boolean }): JSX.Element {
  const [state, set] = useState<{ busy: boolean; loss: Loss | null; problem: string }>({ busy: false, loss: null, problem: "" });
  const pending = useRef<AbortController | null>(null);
  const ask = (): void => {
    const abort = (pending.current = new AbortController());
    set({ busy: true, loss: null, problem: "" });
    post<Loss>("/api/v1/what-if", about, abort.signal).then(
      (loss) => set({ busy: false, loss, problem: "" }),
      (error: unknown) => { if (!abort.signal.aborted) set({ busy: false, loss: null, problem: error instanceof Error ? error.message : String(error) }); });
  };
  useEffect(() => {
    if (auto) ask();
    else set({ busy: false, loss: null, problem: "" });
    return () => pending.current?.abort();
  }, [about.node, about.port]);
  return (
    <Card title={title} id="what-if">
      <p class="soft">The failure is simulated on a copy; the fabric is not changed.</p>
      <button type="button" onClick={ask} disabled={state.busy}>{state.busy ? "Simulating…" : "Simulate"}</button>
      <div aria-live="polite">{state.problem && <p class="bad-text">✗ {state.problem}</p>}{state.loss && <LossTable loss={state.loss} />}</div>
    </Card>
  );
}
