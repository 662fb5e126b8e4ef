// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The URL fragment (after `#`) states the view, so that links to views and the history of the browser work.
import { useEffect, useState } from "preact/hooks";

export interface Route {
  view: string; // "" for the overview
  words: string[]; // "/node/0x1" has ["0x1"]
  query: URLSearchParams;
}

function read(): Route {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [view = "", ...words] = path.split("/").map(decode);
  return { view, words, query: new URLSearchParams(query) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function useRoute(): Route {
  const [route, set] = useState(read);
  useEffect(() => {
    const listener = (): void => set(read());
    window.addEventListener("hashchange", listener);
    return () => window.removeEventListener("hashchange", listener);
  }, []);
  return route;
}

export function go(address: string): void {
  location.hash = address;
}

export const toNode = (guid: string): string => `#/node/${encodeURIComponent(guid)}`;
export const toCable = (guid: string, port: number): string => `#/cable/${encodeURIComponent(guid)}/${port}`;
export const toPath = (from: string, to: string): string => `#/path?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`;
export const toTable = (name: string): string => `#/tables/${name}`;
export const toJob = (id: string): string => `#/job/${encodeURIComponent(id)}`;
export const toPartition = (pkey: string): string => `#/partition/${encodeURIComponent(pkey)}`;
