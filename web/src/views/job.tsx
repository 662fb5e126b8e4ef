// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One job of the scheduler: its links and their problems, the jobs that share links with it, and its traffic.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Schema } from "../api";
import { useAnswer } from "../cache";
import { useDrawing } from "../drawing/source";
import { Card, EndLink, EventLine, Sign, Stale, arrows } from "../parts";
import { toJob } from "../route";
import type { Column } from "../tables/rows";
import { Table } from "../tables/table";
import { count, dayAndTime, nameOrGuid, plural } from "../words";
import { Picture, kNoMarks } from "./fabric";
import { Traffic } from "./traffic";

const kEvery = 10_000; // ms
const kEventsShown = 50;
type Link = Schema["JobLink"];

const kLinks: Column<Link>[] = [
  { id: "from", title: "from", value: ({ from }) => `${nameOrGuid(from.name, from.node)} port ${from.port}`, show: ({ from }) => <EndLink end={from} /> },
  { id: "to", title: "to", value: ({ to }) => `${nameOrGuid(to.name, to.node)} port ${to.port}`, show: ({ to }) => <EndLink end={to} /> },
  { id: "pairs", title: "pairs of ports", value: ({ pairs }) => pairs, numeric: true },
  { id: "shared_with", title: "shared with", value: ({ shared_with }) => shared_with.join(" "),
    show: ({ shared_with }) => shared_with.map((id, i) => <>{i > 0 && " "}<a key={id} href={toJob(id)}>{id}</a></>) },
  { id: "rate", title: "rate", value: ({ width, speed, gbps }) => `${width}${speed}, ${gbps} Gbit/s` },
  { id: "state", title: "state", value: ({ state }) => state },
  { id: "sent_bytes", title: "bytes sent in the job", value: ({ sent_bytes }) => sent_bytes, show: ({ sent_bytes }) => (sent_bytes === null ? "" : count(sent_bytes)), numeric: true },
  { id: "errors", title: "errors in the job", value: ({ errors }) => errors, numeric: true },
];

function Problems({ problems }: { problems: Schema["JobDetails"]["problems"] }): JSX.Element {
  return (
    <Card title="Problems" id="job-problems">
      {problems.length === 0 && <p><Sign tone="good" /> None.</p>}
      {problems.map(({ from, host, problem }, i) => (
        <p key={i}><Sign tone="bad" /> {from ? <EndLink end={from} /> : host}: {problem}</p>))}
    </Card>
  );
}

export function JobView({ id }: { id: string }): JSX.Element {
  const answer = useAnswer<Schema["JobDetails"]>(`/api/v1/jobs/${encodeURIComponent(id)}`, kEvery), { value: job } = answer;
  const { model } = useDrawing();
  const marks = useMemo(() => {
    if (!model || !job) return kNoMarks;
    const channels = job.links.flatMap(({ from, to }) => {
      const cable = model.cableAt(from.node, from.port);
      return cable === undefined || model.number(to.node) === undefined ? [] : [{ cable, back: model.cable(cable).a !== model.number(from.node) }];
    });
    return { channels, switches: [] };
  }, [model, job]);
  if (!job) return <><h1>Job {id}</h1><p class={answer.problem ? "bad-text" : "soft"}>{answer.problem || "Loading…"}</p></>;
  const seconds = (time: string | null): number | undefined => (time ? Date.parse(time) / 1000 : undefined);
  return (
    <>
      <h1>Job {job.id} <span class="soft">{job.name}{job.user && ` of ${job.user}`}</span></h1>
      <Stale answer={answer} />
      <div class="cards">
        <Card title="About" id="job">
          <dl>
            <dt>begun</dt><dd>{dayAndTime(Date.parse(job.begun))}</dd>
            <dt>ended</dt><dd>{job.ended ? dayAndTime(Date.parse(job.ended)) : "not ended"}</dd>
            <dt>hosts</dt><dd>{plural(job.hosts.length, "host")}: {job.hosts.slice(0, 64).join(", ")}{job.hosts.length > 64 && ", …"}</dd>
            {job.missing_hosts.length > 0 && <><dt>missing hosts</dt><dd class="bad-text">✗ {job.missing_hosts.join(", ")}</dd></>}
            <dt>pairs without a route</dt><dd>{job.unreachable_pairs}</dd>
            <dt>shares links with</dt><dd>{job.shared_with.length === 0 ? "no other job" : job.shared_with.map((other) => <span key={other.id}><a href={toJob(other.id)}>{other.id}</a> ({plural(other.links, "direction")}) </span>)}</dd>
          </dl>
        </Card>
        <Problems problems={job.problems} />
      </div>
      <div class="low stack">
        <Traffic of={`job=${encodeURIComponent(job.id)}`} title="Traffic of the hosts" since={seconds(job.begun) ?? 0} until={seconds(job.ended)} />
        <section class="card" aria-label="Links"><h2>Links</h2>
          {!job.counted && <p class="soft">No counters: start the manager with <code>--perfmgr</code>.</p>}
          <Table name={`job-${job.id}`} caption="Links of the job" rows={job.links} columns={kLinks} keyOf={({ from }) => `${from.node} ${from.port}`} empty="The job uses no links." /></section>
        <Card title="Events">{job.events.length === 0 && <p class="soft">No events.</p>}
          <div onKeyDown={arrows}>{job.events.slice(-kEventsShown).reverse().map((event) => <EventLine key={event.id} event={event} />)}</div></Card>
        <section class="card" aria-label="Drawing"><h2>Drawing</h2><Picture marks={marks} /></section>
      </div>
    </>
  );
}
