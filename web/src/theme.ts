// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The colour scheme of the operating system: light or dark.
import { useEffect, useState } from "preact/hooks";

export function useDark(): boolean {
  const query = window.matchMedia("(prefers-color-scheme: dark)");
  const [dark, set] = useState(query.matches);
  useEffect(() => {
    const listener = (): void => set(query.matches);
    query.addEventListener("change", listener);
    return () => query.removeEventListener("change", listener);
  }, []);
  return dark;
}
