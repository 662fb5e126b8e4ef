// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One partition: the members, and changes with a preview of their effect. Also the view that creates a partition.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { getAll, type Schema } from "../api";
import { useAnswer, useFetched } from "../cache";
import { Change } from "../change";
import { Card, EndLink, Sign, Stale } from "../parts";
import { planOf, type Action, type Effect, type Membership, type Plan } from "../plan";
import { go, toPartition, toTable } from "../route";
import type { Column } from "../tables/rows";
import { Table } from "../tables/table";
import { nameOrGuid, plural } from "../words";

const kEvery = 10_000; // ms
const kPath = "/api/v1/partitions";
type Members = Schema["PartitionMembers"];

interface Member {
  guid: string;
  membership: Membership;
  place: string;
  end: Schema["End"] | null;
}

function membersOf({ members, virtual_members, absent_members }: Members): Member[] {
  return [
    ...members.map(({ guid, membership, node, name, port, vport }) => ({ guid, membership, place: `${nameOrGuid(name, node)} port ${port}${vport === undefined ? "" : `, virtual port ${vport}`}`, end: { node, name, port } })),
    ...virtual_members.map(({ guid, membership, port }) => ({ guid, membership, place: `alias GUID of ${port}`, end: null })),
    ...absent_members.map(({ guid, membership }) => ({ guid, membership, place: "not on the fabric", end: null })),
  ];
}

const kMembers: Column<Member>[] = [
  { id: "guid", title: "port GUID", value: ({ guid }) => guid, show: ({ guid }) => <span class="mono">{guid}</span> },
  { id: "membership", title: "membership", value: ({ membership }) => membership },
  { id: "port", title: "port", value: ({ place }) => place, show: ({ place, end }) => (end ? <EndLink end={end} /> : place) },
];

const kEffects: Column<Effect>[] = [
  { id: "guid", title: "port GUID", value: ({ guid }) => guid, show: ({ guid }) => <span class="mono">{guid}</span> },
  { id: "port", title: "port", value: ({ place }) => place },
  { id: "before", title: "now", value: ({ before }) => before },
  { id: "after", title: "afterwards", value: ({ after }) => after },
];

function Preview({ plan }: { plan: Plan }): JSX.Element {
  return (
    <div id="preview" aria-live="polite">
      {plan.unknown.length > 0 && <p class="bad-text">✗ Not on the fabric: {plan.unknown.join(", ")}</p>}
      <p><Sign tone={plan.effects.length > 0 ? "warn" : "plain"} /> {plural(plan.effects.length, "port")} would change{plan.same > 0 && `; ${plural(plan.same, "port")} already ${plan.same === 1 ? "has" : "have"} this membership`}.</p>
      {plan.effects.length > 0 && <Table name="preview" caption="Effect of the change" rows={plan.effects} columns={kEffects} keyOf={({ guid }) => guid} empty="" />}
    </div>
  );
}

function usePorts(): Schema["Port"][] {
  const { value } = useFetched<Schema["Port"][]>("/api/v1/ports?all", (_, signal) => getAll<Schema["Port"]>("/api/v1/ports", "ports", signal));
  // Ports of hosts and routers, and port 0 of switches.
  return useMemo(() => (value ?? []).filter(({ lid }) => lid !== null), [value]);
}

/** Inputs for the members to add, change or remove, and a preview of the effect. */
function MemberChange({ pkey, members }: { pkey: string; members: Member[] }): JSX.Element {
  const [words, setWords] = useState(""), [action, setAction] = useState<Action>("full");
  const ports = usePorts();
  const plan = useMemo(() => planOf(words, action, ports, new Map(members.map(({ guid, membership }) => [guid, membership]))), [words, action, ports, members]);
  const guids = plan.effects.map(({ guid }) => guid);
  const body = action === "remove" ? { remove: guids } : { add: guids.map((guid) => ({ guid, membership: action })) };
  return (
    <Card title="Change members" id="change-members">
      <div class="tools">
        <label>Ports <input type="text" id="members" size={40} placeholder="names or port GUIDs" autocomplete="off" value={words} onInput={(event) => setWords(event.currentTarget.value)} /></label>
        <label>become <select id="membership" value={action} onChange={(event) => setAction(event.currentTarget.value as Action)}>
          <option value="full">full members</option><option value="limited">limited members</option><option value="both">full and limited members</option><option value="remove">no members</option></select></label>
      </div>
      <Preview plan={plan} />
      <Change label={`Change ${plural(plan.effects.length, "port")}`} role="administer" done="" outdated={[kPath]} disabled={plan.effects.length === 0 || plan.unknown.length > 0}
        request={{ method: "PATCH", path: `${kPath}/${pkey}`, body }} onDone={() => setWords("")} />
      <p class="soft">This change requires the role administer. The partition file and the P_Key tables of these ports are written; there is no sweep.</p>
    </Card>
  );
}

export function NewPartition(): JSX.Element {
  const [pkey, setPkey] = useState(""), [name, setName] = useState(""), [ipoib, setIpoib] = useState(false), [words, setWords] = useState("");
  const ports = usePorts();
  const plan = useMemo(() => planOf(words, "full", ports, new Map()), [words, ports]);
  const base = /^(?:0x)?[0-9a-fA-F]{1,4}$/.test(pkey) ? Number.parseInt(pkey, 16) & 0x7fff : 0;
  const valid = base > 0 && base < 0x7fff && /^[A-Za-z0-9_.+-]{1,64}$/.test(name) && plan.unknown.length === 0;
  const address = `0x${base.toString(16).padStart(4, "0")}`;
  return (
    <>
      <h1>New partition</h1>
      <Card title="Partition" id="new-partition">
        <div class="tools">
          <label>P_Key <input type="text" id="pkey" size={8} placeholder="0x0010" autocomplete="off" value={pkey} onInput={(event) => setPkey(event.currentTarget.value)} /></label>
          <label>name <input type="text" id="partition-name" size={20} autocomplete="off" value={name} onInput={(event) => setName(event.currentTarget.value)} /></label>
          <label><input type="checkbox" checked={ipoib} onChange={(event) => setIpoib(event.currentTarget.checked)} /> IPoIB broadcast group</label>
        </div>
        <div class="tools"><label>Full members <input type="text" id="members" size={40} placeholder="names or port GUIDs" autocomplete="off" value={words} onInput={(event) => setWords(event.currentTarget.value)} /></label></div>
        {pkey !== "" && (base === 0 || base === 0x7fff) && <p class="bad-text" role="status">✗ P_Key {pkey}: expected 0x0001 to 0x7ffe, without the membership bit</p>}
        <Preview plan={plan} />
        <Change label="Create partition" role="administer" done="" outdated={[kPath]} disabled={!valid} onDone={() => go(toPartition(address))}
          request={{ method: "POST", path: kPath, body: { pkey: address, name, ipoib, members: plan.effects.map(({ guid }) => guid) } }} />
        <p class="soft">This change requires the role administer. You can add limited members afterwards.</p>
      </Card>
    </>
  );
}

export function PartitionView({ pkey }: { pkey: string }): JSX.Element {
  const answer = useAnswer<Members>(`${kPath}/${encodeURIComponent(pkey)}`, kEvery), { value } = answer;
  const members = useMemo(() => (value ? membersOf(value) : []), [value]);
  const [sure, setSure] = useState(false);
  if (!value) return <><h1>Partition {pkey}</h1><p class={answer.problem ? "bad-text" : "soft"}>{answer.problem || "Loading…"}</p></>;
  return (
    <>
      <h1>Partition {value.pkey} <span class="soft">{value.name}</span></h1>
      <Stale answer={answer} />
      <div class="stack">
        <section class="card" aria-label="Members"><h2>Members</h2>
          <p class="soft">{value.ipoib ? "With an IPoIB broadcast group." : "Without an IPoIB broadcast group."}</p>
          <Table name="members" caption="Members" rows={members} columns={kMembers} keyOf={({ guid, place }) => `${guid} ${place}`} empty="No members." /></section>
        <MemberChange pkey={value.pkey} members={members} />
        {value.pkey !== "0x7fff" && <Card title="Delete" id="delete-partition">
          <p>{plural(members.length, "port")} would leave the partition. The multicast groups of the partition are deleted, and the members can no longer communicate with this P_Key.</p>
          <Change label="Delete partition" role="administer" done="" outdated={[`${kPath}?`]} disabled={!sure} request={{ method: "DELETE", path: `${kPath}/${value.pkey}` }} onDone={() => go(toTable("partitions"))}>
            <label><input type="checkbox" checked={sure} onChange={(event) => setSure(event.currentTarget.checked)} /> delete {value.pkey}</label></Change>
          <p class="soft">This change requires the role administer.</p></Card>}
      </div>
    </>
  );
}
