// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Alarms of ports: active alarms with their acknowledgement, ended alarms, the rules and the receivers.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Alarm, Schema } from "../api";
import { useAnswer } from "../cache";
import { Change } from "../change";
import { Card, EndLink, Sign, Stale } from "../parts";
import { toCable } from "../route";
import * as store from "../store";
import type { Column } from "../tables/rows";
import { Table } from "../tables/table";
import { count, dayAndTime, plural, type Tone } from "../words";

const kAlarms = "/api/v1/alarms";
const kEvery = 5000; // ms
const kSeverities: Alarm["severity"][] = ["critical", "warning", "info"];
const kTones: Record<Alarm["severity"], Tone> = { critical: "bad", warning: "warn", info: "plain" };

function Acknowledge({ alarm }: { alarm: Alarm }): JSX.Element {
  const [comment, setComment] = useState("");
  const path = `${kAlarms}/${encodeURIComponent(alarm.id)}`;
  if (alarm.acknowledged)
    return <>✓ acknowledged{alarm.comment && `: ${alarm.comment}`} <Change label="Withdraw" role="operate" done="" outdated={[kAlarms]} request={{ method: "PATCH", path, body: { acknowledged: false } }} /></>;
  return (
    <Change label="Acknowledge" role="operate" done="" outdated={[kAlarms]} request={{ method: "PATCH", path, body: { acknowledged: true, comment: comment.trim() } }}>
      <input type="text" maxLength={200} placeholder="comment" aria-label={`Comment on ${alarm.id}`} value={comment} onInput={(event) => setComment(event.currentTarget.value)} />
    </Change>
  );
}

const place = ({ node, name, port }: Alarm): string => `${name || node} port ${port}`;

const kColumns: Column<Alarm>[] = [
  { id: "severity", title: "severity", value: ({ severity }) => `${kSeverities.indexOf(severity) + 1} ${severity}`, show: ({ severity }) => <><Sign tone={kTones[severity]} /> {severity}</> },
  { id: "rule", title: "rule", value: ({ rule }) => rule },
  { id: "port", title: "port", value: place, show: ({ node, name, port }) => <EndLink end={{ node, name, port }} /> },
  { id: "alarm", title: "measure", value: ({ text }) => text, show: (alarm) => <>{alarm.text} <a href={toCable(alarm.node, alarm.port)} aria-label={`Link of ${place(alarm)}`}>link</a></> },
  { id: "worst", title: "worst value", value: ({ worst }) => worst, show: ({ worst, unit }) => `${Number(worst.toPrecision(3))} ${unit}`, numeric: true },
  { id: "raised", title: "raised", value: ({ raised }) => raised, show: ({ raised }) => <time dateTime={raised}>{dayAndTime(Date.parse(raised))}</time> },
];
const kActive: Column<Alarm>[] = [...kColumns,
  { id: "acknowledged", title: "acknowledged", value: ({ acknowledged, comment }) => (acknowledged ? `yes ${comment}`.trim() : "no"), show: (alarm) => <Acknowledge alarm={alarm} /> }];
const kEnded: Column<Alarm>[] = [...kColumns,
  { id: "ended", title: "ended", value: ({ ended }) => ended, show: ({ ended }) => (ended ? <time dateTime={ended}>{dayAndTime(Date.parse(ended))}</time> : "") }];

function Rules({ rules }: { rules: Schema["AlarmRule"][] }): JSX.Element {
  return (
    <Card title="Rules" id="alarm-rules">
      <div class="scroll" tabIndex={0} role="region" aria-label="Table: rules"><table>
        <thead><tr><th scope="col">rule</th><th scope="col">measure</th><th scope="col">severity</th><th scope="col" class="number">raised at</th><th scope="col" class="number">ends at</th><th scope="col" class="number">readings</th></tr></thead>
        <tbody>{rules.map((rule) => (
          <tr key={rule.rule}><th scope="row">{rule.rule}</th><td>{rule.about}</td>
            {rule.on
              ? <><td>{rule.severity}</td><td class="number">{rule.raise} {rule.unit}</td><td class="number">{rule.clear} {rule.unit}</td><td class="number">{rule.readings}</td></>
              : <td colSpan={4} class="soft">off</td>}
          </tr>))}</tbody>
      </table></div>
    </Card>
  );
}

function Receivers({ receivers }: { receivers: Schema["Alarms"]["receivers"] }): JSX.Element | null {
  if (receivers.length === 0) return null;
  return (
    <Card title="Receivers" id="alarm-receivers">
      {receivers.map(({ receiver, sent, failed, lost, failing }) => (
        <p key={receiver}><Sign tone={failing ? "bad" : "good"} /> {receiver}: {count(sent)} sent, {count(failed)} failed, {plural(lost, "change")} lost{failing && "; the last request failed"}</p>))}
    </Card>
  );
}

const bySeverity = (a: Alarm, b: Alarm): number => kSeverities.indexOf(a.severity) - kSeverities.indexOf(b.severity) || b.raised.localeCompare(a.raised);

export function AlarmsView(): JSX.Element {
  const fabricState = store.fabricState.value;
  const answer = useAnswer<Schema["Alarms"]>(fabricState?.alarms ? `${kAlarms}?ended=true&limit=10000` : null, kEvery), { value, problem } = answer;
  if (fabricState?.alarms === null) return <><h1>Alarms</h1><p id="no-alarms">No counters are read: start the manager with <code>--perfmgr</code>.</p></>;
  if (!value) return <><h1>Alarms</h1><p class={problem ? "bad-text" : "soft"}>{problem || "Loading…"}</p></>;
  return (
    <>
      <h1>Alarms</h1>
      <Stale answer={answer} />
      <section class="card" aria-label="Active alarms" id="alarms">
        <h2>{plural(value.total, "active alarm")}, {count(value.unacknowledged)} not acknowledged</h2>
        {value.not_listed > 0 && <p><Sign tone="warn" /> {plural(value.not_listed, "further reading")} above a limit: at most 10,000 alarms are active at a time.</p>}
        <Table name="alarms" caption="Active alarms" rows={[...value.alarms].sort(bySeverity)} columns={kActive} keyOf={({ id }) => id} empty="No active alarms." />
      </section>
      <div class="stack low">
        <section class="card" aria-label="Ended alarms"><h2>Ended recently</h2>
          <Table name="ended-alarms" caption="Ended alarms" rows={value.ended} columns={kEnded} keyOf={({ id, ended }) => `${id} ${ended}`} empty="No alarm ended since the start of the manager." /></section>
        <Rules rules={value.rules} />
        <Receivers receivers={value.receivers} />
      </div>
    </>
  );
}
