// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The search field for nodes by name, GUID or LID. The service computes the results. The path view has a field for each end of
// the path.
import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { get } from "./api";
import { nameOrGuid } from "./words";

export interface Found {
  guid: string;
  type: string;
  name: string;
  lids: number[];
}

const kPause = 120; // ms from the last key to the request

export function Search({ id, label, value, pick }: { id: string; label: string; value?: string; pick: (found: Found) => void }): JSX.Element {
  const [text, setText] = useState(value ?? "");
  const [found, setFound] = useState<Found[]>([]);
  const [total, setTotal] = useState(0);
  const [at, setAt] = useState(0);
  const [open, setOpen] = useState(false);
  const list = useId(), input = useRef<HTMLInputElement>(null);
  useEffect(() => setText(value ?? ""), [value]);
  useEffect(() => {
    if (!open || text.trim() === "") return setFound([]);
    const abort = new AbortController();
    const timer = window.setTimeout(() => {
      get<{ total: number; nodes: Found[] }>(`/api/v1/search?limit=12&q=${encodeURIComponent(text.trim())}`, abort.signal).then(
        (answer) => { setFound(answer.nodes); setTotal(answer.total); setAt(0); }, () => {});
    }, kPause);
    return () => { window.clearTimeout(timer); abort.abort(); };
  }, [text, open]);

  const choose = (one: Found | undefined): void => {
    if (!one) return;
    setOpen(false);
    input.current?.blur();
    pick(one);
  };
  const keys = (event: JSX.TargetedKeyboardEvent<HTMLInputElement>): void => {
    if (event.key === "ArrowDown") setAt(Math.min(found.length - 1, at + 1));
    else if (event.key === "ArrowUp") setAt(Math.max(0, at - 1));
    else if (event.key === "Enter") choose(found[at]);
    else if (event.key === "Escape") { setOpen(false); input.current?.blur(); }
    else return;
    event.preventDefault();
  };
  const shown = open && text.trim() !== "";
  return (
    <div class="search">
      <input ref={input} id={id} type="search" placeholder={label} aria-label={label} autocomplete="off" spellcheck={false} role="combobox"
        aria-expanded={shown} aria-controls={list} aria-activedescendant={found[at] ? `${list}-${at}` : undefined} value={text}
        onInput={(event) => { setText(event.currentTarget.value); setOpen(true); }} onFocus={(event) => event.currentTarget.select()}
        onBlur={() => setOpen(false)} onKeyDown={keys} />
      {shown && (
        <ul id={list} role="listbox" aria-label="Found">
          {found.map((one, i) => (
            <li key={one.guid} id={`${list}-${i}`} role="option" aria-selected={i === at} onPointerDown={(event) => { event.preventDefault(); choose(one); }}>
              <strong>{nameOrGuid(one.name, one.guid)}</strong> <span class="soft">{one.type === "SW" ? "switch" : one.type === "RTR" ? "router" : "host"}, LID {one.lids.join(", ") || "none"}, <span class="mono">{one.guid}</span></span>
            </li>))}
          {found.length === 0 && <li class="soft">nothing found</li>}
          {total > found.length && found.length > 0 && <li class="soft">and {total - found.length} more</li>}
        </ul>)}
    </div>
  );
}
