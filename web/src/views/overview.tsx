// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The overview: state of the subnet, verdict of the verifier, last changes, sweeps, routing and managers.
import type { JSX } from "preact";
import type { FabricState, Replication } from "../api";
import { useAnswer } from "../cache";
import { Ago, Card, EventLine, NodeLink, Sign, arrows } from "../parts";
import { CutCables } from "./emulation";
import { bySweep, SweepEvents } from "./events";
import { PlanesCard } from "./planes";
import * as store from "../store";
import { count, isChange, labelOf, plural, seconds, type Tone } from "../words";

const kSweepsShown = 4;

interface Verdict {
  tone: Tone;
  head: string;
  body: string;
}

function fabricVerdict(fabricState: FabricState): Verdict {
  const { fabric } = fabricState;
  const size = fabric ? `${plural(fabric.hosts, "host")}, ${plural(fabric.switches, "switch", "switches")}, ${plural(fabric.links, "link")} up` : "";
  if (fabricState.state === "MASTER" && fabricState.up && fabricState.ready) return { tone: "good", head: "Subnet up", body: size };
  if (fabricState.state === "STANDBY" && fabricState.ready) return { tone: "good", head: "Standby", body: "Another subnet manager is master and responds." };
  if (fabricState.state === "DISCOVERING") return { tone: "warn", head: "Discovering", body: fabricState.reason };
  return { tone: "bad", head: "Subnet not up", body: fabricState.error || fabricState.reason };
}

function routesVerdict(fabricState: FabricState): Verdict {
  const { routes } = fabricState;
  if (!routes) return { tone: "warn", head: "No routes yet", body: "" };
  const by = `${routes.engine}, ${plural(routes.vls, "virtual lane")}`;
  const { verify } = routes;
  const single = verify.single_sls === "none" ? "Deadlock possible if clients ignore the SL of their paths" : `Deadlock-free with all traffic on one SL: ${verify.single_sls}`;
  const replies = verify.replies === "ignored" ? " Replies not verified." : "";
  if (verify.ok) return { tone: "good", head: "Routes verified", body: `All endports reachable; no forwarding loops; deadlock-free. ${single}.${replies} ${by}.` };
  return { tone: "bad", head: "Routes failed verification", body: `${verify.why}. ${by}.` };
}

function VerdictBox({ verdict, id }: { verdict: Verdict; id: string }): JSX.Element {
  return (
    <div class={`big ${verdict.tone}`} id={id}>
      <Sign tone={verdict.tone} />
      <div><strong>{verdict.head}</strong><p>{verdict.body}</p></div>
    </div>
  );
}

/** The changes of the last sweep with changes. For each of at most four kinds, shows a single change in detail, or the number of changes. */
function LastChange(): JSX.Element {
  const events = store.events.value;
  const changes = bySweep(events.filter(isChange))[0]?.events ?? [];
  const last = changes.at(-1);
  if (!last) return <VerdictBox id="last-change" verdict={{ tone: "plain", head: "No changes yet", body: "" }} />;
  return (
    <div class="big plain" id="last-change">
      <Sign tone="plain" />
      <div><strong>Last change <Ago time={last.time} /></strong>
        {[...new Set(changes.map((event) => event.event))].slice(0, 4).map((kind) => {
          const same = changes.filter((event) => event.event === kind), first = same[0];
          if (!first) return null;
          return same.length === 1 ? <EventLine key={kind} event={first} /> : <div key={kind}><Sign tone={labelOf(first).tone} /> {count(same.length)} {labelOf(first).many}</div>;
        })}</div>
    </div>
  );
}

const kStages = ["observe", "read_tables", "lids", "route", "verify", "diff", "apply"] as const;

function Sweep({ fabricState }: { fabricState: FabricState }): JSX.Element | null {
  const { full_sweep: sweep, sweep: last } = fabricState;
  if (!sweep) return null;
  const total = sweep.seconds["total"] ?? 0;
  const stages = kStages.map((name) => ({ name, s: sweep.seconds[name] ?? 0 })).filter(({ s }) => s > 0);
  return (
    <Card title="Last full sweep" id="full-sweep">
      <p>Sweep {sweep.number}, reason: {sweep.reason || "start"}. Duration: {seconds(total)}.</p>
      {!sweep.up && <p><Sign tone="bad" /> {sweep.error}</p>}
      {last && (last.number !== sweep.number || last.reason !== sweep.reason) &&
        <p id="later-sweep" class="soft">Last incremental sweep: {last.reason}, {seconds(last.seconds["total"] ?? 0)}.</p>}
      <table class="bars"><tbody>
        {stages.map(({ name, s }) => (
          <tr key={name}><th scope="row">{name.replace("_", " ")}</th>
            <td class="bar"><span style={{ width: `${total > 0 ? (100 * s) / total : 0}%` }} /></td><td class="number">{seconds(s)}</td></tr>))}
      </tbody></table>
      {sweep.warnings.length > 0 && <ul class="plain-list">{sweep.warnings.map((text) => <li key={text}><Sign tone="warn" /> {text}</li>)}</ul>}
    </Card>
  );
}

const kReplicationEvery = 5000; // ms

/** The copies of the state of this master, or the copy on this standby. */
function ReplicationState(): JSX.Element | null {
  const { value } = useAnswer<Replication>("/api/v1/replication", kReplicationEvery);
  if (!value?.enabled) return null;
  const { copy } = value;
  return (
    <div id="replication">
      {value.role === "source" && value.standbys?.length === 0 && <p><Sign tone="warn" /> Replication: no standby copies the state of this manager.</p>}
      {value.role === "source" && value.standbys?.map(({ guid, in_step, missing, silence_ms }) => (
        <p key={guid}><Sign tone={in_step ? "good" : "warn"} /> Replication: standby <span class="mono">{guid}</span> {in_step ? "has the whole state" : `lacks ${plural(missing, "change")}, last request ${seconds(silence_ms / 1000)} ago`}</p>))}
      {copy && <p><Sign tone={copy.in_step ? "good" : "warn"} /> Replication: the copy of {copy.peer} {copy.in_step ? "is complete" : `lacks ${plural(copy.missing, "change")}`}
        {!copy.in_step && (copy.lag_ms === null ? "; the copy has not been complete since the start of the manager" : `; the copy was complete ${seconds(copy.lag_ms / 1000)} ago`)}{copy.error && `: ${copy.error}`}</p>}
      {(value.dropped_count ?? 0) > 0 && <p><Sign tone="bad" /> {plural(value.dropped_count ?? 0, "registration")} dropped after a split of the fabric.</p>}
    </div>
  );
}

function Managers({ fabricState }: { fabricState: FabricState }): JSX.Element {
  return (
    <Card title="Subnet managers" id="managers">
      <table><thead><tr><th>port GUID</th><th>location</th><th>state</th><th class="number">priority</th></tr></thead><tbody>
        {fabricState.managers.map((manager) => (
          <tr key={manager.guid}><td class="mono">{manager.guid}{manager.self && <span class="soft"> (this manager)</span>}</td>
            <td>{manager.node ? <><NodeLink guid={manager.node} name={manager.name ?? ""} /> port {manager.port}, LID {manager.lid}</> : ""}</td>
            <td>{manager.state}</td><td class="number">{manager.priority}</td></tr>))}
      </tbody></table>
      <ReplicationState />
      {!fabricState.sweeping && <p><Sign tone="warn" /> Sweeps are disabled.</p>}
    </Card>
  );
}

function Routing({ fabricState }: { fabricState: FabricState }): JSX.Element | null {
  const { routes } = fabricState;
  if (!routes) return null;
  const { adaptive } = routes;
  return (
    <Card title="Routing" id="routing">
      <dl>
        <dt>engine</dt><dd>{routes.engine}</dd>
        <dt>virtual lanes</dt><dd>{routes.vls}</dd>
        {adaptive && <><dt>adaptive</dt><dd>{count(adaptive.switches)} of {count(fabricState.fabric?.switches ?? 0)} switches use adaptive routing
          {adaptive.notifying > 0 && <>, {count(adaptive.notifying)} with fault routing notifications</>}</dd></>}
        <dt>highest LID</dt><dd>{count(fabricState.fabric?.lid_top ?? 0)}</dd>
        {fabricState.fabric && fabricState.fabric.vport_hosts > 0 &&
          <><dt>virtual ports</dt><dd id="vport-count">{count(fabricState.fabric.vports)} on {plural(fabricState.fabric.vport_hosts, "CA port")}</dd></>}
      </dl>
      {routes.fallbacks.map((fallback) => <p key={fallback.engine}><Sign tone="warn" /> {fallback.engine} failed: {fallback.reason}</p>)}
      {adaptive?.ended && <p><Sign tone="bad" /> Adaptive routing disabled after too many errors: static tables are active.</p>}
      {adaptive?.failures.map((failure) => <p key={failure}><Sign tone="warn" /> {failure}</p>)}
      {routes.notes.map((note) => <p key={note} class="soft">{note}</p>)}
    </Card>
  );
}

export function Overview(): JSX.Element {
  const fabricState = store.fabricState.value;
  const events = store.events.value;
  if (!fabricState) return <p class="soft">Waiting for the manager…</p>;
  const sweeps = bySweep(events.filter(isChange)).slice(0, kSweepsShown);
  return (
    <>
      <h1>Overview</h1>
      <div class="bigs">
        <VerdictBox id="fabric-verdict" verdict={fabricVerdict(fabricState)} />
        <VerdictBox id="routes-verdict" verdict={routesVerdict(fabricState)} />
        <LastChange />
      </div>
      <div class="cards wide-first">
        <Card title="Last changes" id="changes">
          <ol class="timeline" onKeyDown={arrows}>{sweeps.map((sweep) => <SweepEvents key={sweep.events[0]?.id} sweep={sweep} />)}</ol>
          <p><a href="#/events">All events</a></p>
        </Card>
        <div class="stack">
          <CutCables />
          <Sweep fabricState={fabricState} />
          <Routing fabricState={fabricState} />
          <PlanesCard />
          <Managers fabricState={fabricState} />
        </div>
      </div>
    </>
  );
}
