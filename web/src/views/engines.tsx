// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Compares the engines on the current fabric. The page requests the result of one engine at a time, and shows each result when the
// response arrives.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, post, type Comparison, type Schema } from "../api";
import { useAnswer } from "../cache";
import { Sign } from "../parts";
import * as store from "../store";
import { count, percent, seconds } from "../words";

type EnginesAnswer = Schema["Engines"];
type Row = Comparison;

const kAgain = 1000; // ms between requests to a busy service

async function compare(engine: string, signal: AbortSignal): Promise<Row> {
  for (;;) {
    try {
      return await post<Row>("/api/v1/compare", { engine }, signal);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 503) || signal.aborted) throw error;
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

interface Measure {
  id: string;
  title: string;
  value: (row: Row) => number | undefined;
  text: (value: number) => string;
  lower?: boolean; // whether a lower value is better
}
const kMeasures: Measure[] = [
  { id: "ebb", title: "effective bisection", value: ({ quality }) => quality?.ebb, text: percent },
  { id: "load", title: "paths on the most loaded link", value: ({ quality }) => quality?.link_load_max, text: count, lower: true },
  { id: "hops", title: "hops, mean", value: ({ quality }) => quality?.hops_mean, text: (value) => value.toFixed(2), lower: true },
  { id: "vls", title: "VLs", value: ({ vls }) => vls, text: count, lower: true },
  { id: "time", title: "time to route", value: (row) => row.seconds, text: seconds, lower: true },
  { id: "blocks", title: "blocks to write", value: ({ blocks }) => blocks, text: count, lower: true },
];

/** A chart of the engines by one measure, the best engine first. Engines with routes that failed verification are last. */
function EngineChart({ rows, active }: { rows: Row[]; active: string }): JSX.Element | null {
  const [id, setId] = useState("ebb");
  const measure = kMeasures.find((one) => one.id === id) ?? kMeasures[0];
  if (!measure) return null;
  const bars = rows.flatMap((row) => {
    const value = measure.value(row);
    return row.served && value !== undefined ? [{ engine: row.engine, value, ok: row.verify?.ok ?? false }] : [];
  });
  if (bars.length < 2) return null;
  bars.sort((a, b) => Number(b.ok) - Number(a.ok) || (measure.lower ? a.value - b.value : b.value - a.value) || a.engine.localeCompare(b.engine));
  const most = Math.max(...bars.map(({ value }) => value), 1e-12);
  return (
    <section class="card low" id="engine-chart" aria-label="Chart of the engines">
      <div class="tools"><h2>Chart</h2>
        <label>measure <select value={id} onChange={(event) => setId(event.currentTarget.value)}>{kMeasures.map((one) => <option key={one.id} value={one.id}>{one.title}</option>)}</select></label>
        <span class="soft">{measure.lower ? "lower is better" : "higher is better"}</span></div>
      <table class="bars"><thead><tr><th scope="col">engine</th><th scope="col">{measure.title}</th><th scope="col" class="number">value</th></tr></thead><tbody>
        {bars.map(({ engine, value, ok }) => (
          <tr key={engine} data-bar={engine}><th scope="row">{!ok && <><Sign tone="bad" /> <span class="bad-text">not verified: </span></>}{engine}{engine === active && <span class="soft"> (active)</span>}</th>
            <td class="bar"><span class={ok ? "" : "failed"} style={{ width: `${(100 * value) / most}%` }} /></td><td class="number">{measure.text(value)}</td></tr>))}
      </tbody></table>
    </section>
  );
}

export function EnginesView(): JSX.Element {
  const fabricState = store.fabricState.value;
  const { value } = useAnswer<EnginesAnswer>("/api/v1/engines");
  const [rows, setRows] = useState<Map<string, Row>>(new Map());
  const [busy, setBusy] = useState("");
  const [problem, setProblem] = useState("");
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  useEffect(() => setRows(new Map()), [fabricState?.sweep?.number]);

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
      <p>The table compares the routes of the engines on this fabric, with the current settings. Active: <strong>{value.in_force}</strong>. The comparison does not change the fabric, and runs at a lower priority than the manager.</p>
      <div class="tools">
        <button type="button" id="compare-all" disabled={busy !== ""} onClick={() => void run(names)}>Compare all</button>
        {busy && <button type="button" onClick={() => { abort.current?.abort(); setBusy(""); }}>Stop</button>}
        <span role="status" class="soft">{busy ? `computing the routes of ${busy}…` : ""}</span>
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
      <EngineChart rows={[...rows.values()]} active={value.in_force} />
      <p class="soft">Effective bisection bandwidth: mean bandwidth of random pairs of hosts, relative to full bandwidth (Hoefler et al., 2008).</p>
    </>
  );
}
