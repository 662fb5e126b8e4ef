// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Requests to the service, and types of its responses. The build generates the types from src/service/http/openapi.json. All text in
// responses is untrusted: the page inserts it only as text nodes and as values of attributes.
import type { components } from "./openapi";

export type Schema = components["schemas"];
export type FabricState = Schema["Fabric"];
export type SweepState = NonNullable<FabricState["sweep"]>;
export type End = Schema["End"];
export type PortState = Schema["Port"];
export type NodeState = Schema["NodeDetails"];
export type PathState = Schema["Path"];
export type Alarm = Schema["Alarm"];
export type Comparison = Schema["Comparison"];
export type Loss = Schema["Loss"];
export type Replication = Schema["Replication"];

/** Roles of clients. Each role includes the rights of the roles to the left of it. */
export type Role = "read" | "operate" | "administer";

/** An event. Its kind determines which members are present (docs/reference/events.md). */
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

/** An error response of the service. Status 0: the service does not respond, or has closed the event stream. */
export class ApiError extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

const kTokenPlace = "weft-token";
let token = sessionStorage.getItem(kTokenPlace) ?? "";

/** Stores the token until the tab is closed. An empty text removes the stored token. */
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

async function errorOf(response: Response): Promise<ApiError> {
  let words = response.statusText;
  try {
    const body: unknown = await response.json();
    if (typeof body === "object" && body !== null && "error" in body) words = String(body.error);
  } catch {
    // The body is not JSON: the message is the status text.
  }
  return new ApiError(response.status, words);
}

async function answerOf<T>(path: string, options: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, "no response from the service");
  }
  if (!response.ok) throw await errorOf(response);
  return (await response.json()) as T;
}

export function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return answerOf<T>(path, signal ? { headers: headers(), signal } : { headers: headers() });
}

export function send<T>(method: string, path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const options: RequestInit = { method, headers: headers({ "Content-Type": "application/json" }) };
  if (body !== undefined) options.body = JSON.stringify(body);
  if (signal) options.signal = signal;
  return answerOf<T>(path, options);
}

export function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return send<T>("POST", path, body, signal);
}

const kPageMax = 10_000; // maximum number of list entries in a response of the service

/** Returns all entries of a list. Requests kPageMax entries at a time. */
export async function getAll<T>(path: string, member: string, signal: AbortSignal): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    const page = await get<{ total?: number } & Record<string, unknown>>(`${path}${path.includes("?") ? "&" : "?"}limit=${kPageMax}&offset=${all.length}`, signal);
    const entries = page[member] as T[];
    all.push(...entries);
    if (page.total === undefined || all.length >= page.total || entries.length === 0) return all;
  }
}
