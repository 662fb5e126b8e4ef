// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Types of the responses of the service; src/service/http/openapi.json describes every field. All text in them is untrusted: it is only
// inserted as text nodes.

/** Verdict of the verifier on a set of routes. */
export interface Verify {
  ok: boolean;
  unreachable: number;
  loops: number;
  credit_loops: boolean;
  switches_unreachable: number;
  lanes_missing: number;
  replies: "counted" | "ignored";
  single_sls: string;
  why: string;
}

export interface FabricState {
  version: string;
  emulated: boolean; // no hardware is managed
  state: string;
  priority: number;
  ready: boolean;
  reason: string;
  up: boolean;
  error: string;
  sweeping: boolean;
  heavy_sweeps: number;
  history: boolean; // the manager keeps a history
  managers: { guid: string; state: string; priority: number; self: boolean; name: string | null; node: string | null; port: number | null; lid: number | null }[];
  fabric: { switches: number; hosts: number; links: number; switch_links: number; lid_top: number; vport_hosts: number; vports: number } | null;
  routes: {
    engine: string;
    fallbacks: { engine: string; reason: string }[];
    vls: number;
    notes: string[];
    adaptive: { switches: number; notifying: number; errors: number; failures: string[]; ended: boolean } | null;
    verify: Verify;
  } | null;
  sweep: SweepState | null; // the last one that published a change
  full_sweep: (SweepState & { up: boolean; error: string }) | null;
}

export interface SweepState {
  number: number;
  reason: string;
  seconds: Record<string, number>;
  changes: number;
  warnings: string[];
}

export interface WeftEvent {
  id: number;
  time?: string;
  event: string;
  sweep?: number;
  node?: string;
  name?: string;
  name_before?: string;
  port?: number;
  peer?: string;
  peer_name?: string;
  peer_port?: number;
  link?: string;
  lid?: number;
  lid_before?: number;
  trap?: number;
  engine?: string;
  blocks?: number;
  state?: string;
  priority?: number;
  reason?: string;
  up?: boolean;
  error?: string;
  text?: string;
  count?: number;
  counter?: string;
  before?: number;
  value?: number;
}

export interface End {
  node: string;
  name: string;
  port: number;
}

export interface PortState extends End {
  guid: string;
  lid: number | null;
  state: string;
  peer: End | null;
  width?: string;
  speed?: string;
  gbps?: number;
  mtu?: number;
  data_vls?: number;
}

export interface NodeState {
  guid: string;
  type: string;
  name: string;
  lids: number[];
  ports: number;
  ports_connected: number;
  system_guid: string;
  vendor_id: number;
  device_id: number;
  port_list: PortState[];
}

export interface PathState {
  from: End;
  to: End;
  slid: number;
  dlid: number;
  sl: number;
  hop_count: number; // as in OpenSM: without the link from a host to its switch
  hops: { from: End; to: End | null; vl: number; width?: string; speed?: string; gbps?: number }[];
}

/** An error response of the service. Status 0: no response. */
export class Refusal extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

const kTokenPlace = "weft-token";
let token = sessionStorage.getItem(kTokenPlace) ?? "";

/** Kept until the tab is closed. */
export function setToken(text: string): void {
  token = text;
  if (text) sessionStorage.setItem(kTokenPlace, text);
  else sessionStorage.removeItem(kTokenPlace);
}
export function hasToken(): boolean {
  return token !== "";
}

export function headers(more: Record<string, string> = {}): Record<string, string> {
  return token ? { ...more, Authorization: `Bearer ${token}` } : more;
}

async function refusalOf(response: Response): Promise<Refusal> {
  let words = response.statusText;
  try {
    const body: unknown = await response.json();
    if (typeof body === "object" && body !== null && "error" in body) words = String(body.error);
  } catch {
    // Not JSON: use the status text.
  }
  return new Refusal(response.status, words);
}

async function answerOf<T>(path: string, options: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Refusal(0, "no response from the service");
  }
  if (!response.ok) throw await refusalOf(response);
  return (await response.json()) as T;
}

export function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return answerOf<T>(path, signal ? { headers: headers(), signal } : { headers: headers() });
}

export function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const options: RequestInit = { method: "POST", headers: headers({ "Content-Type": "application/json" }), body: JSON.stringify(body) };
  if (signal) options.signal = signal;
  return answerOf<T>(path, options);
}
