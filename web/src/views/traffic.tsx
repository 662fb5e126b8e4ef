// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Charts of data, wait time and errors of a node, a port or a job, from the history or the counter database.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Schema } from "../api";
import { useAnswer } from "../cache";
import { Chart } from "../charts/chart";
import { peaksOf, seriesOf, stepOf } from "../charts/series";
import { Card, Stale, kCountersEvery } from "../parts";
import * as store from "../store";

const kPoints = 360;
const kHour = 3600;
const kSpans: [string, number][] = [["10 minutes", 600], ["hour", kHour], ["day", 24 * kHour], ["week", 168 * kHour], ["30 days", 720 * kHour]];

const gigabits = (rate: number): string => `${Number(rate.toPrecision(3)).toLocaleString("en-US")} Gbit/s`;

/** `of`: parameters of /api/v1/history/traffic that select the ports. `since`, `until`: begin and end of a job, in seconds since 1970. */
export function Traffic({ of, title, since, until }: { of: string; title: string; since?: number; until?: number | undefined }): JSX.Element {
  const fabricState = store.fabricState.value;
  const [span, setSpan] = useState(since === undefined ? kHour : 0);
  const seconds = span > 0 ? span : Math.max(60, (until ?? Date.now() / 1000) - (since ?? 0));
  const step = stepOf(seconds, kPoints);
  // For a span, `since` is relative to the time of the request, so that the period advances with each request.
  const range = span > 0 ? `since=${span}s` : `since=${Math.floor(since ?? 0)}${until === undefined ? "" : `&until=${Math.ceil(until)}`}`;
  const kept = fabricState?.traffic ?? false;
  const answer = useAnswer<Schema["HistoryTraffic"]>(kept ? `/api/v1/history/traffic?${of}&step=${step}&${range}&limit=10000` : null, kCountersEvery);
  const { value } = answer;
  const series = useMemo(() => {
    const now = answer.at / 1000;
    return seriesOf(value?.intervals ?? [], span > 0 ? now - span : (since ?? 0), span > 0 ? now : (until ?? now));
  }, [value, answer.at]);
  const peaks = peaksOf(value?.intervals ?? []);
  const any = (values: number[]): boolean => values.some((one) => one > 0);
  return (
    <Card title={title} id="traffic">
      {!kept && <p class="soft">No readings: start the manager with <code>--perfmgr</code>, and with <code>--history FILE</code> for a longer time.</p>}
      {kept && <div class="tools spans" role="group" aria-label="Period of the chart">
        {since !== undefined && <button type="button" aria-pressed={span === 0} onClick={() => setSpan(0)}>whole job</button>}
        {kSpans.map(([words, s]) => <button key={words} type="button" data-seconds={s} aria-pressed={span === s} onClick={() => setSpan(s)}>{words}</button>)}
      </div>}
      <Stale answer={answer} />
      {kept && !value && <p class={answer.problem ? "bad-text" : "soft"}>{answer.problem || "Loading…"}</p>}
      {value && !fabricState?.alarms && <p class="soft">Counters are not read now: start the manager with <code>--perfmgr</code>.</p>}
      {value && value.intervals.length === 0 && <p class="empty">No counter of these ports increased in this period.</p>}
      {value && value.intervals.length > 0 && <>
        <Chart title="Data" unit="Gbit/s" times={series.times} lines={[{ title: "sent", values: series.sent }, { title: "received", values: series.received }]} />
        <p class="soft peaks">Highest rate of a port between two readings: {gigabits(peaks.sent)} sent, {gigabits(peaks.received)} received.</p>
        {any(series.wait) ? <Chart title="Wait time" unit="ticks/s" times={series.times} lines={[{ title: "wait", values: series.wait }]} /> : <p class="soft">No wait time in this period.</p>}
        {any(series.errors) ? <Chart title="Errors" unit="errors/min" times={series.times} lines={[{ title: "errors", values: series.errors }]} bars /> : <p class="soft">No errors in this period.</p>}
      </>}
    </Card>
  );
}
