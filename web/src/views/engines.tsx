// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Compares the engines on the current fabric: requested one after the other, rows appear when complete.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { post, Refusal, type Verify } from "../api";
import { Sign, useAnswer } from "../parts";
import { useStore } from "../store";
import { count, percent, seconds } from "../words";

interface EnginesAnswer {
  in_force: string;
  engines: { name: string; summary: string }[];
}

interface Row {
  engine: string;
  served: boolean;
  reason?: string;
  seconds?: number;
  vls?: number;
  verify?: Verify;
  quality?: { hops_max: number; hops_mean: number; nonminimal: number; link_load_max: number; link_load_mean: number; ebb: number };
  blocks?: number;
}

const kAgain = 1000; // ms between requests to a busy service

async function compare(engine: string, signal: AbortSignal): Promise<Row> {
  for (;;) {
    try {
      return await post<Row>("/api/v1/compare", { engine }, signal);
    } catch (error) {
      if (!(error instanceof Refusal && error.status === 503) || signal.aborted) throw error;
    }
    await new Promise((resolve) => window.setTimeout(resolve, kAgain));
  }
}

function Cells({ row, best }: { row: Row; best: number }): JSX.Element {
  if (!row.served || !row.quality || !row.verify) return <td colSpan={7} class="soft">cannot route this fabric: {row.reason}</td>;
  const { quality, verify } = row;
  return (
    <>
      <td><Sign tone={verify.ok ? "good" : "bad"} /> {verify.ok ? "verified" : verify.why}</td>
      <td class="bar-cell"><span class={`bar-line ${quality.ebb === best ? "best" : ""}`} style={{ width: `${100 * quality.ebb}%` }} /><span class="number">{percent(quality.ebb)}</span></td>
      <td class="number">{count(quality.link_load_max)}</td>
      <td class="number">{quality.hops_mean.toFixed(2)}, {quality.hops_max} at most</td>
      <td class="number">{row.vls}</td>
      <td class="number">{seconds(row.seconds ?? 0)}</td>
      <td class="number">{count(row.blocks ?? 0)}</td>
    </>
  );
}

export function EnginesView(): JSX.Element {
  const { glance } = useStore();
  const { value } = useAnswer<EnginesAnswer>("/api/v1/engines");
  const [rows, setRows] = useState<Map<string, Row>>(new Map());
  const [busy, setBusy] = useState("");
  const [problem, setProblem] = useState("");
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  useEffect(() => setRows(new Map()), [glance?.sweep?.number]);

  const run = async (names: string[]): Promise<void> => {
    abort.current?.abort();
    const mine = (abort.current = new AbortController());
    setProblem("");
    try {
      for (const name of names) {
        setBusy(name);
        const row = await compare(name, mine.signal);
        setRows((old) => new Map(old).set(name, row));
      }
    } catch (error) {
      if (!mine.signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      if (abort.current === mine) setBusy("");
    }
  };

  if (!value) return <><h1>Engines</h1><p class="soft">Loading…</p></>;
  const names = value.engines.map(({ name }) => name);
  const best = Math.max(...[...rows.values()].map((row) => (row.verify?.ok ? (row.quality?.ebb ?? 0) : 0)));
  return (
    <>
      <h1>Engines</h1>
      <p>Routes of each engine on this fabric, with the current settings. Active: <strong>{value.in_force}</strong>. The comparison changes nothing and runs at a lower priority than the manager.</p>
      <div class="tools">
        <button type="button" id="compare-all" disabled={busy !== ""} onClick={() => void run(names)}>Compare all</button>
        {busy && <button type="button" onClick={() => { abort.current?.abort(); setBusy(""); }}>Stop</button>}
        <span role="status" class="soft">{busy ? `${busy} is routing…` : ""}</span>
      </div>
      {problem && <p class="bad-text">✗ {problem}</p>}
      <div class="card scroll"><table id="engines">
        <thead><tr><th>engine</th><th>verification</th><th>effective bisection</th><th class="number">paths on the most loaded link</th><th class="number">hops, mean</th><th class="number">VLs</th><th class="number">time to route</th><th class="number">blocks to write</th></tr></thead>
        <tbody>{value.engines.map(({ name, summary }) => {
          const row = rows.get(name);
          return (
            <tr key={name} data-engine={name}>
              <th scope="row" title={summary}>{name}{name === value.in_force && <span class="soft"> (active)</span>}</th>
              {row ? <Cells row={row} best={best} /> : <td colSpan={7}>{busy === name ? <span class="soft">routing…</span> : <><button type="button" class="small" disabled={busy !== ""} onClick={() => void run([name])}>compare</button> <span class="soft">{summary}</span></>}</td>}
            </tr>);
        })}</tbody>
      </table></div>
      <p class="soft">Effective bisection: average bandwidth of random pairs of hosts, relative to full bandwidth (Hoefler et al., 2008).</p>
    </>
  );
}
