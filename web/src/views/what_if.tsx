// What the fabric would lose with a cable or a switch: asked for by a button, because it takes the service a moment.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { post } from "../api";
import { Card, Sign } from "../parts";
import { percent, plural, seconds } from "../words";

interface Loss {
  name: string;
  routed: boolean;
  pairs: number;
  pairs_cut: number;
  pairs_lost?: number;
  ebb_before?: number;
  ebb_left?: number;
  blocks?: number;
  vls?: number;
  engine?: string;
  credit_loop?: boolean;
  seconds?: number;
}

function Told({ loss }: { loss: Loss }): JSX.Element {
  const part = loss.pairs > 0 ? ` (${percent(loss.pairs_cut / loss.pairs)})` : "";
  if (!loss.routed) return <p class="bad-text">✗ No engine serves what is left; {plural(loss.pairs_cut, "pair")} of hosts{part} would stay cut.</p>;
  const lost = loss.pairs_lost ?? 0;
  return (
    <dl id="loss">
      <dt>at once</dt><dd>{plural(loss.pairs_cut, "pair")} of hosts{part} cut, until tables are rewritten</dd>
      <dt>for good</dt><dd><Sign tone={lost > 0 ? "bad" : "good"} /> {lost > 0 ? `${plural(lost, "pair")} without a way` : "nobody is lost"}</dd>
      <dt>bandwidth</dt><dd>{percent(loss.ebb_left ?? 0)} of full, {percent(loss.ebb_before ?? 0)} today</dd>
      <dt>repair</dt><dd>{plural(loss.blocks ?? 0, "table block")} to write, {seconds(loss.seconds ?? 0)} to route by {loss.engine}, {plural(loss.vls ?? 1, "lane")}</dd>
      {loss.credit_loop && <><dt>deadlock</dt><dd class="bad-text">✗ packets could deadlock</dd></>}
    </dl>
  );
}

export function WhatIf({ about, title }: { about: { node: string; port?: number }; title: string }): JSX.Element {
  const [state, set] = useState<{ busy: boolean; loss: Loss | null; problem: string }>({ busy: false, loss: null, problem: "" });
  const asked = useRef<AbortController | null>(null);
  useEffect(() => {
    set({ busy: false, loss: null, problem: "" });
    return () => asked.current?.abort();
  }, [about.node, about.port]);
  const ask = (): void => {
    const abort = (asked.current = new AbortController());
    set({ busy: true, loss: null, problem: "" });
    post<Loss>("/api/v1/what-if", about, abort.signal).then(
      (loss) => set({ busy: false, loss, problem: "" }),
      (error: unknown) => { if (!abort.signal.aborted) set({ busy: false, loss: null, problem: error instanceof Error ? error.message : String(error) }); });
  };
  return (
    <Card title={title} id="what-if">
      <p class="soft">Played through on a copy; nothing happens to the fabric.</p>
      <button type="button" onClick={ask} disabled={state.busy}>{state.busy ? "Playing it through…" : "Play it through"}</button>
      <div aria-live="polite">{state.problem && <p class="bad-text">✗ {state.problem}</p>}{state.loss && <Told loss={state.loss} />}</div>
    </Card>
  );
}
