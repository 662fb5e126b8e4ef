// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tables of ports, nodes, links, partitions, multicast groups and other lists of the HTTP API.
import type { JSX } from "preact";
import { getAll, type Schema } from "../api";
import { useFetched, useAnswer } from "../cache";
import { EndLink, NodeLink, Sign, Stale, kCountersEvery } from "../parts";
import { toCable, toJob, toPartition, toTable } from "../route";
import * as store from "../store";
import type { Column } from "../tables/rows";
import { Table } from "../tables/table";
import { count, dayAndTime, nameOrGuid, vportState } from "../words";
import { Deviations, planeTone, RingFindings, usePlanes, type AggregatedPort, type Plane } from "./planes";

type Node = Schema["Node"];
type Port = Schema["Port"];
type Link = Schema["Link"];
type VirtualPort = Schema["VirtualPort"];
type Partition = Schema["Partition"];
type Group = Schema["Multicast"]["groups"][number];
type Subscription = Schema["Subscriptions"]["subscriptions"][number];
type Service = Schema["Services"]["services"][number];
type Job = Schema["Jobs"]["jobs"][number];
type Counted = Schema["AllCounters"]["ports"][number];
type Manager = Schema["Manager"] & Partial<NonNullable<Schema["Replication"]["standbys"]>[number]>;

const kEvery = 10_000; // ms between requests of data that changes without a sweep
const kTypes: Record<Node["type"], string> = { SW: "switch", CA: "host", RTR: "router" };

const kNodes: Column<Node>[] = [
  { id: "name", title: "name", value: ({ name }) => name, show: ({ guid, name }) => <NodeLink guid={guid} name={name} /> },
  { id: "type", title: "type", value: ({ type }) => kTypes[type] },
  { id: "guid", title: "GUID", value: ({ guid }) => guid, show: ({ guid }) => <span class="mono">{guid}</span> },
  { id: "lids", title: "LIDs", value: ({ lids }) => (lids.length === 1 ? lids[0] : lids.join(" ")), numeric: true },
  { id: "ports", title: "ports", value: ({ ports }) => ports, numeric: true },
  { id: "connected", title: "connected", value: ({ ports_connected }) => ports_connected, numeric: true },
];

type CountedPort = Port & { counted?: Counted | undefined };
const portTone = ({ state, peer }: Port): "good" | "warn" | "plain" => (state === "active" ? "good" : peer ? "warn" : "plain");
const kPorts: Column<CountedPort>[] = [
  { id: "node", title: "node", value: ({ name, node }) => name || node, show: ({ node, name }) => <NodeLink guid={node} name={name} /> },
  { id: "port", title: "port", value: ({ port }) => port, show: ({ node, port, peer }) => (peer ? <a href={toCable(node, port)}>{port}</a> : port), numeric: true },
  { id: "guid", title: "port GUID", value: ({ guid }) => guid, show: ({ guid }) => <span class="mono">{guid}</span> },
  { id: "lid", title: "LID", value: ({ lid }) => lid, numeric: true },
  { id: "state", title: "state", value: ({ state }) => state, show: (port) => <><Sign tone={portTone(port)} /> {port.state}</> },
  { id: "peer", title: "peer", value: ({ peer }) => (peer ? `${nameOrGuid(peer.name, peer.node)} port ${peer.port}` : ""), show: ({ peer }) => (peer ? <EndLink end={peer} /> : "") },
  { id: "width", title: "width", value: ({ width }) => width },
  { id: "speed", title: "speed", value: ({ speed }) => speed },
  { id: "gbps", title: "Gbit/s", value: ({ gbps }) => gbps, numeric: true },
  { id: "mtu", title: "MTU", value: ({ mtu }) => mtu, numeric: true },
  { id: "data_vls", title: "VLs", value: ({ data_vls }) => data_vls, numeric: true },
];
const kCountedPorts: Column<CountedPort>[] = [...kPorts,
  { id: "sent_bytes", title: "bytes sent", value: ({ counted }) => counted?.sent_bytes, show: ({ counted }) => (counted ? count(counted.sent_bytes) : ""), numeric: true },
  { id: "received_bytes", title: "bytes received", value: ({ counted }) => counted?.received_bytes, show: ({ counted }) => (counted ? count(counted.received_bytes) : ""), numeric: true },
  { id: "wait_ticks", title: "wait time, ticks", value: ({ counted }) => counted?.wait_ticks, show: ({ counted }) => (counted ? count(counted.wait_ticks) : ""), numeric: true },
  { id: "errors", title: "errors", value: ({ counted }) => counted?.errors, numeric: true }];

const kLinks: Column<Link>[] = [
  { id: "from", title: "from", value: ({ a }) => `${nameOrGuid(a.name, a.node)} port ${a.port}`, show: ({ a }) => <EndLink end={a} /> },
  { id: "to", title: "to", value: ({ b }) => `${nameOrGuid(b.name, b.node)} port ${b.port}`, show: ({ b }) => <EndLink end={b} /> },
  { id: "kind", title: "kind", value: ({ kind }) => kind },
  { id: "between_switches", title: "between switches", value: ({ between_switches }) => between_switches },
  { id: "state", title: "state", value: ({ state }) => state },
  { id: "width", title: "width", value: ({ width }) => width },
  { id: "speed", title: "speed", value: ({ speed }) => speed },
  { id: "gbps", title: "Gbit/s", value: ({ gbps }) => gbps, numeric: true },
  { id: "details", title: "details", value: ({ a }) => `${a.node} ${a.port}`, show: ({ a }) => <a href={toCable(a.node, a.port)} aria-label={`Link of ${nameOrGuid(a.name, a.node)} port ${a.port}`}>link</a> },
];

const kPartitions: Column<Partition>[] = [
  { id: "pkey", title: "P_Key", value: ({ pkey }) => pkey, show: ({ pkey }) => <a href={toPartition(pkey)}>{pkey}</a> },
  { id: "name", title: "name", value: ({ name }) => name },
  { id: "ipoib", title: "IPoIB", value: ({ ipoib }) => ipoib },
  { id: "full_members", title: "full members", value: ({ full_members }) => full_members, numeric: true },
  { id: "limited_members", title: "limited members", value: ({ limited_members }) => limited_members, numeric: true },
];

const kGroups: Column<Group>[] = [
  { id: "mgid", title: "MGID", value: ({ mgid }) => mgid, show: ({ mgid }) => <span class="mono">{mgid}</span> },
  { id: "mlid", title: "MLID", value: ({ mlid }) => `0x${mlid.toString(16)}` },
  { id: "pkey", title: "P_Key", value: ({ pkey }) => pkey },
  { id: "qkey", title: "Q_Key", value: ({ qkey }) => `0x${qkey.toString(16)}` },
  { id: "mtu", title: "MTU code", value: ({ mtu }) => mtu, numeric: true },
  { id: "rate", title: "rate code", value: ({ rate }) => rate, numeric: true },
  { id: "sl", title: "SL", value: ({ sl }) => sl, numeric: true },
  { id: "of_partition", title: "of partition", value: ({ of_partition }) => of_partition },
  { id: "members", title: "members", value: ({ members }) => members.length, numeric: true },
];

const kSubscriptions: Column<Subscription>[] = [
  { id: "id", title: "number", value: ({ id }) => id, numeric: true },
  { id: "subscriber", title: "subscriber (port GID)", value: ({ subscriber }) => subscriber, show: ({ subscriber }) => <span class="mono">{subscriber}</span> },
  { id: "lid", title: "LID", value: ({ lid }) => lid, numeric: true },
  { id: "generic", title: "generic", value: ({ generic }) => generic },
  { id: "trap", title: "trap", value: ({ trap }) => (trap === 65535 ? "all" : String(trap)) },
  { id: "unheard", title: "reports without acknowledgement", value: ({ unheard }) => unheard, numeric: true },
];

const kServices: Column<Service>[] = [
  { id: "service_id", title: "service ID", value: ({ id }) => id, show: ({ id }) => <span class="mono">{id}</span> },
  { id: "name", title: "name", value: ({ name }) => name },
  { id: "gid", title: "port GID", value: ({ gid }) => gid, show: ({ gid }) => <span class="mono">{gid}</span> },
  { id: "pkey", title: "P_Key", value: ({ pkey }) => pkey },
  { id: "lease_s", title: "lease, s", value: ({ lease_s }) => lease_s, show: ({ lease_s }) => (lease_s === null ? "unlimited" : lease_s), numeric: true },
];

const kVports: Column<VirtualPort>[] = [
  { id: "guid", title: "GUID", value: ({ guid }) => guid, show: ({ guid }) => <span class="mono">{guid}</span> },
  { id: "description", title: "virtual node", value: ({ description }) => description },
  { id: "host", title: "CA port", value: ({ host }) => `${nameOrGuid(host.name, host.node)} port ${host.port}`, show: ({ host }) => <EndLink end={host} /> },
  { id: "index", title: "index", value: ({ index }) => index, numeric: true },
  { id: "state", title: "state", value: (vport) => vportState(vport).text },
  { id: "lid", title: "LID", value: ({ lid }) => lid, numeric: true },
  { id: "pkeys", title: "P_Keys", value: ({ pkeys }) => pkeys.join(" ") },
];

const kPlanes: Column<Plane>[] = [
  { id: "plane", title: "plane", value: ({ plane }) => plane, numeric: true },
  { id: "state", title: "state", value: ({ state }) => state, show: (plane) => <><Sign tone={planeTone(plane)} /> {plane.state}</> },
  { id: "usable", title: "usable", value: ({ usable }) => usable },
  { id: "hosts", title: "hosts", value: ({ hosts }) => hosts, numeric: true },
  { id: "hosts_without_link", title: "hosts without a link", value: ({ hosts, hosts_of_all }) => hosts_of_all - hosts, numeric: true },
  { id: "aports_without_link", title: "aggregated ports without a link", value: ({ aports_without_link }) => aports_without_link, numeric: true },
  { id: "ports", title: "CA ports", value: ({ ports }) => ports, numeric: true },
  { id: "switches", title: "switches", value: ({ switches }) => switches, numeric: true },
  { id: "cut_off", title: "pairs without a path", value: ({ cut_off }) => cut_off, numeric: true },
  { id: "failures", title: "pairs of switch and LID that lose packets", value: ({ failures }) => failures, numeric: true },
  { id: "credit_loop", title: "credit loop", value: ({ credit_loop }) => credit_loop },
];

const planesOf = ({ ports, without_link }: AggregatedPort): string => {
  const linked = ports.filter(({ port }) => port.peer).map(({ plane }) => plane);
  return `${linked.join(" ")}${without_link.length > 0 ? `, none in ${without_link.join(" ")}` : ""}`;
};
const kAports: Column<AggregatedPort>[] = [
  { id: "device", title: "device", value: ({ device }) => device, show: ({ device }) => <span class="mono">{device}</span> },
  { id: "type", title: "type", value: ({ type }) => kTypes[type] },
  { id: "number", title: "number", value: ({ number }) => number, numeric: true },
  { id: "planes", title: "planes", value: ({ planes }) => planes, numeric: true },
  { id: "links", title: "links in planes", value: planesOf, show: (aport) => <><Sign tone={aport.without_link.length > 0 ? "bad" : "good"} /> {planesOf(aport)}</> },
  { id: "without_link", title: "planes without a link", value: ({ without_link }) => without_link.length, numeric: true },
  { id: "ports", title: "plane ports", value: ({ ports }) => ports.map(({ port }) => `${nameOrGuid(port.name, port.node)} port ${port.port}`).join(", "),
    show: ({ ports }) => <ul class="plain-list">{ports.map(({ port }) => <li key={`${port.node} ${port.port}`}><EndLink end={port} /></li>)}</ul> },
];

const kManagers: Column<Manager>[] = [
  { id: "guid", title: "port GUID", value: ({ guid }) => guid, show: ({ guid }) => <span class="mono">{guid}</span> },
  { id: "this", title: "this manager", value: ({ self }) => self },
  { id: "state", title: "state", value: ({ state }) => state },
  { id: "priority", title: "priority", value: ({ priority }) => priority, numeric: true },
  { id: "node", title: "location", value: ({ name, node, port }) => (node ? `${nameOrGuid(name ?? "", node)} port ${port}` : ""),
    show: ({ name, node, port }) => (node ? <EndLink end={{ node, name: name ?? "", port: port ?? 0 }} /> : "") },
  { id: "lid", title: "LID", value: ({ lid }) => lid, numeric: true },
  { id: "in_step", title: "copy complete", value: ({ in_step }) => in_step },
  { id: "missing", title: "changes missing", value: ({ missing }) => missing, numeric: true },
];

const kJobs: Column<Job>[] = [
  { id: "id", title: "job", value: ({ id }) => id, show: ({ id }) => <a href={toJob(id)}>{id}</a> },
  { id: "name", title: "name", value: ({ name }) => name },
  { id: "user", title: "user", value: ({ user }) => user },
  { id: "hosts", title: "hosts", value: ({ hosts }) => hosts, numeric: true },
  { id: "begun", title: "begun", value: ({ begun }) => begun, show: ({ begun }) => dayAndTime(Date.parse(begun)) },
  { id: "ended", title: "ended", value: ({ ended }) => ended, show: ({ ended }) => (ended ? dayAndTime(Date.parse(ended)) : "not ended") },
];

/** Returns a component: the table of the entries of one list of the HTTP API. */
function listOf<Row>(path: string, member: string, columns: Column<Row>[], keyOf: (row: Row) => string, empty: string, every = 0) {
  return function List({ name, title }: { name: string; title: string }): JSX.Element {
    const answer = useFetched<Row[]>(`${path}?all`, (_, signal) => getAll<Row>(path, member, signal), every);
    if (!answer.value) return <p class={answer.problem ? "bad-text" : "soft"}>{answer.problem || "Loading…"}</p>;
    return <><Stale answer={answer} /><Table name={name} caption={title} rows={answer.value} columns={columns} keyOf={keyOf} empty={empty} /></>;
  };
}

function Ports({ name, title }: { name: string; title: string }): JSX.Element {
  const answer = useFetched<Port[]>("/api/v1/ports?all", (_, signal) => getAll<Port>("/api/v1/ports", "ports", signal));
  const counters = useFetched<Counted[]>("/api/v1/counters?all", (_, signal) => getAll<Counted>("/api/v1/counters", "ports", signal), kCountersEvery);
  if (!answer.value) return <p class={answer.problem ? "bad-text" : "soft"}>{answer.problem || "Loading…"}</p>;
  const counted = new Map((counters.value ?? []).map((one) => [`${one.node} ${one.port}`, one]));
  const rows = counted.size === 0 ? answer.value : answer.value.map((port) => ({ ...port, counted: counted.get(`${port.node} ${port.port}`) }));
  return (
    <>
      <Stale answer={answer} />
      {counted.size === 0 && <p class="soft">No counters: start the manager with <code>--perfmgr</code>.</p>}
      <Table name={name} caption={title} rows={rows} columns={counted.size > 0 ? kCountedPorts : kPorts} keyOf={({ node, port }) => `${node} ${port}`} empty="The fabric has no ports." />
    </>);
}

function Managers({ name, title }: { name: string; title: string }): JSX.Element {
  const fabricState = store.fabricState.value;
  const { value } = useAnswer<Schema["Replication"]>("/api/v1/replication", kEvery);
  const standbys = new Map((value?.standbys ?? []).map((standby) => [standby.guid, standby]));
  const rows = (fabricState?.managers ?? []).map((manager): Manager => ({ ...manager, ...standbys.get(manager.guid) }));
  return <Table name={name} caption={title} rows={rows} columns={kManagers} keyOf={({ guid }) => guid} empty="No subnet manager is known." />;
}

function PlanesList({ name, title }: { name: string; title: string }): JSX.Element {
  const value = usePlanes();
  if (!value) return <p class="soft">Loading…</p>;
  return (
    <>
      <Deviations texts={value.deviations} total={value.devices.contradictions} />
      <RingFindings texts={value.fnm.findings.map(({ text }) => text)} />
      <Table name={name} caption={title} rows={value.planes} columns={kPlanes} keyOf={({ plane }) => String(plane)} empty="The fabric has no planes." />
    </>);
}

interface Kind {
  name: string;
  title: string;
  List: (about: { name: string; title: string }) => JSX.Element;
}

const kKinds: Kind[] = [
  { name: "ports", title: "Ports", List: Ports },
  { name: "nodes", title: "Nodes", List: listOf("/api/v1/nodes", "nodes", kNodes, ({ guid }) => guid, "The fabric has no nodes.") },
  { name: "links", title: "Links", List: listOf("/api/v1/links", "links", kLinks, ({ a }) => `${a.node} ${a.port}`, "The fabric has no links.") },
  { name: "partitions", title: "Partitions", List: listOf("/api/v1/partitions", "partitions", kPartitions, ({ pkey }) => pkey, "No partitions.", kEvery) },
  { name: "groups", title: "Multicast groups", List: listOf("/api/v1/multicast", "groups", kGroups, ({ mgid }) => mgid, "No multicast groups.", kEvery) },
  { name: "services", title: "Services", List: listOf("/api/v1/services", "services", kServices, ({ id, gid, pkey }) => `${id} ${gid} ${pkey}`, "No services are registered.", kEvery) },
  { name: "subscriptions", title: "Subscriptions", List: listOf("/api/v1/subscriptions", "subscriptions", kSubscriptions, ({ id }) => String(id), "No subscriptions to notices or traps.", kEvery) },
  { name: "vports", title: "Virtual ports", List: listOf("/api/v1/vports", "vports", kVports, ({ host_guid, index }) => `${host_guid} ${index}`, "The fabric has no virtual ports.", kEvery) },
  { name: "planes", title: "Planes", List: PlanesList },
  { name: "aports", title: "Aggregated ports", List: listOf("/api/v1/aports", "aports", kAports, ({ device, number }) => `${device} ${number}`, "No device of the fabric has aggregated ports.") },
  { name: "managers", title: "Subnet managers", List: Managers },
  { name: "jobs", title: "Jobs", List: listOf("/api/v1/jobs", "jobs", kJobs, ({ id, begun }) => `${id} ${begun}`, "No jobs are registered.", kEvery) },
];

export function TablesView({ name }: { name: string }): JSX.Element {
  const kind = kKinds.find((one) => one.name === name) ?? kKinds[0];
  if (!kind) return <></>;
  const { List, title } = kind;
  return (
    <>
      <h1>{title}</h1>
      <nav aria-label="Tables" class="tools subviews">
        {kKinds.map((one) => <a key={one.name} href={toTable(one.name)} aria-current={one === kind ? "page" : undefined}>{one.title}</a>)}
      </nav>
      {kind.name === "partitions" && <p><a href={toPartition("new")}>New partition</a></p>}
      <section class="card" aria-label={title}><List key={kind.name} name={kind.name} title={title} /></section>
    </>
  );
}
