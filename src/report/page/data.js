// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The data of the page: reads and unpacks the JSON block. Its strings are untrusted and only become text nodes.
const data = JSON.parse(document.getElementById("data").textContent);
const switchCount = data.fabric.switches;
const hosts = data.hosts, switches = data.switches, cables = data.cables;

const byId = (id) => document.getElementById(id);
function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}
const count = (value) => Number(value).toLocaleString("en-US");
const plural = (value, word, many) => `${count(value)} ${value === 1 ? word : many || word + "s"}`;

const hostsAt = new Uint32Array(switchCount);
for (const sw of hosts.sw) ++hostsAt[sw];

// First index of each host's LIDs in the tables, and their number.
const firstLid = [];
{
  let next = 0;
  for (const lmc of hosts.lmc) { firstLid.push(next); next += 1 << lmc; }
}

// By switch and port: 2 * cable, +1 for the direction from b to a.
const cableAt = new Map();
cables.a.forEach((a, i) => {
  cableAt.set(a * 256 + cables.a_port[i], 2 * i);
  cableAt.set(cables.b[i] * 256 + cables.b_port[i], 2 * i + 1);
});

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
const unpacked = new Map();  // cache of the last chunks
async function unpackOnce(key, text) {
  if (!unpacked.has(key)) {
    if (unpacked.size > 64) unpacked.delete(unpacked.keys().next().value);
    unpacked.set(key, unpack(text));
  }
  return unpacked.get(key);
}

// For one destination LID: the output port at each switch, and the SL of what each switch's hosts send.
async function column(run, lidIndex) {
  const tables = data.runs[run].tables;
  const bytes = await unpackOnce(`tables ${run} ${Math.floor(lidIndex / tables.lids)}`,
    tables.chunks[Math.floor(lidIndex / tables.lids)]);
  const size = switchCount * (tables.with_sl ? 2 : 1);
  const begin = (lidIndex % tables.lids) * size;
  return { port: (sw) => bytes[begin + sw], sl: (sw) => (tables.with_sl ? bytes[begin + switchCount + sw] : 0) };
}

async function laneOf(run, sw, inPort, outPort, sl) {
  const sl2vl = data.runs[run].sl2vl;
  if (!sl2vl) return null;
  if (!sl2vl.squares.length) return sl2vl.maps[0][sl];
  const square = await unpackOnce(`lanes ${run} ${sw}`, sl2vl.squares[sw]);
  return sl2vl.maps[square[inPort * (switches.ports[sw] + 1) + outPort]][sl];
}

// Follows packets from host to host. Each hop: the switch, its ports, the VL of the output port, and the cable (none at
// the last). `end` is the result.
async function follow(run, from, to, offset) {
  const lane = await column(run, firstLid[to] + offset);
  const sl = lane.sl(hosts.sw[from]);
  const hops = [];
  let sw = hosts.sw[from], inPort = hosts.port[from];
  const seen = new Set();
  while (true) {
    const outPort = lane.port(sw);
    const hop = { sw, inPort, outPort, vl: null, cable: -1, back: false };
    hops.push(hop);
    if (outPort === 255) return { sl, hops, end: "no route" };
    if (seen.has(sw)) return { sl, hops, end: "loop" };
    seen.add(sw);
    hop.vl = await laneOf(run, sw, inPort, outPort, sl);
    if (sw === hosts.sw[to] && outPort === hosts.port[to]) return { sl, hops, end: "arrived" };
    const way = cableAt.get(sw * 256 + outPort);
    if (way === undefined) return { sl, hops, end: "not a cable to a switch" };
    hop.cable = way >> 1;
    hop.back = (way & 1) === 1;
    sw = hop.back ? cables.a[hop.cable] : cables.b[hop.cable];
    inPort = hop.back ? cables.a_port[hop.cable] : cables.b_port[hop.cable];
  }
}

// Measures for the colour of cables.
function measures(run) {
  const list = [{ name: "load: paths of all pairs of hosts", unit: "paths", values: run.load }];
  for (const traffic of run.traffic) list.push({ name: `flows of ${traffic.pattern}`, unit: "flows", values: traffic.flows });
  return list;
}
