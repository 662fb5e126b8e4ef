// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The data of the drawing in flat arrays: each frame iterates over up to a hundred thousand links.

export interface DrawingData {
  sweep: number;
  engine: string;
  layout: {
    shape: string;
    about: string;
    width: number;
    height: number;
    boxed: boolean;
    x: number[];
    y: number[];
    box: number[];
    boxes: { x: number; y: number; width: number; height: number; label: string; switches: number; hosts: number }[];
    labels: { x: number; y: number; text: string }[];
  };
  switches: { guid: string[]; name: string[]; lid: number[]; ports: number[]; hosts: number[] };
  cables: {
    a: number[];
    a_port: number[];
    b: number[];
    b_port: number[];
    there: number[];
    back: number[];
    rate: number[];
    rates: string[];
    state: number[];
    states: string[];
    bows: number[];
  };
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
  label: string;
  switches: number;
  hosts: number;
}

/** Lines between spots; each represents the links `members[begin[i]]` to `members[begin[i + 1] - 1]`. */
export interface Lines {
  count: number;
  a: Uint32Array;
  b: Uint32Array;
  bow: Uint8Array;
  begin: Uint32Array;
  members: Uint32Array;
}

const kPortsMax = 256;

/** One line for all links between the same two spots. */
function bundle(cables: number, a: (i: number) => number, b: (i: number) => number, bows: Set<number>, spots: number): Lines {
  const found = new Map<number, number[]>();
  for (let i = 0; i < cables; ++i) {
    const from = a(i), to = b(i);
    if (from === to) continue;
    const key = Math.min(from, to) * spots + Math.max(from, to);
    const list = found.get(key);
    if (list) list.push(i);
    else found.set(key, [i]);
  }
  const count = found.size;
  const lines: Lines = {
    count, a: new Uint32Array(count), b: new Uint32Array(count), bow: new Uint8Array(count),
    begin: new Uint32Array(count + 1), members: new Uint32Array([...found.values()].reduce((sum, list) => sum + list.length, 0)),
  };
  let line = 0, at = 0;
  for (const list of found.values()) {
    const first = list[0] ?? 0;
    lines.a[line] = a(first);
    lines.b[line] = b(first);
    lines.bow[line] = bows.has(first) ? 1 : 0;
    lines.members.set(list, at);
    at += list.length;
    lines.begin[++line] = at;
  }
  return lines;
}

export class Model {
  readonly count: number;
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly width: number;
  readonly height: number;
  readonly boxes: Box[];
  readonly labels: { x: number; y: number; text: string }[];
  readonly trunks: Lines; // between switches
  readonly strands: Lines; // between boxes
  readonly cableCount: number;
  private readonly numbers = new Map<string, number>();
  private readonly cables = new Map<number, number>();

  constructor(readonly data: DrawingData) {
    const { layout, switches, cables } = data;
    this.count = switches.guid.length;
    this.x = Float32Array.from(layout.x, (v) => v / 100);
    this.y = Float32Array.from(layout.y, (v) => v / 100);
    this.width = Math.max(1, layout.width / 100);
    this.height = Math.max(1, layout.height / 100);
    this.boxes = layout.boxes.map((box) => ({ ...box, x: box.x / 100, y: box.y / 100, width: box.width / 100, height: box.height / 100 }));
    this.labels = layout.labels.map(({ x, y, text }) => ({ x: x / 100, y: y / 100, text }));
    this.cableCount = cables.a.length;
    const bows = new Set(cables.bows);
    const a = (i: number): number => cables.a[i] ?? 0, b = (i: number): number => cables.b[i] ?? 0;
    const boxOf = (sw: number): number => layout.box[sw] ?? 0;
    this.trunks = bundle(this.cableCount, a, b, bows, this.count);
    this.strands = layout.boxed
      ? bundle(this.cableCount, (i) => boxOf(a(i)), (i) => boxOf(b(i)), bows, this.boxes.length)
      : { count: 0, a: new Uint32Array(), b: new Uint32Array(), bow: new Uint8Array(), begin: new Uint32Array(1), members: new Uint32Array() };
    switches.guid.forEach((guid, sw) => this.numbers.set(guid, sw));
    for (let i = 0; i < this.cableCount; ++i) {
      this.cables.set(a(i) * kPortsMax + (cables.a_port[i] ?? 0), i);
      this.cables.set(b(i) * kPortsMax + (cables.b_port[i] ?? 0), i);
    }
  }

  boxOf(sw: number): number { return this.data.layout.box[sw] ?? 0; }
  /** Undefined for hosts. */
  number(guid: string): number | undefined { return this.numbers.get(guid); }
  cableAt(guid: string, port: number): number | undefined {
    const sw = this.number(guid);
    return sw === undefined ? undefined : this.cables.get(sw * kPortsMax + port);
  }
  /** The links of a switch to switches, by its port. */
  cablesOf(sw: number): number[] {
    const { a, a_port, b, b_port } = this.data.cables, ends: [number, number][] = [];
    for (let i = 0; i < this.cableCount; ++i) if (a[i] === sw || b[i] === sw) ends.push([(a[i] === sw ? a_port : b_port)[i] ?? 0, i]);
    return ends.sort(([p], [q]) => p - q).map(([, i]) => i);
  }
  name(sw: number): string { return this.data.switches.name[sw] || this.data.switches.guid[sw] || ""; }
  guid(sw: number): string { return this.data.switches.guid[sw] ?? ""; }
  hosts(sw: number): number { return this.data.switches.hosts[sw] ?? 0; }
  cable(i: number): { a: number; aPort: number; b: number; bPort: number; there: number; back: number; rate: string; state: string } {
    const c = this.data.cables;
    return {
      a: c.a[i] ?? 0, aPort: c.a_port[i] ?? 0, b: c.b[i] ?? 0, bPort: c.b_port[i] ?? 0, there: c.there[i] ?? 0, back: c.back[i] ?? 0,
      rate: c.rates[c.rate[i] ?? 0] ?? "", state: c.states[c.state[i] ?? 0] ?? "",
    };
  }
}
