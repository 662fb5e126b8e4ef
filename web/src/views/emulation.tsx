// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Cuts and restores links of an emulated fabric; shown only if the fabric of the manager is emulated.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { hasToken, post, Refusal, setToken, type End } from "../api";
import { Card, EndLink, Sign, useAnswer } from "../parts";
import { useStore } from "../store";

const kCutEvery = 2000; // ms: other users cut links too

interface CutCable {
  a: End;
  b: End;
}

export function useEmulated(): boolean {
  return useStore().glance?.emulated ?? false;
}

/** The cut links, of one node if named; empty on a real fabric. */
export function useCutCables(guid?: string): CutCable[] {
  const emulated = useEmulated();
  const { value } = useAnswer<{ cables: CutCable[] }>(emulated ? "/api/v1/emulation/cut" : null, kCutEvery);
  return (value?.cables ?? []).filter(({ a, b }) => guid === undefined || a.node === guid || b.node === guid);
}

export const isEnd = (end: End, guid: string, port: number): boolean => end.node === guid && end.port === port;

/** Changes require the token of the service: asks for it if this tab has no valid one. */
export function CableButton({ node, port, action }: { node: string; port: number; action: "cut" | "mend" }): JSX.Element {
  const [state, set] = useState({ busy: false, done: false, asks: false, problem: "" });
  const [text, setText] = useState("");
  const pending = useRef<AbortController | null>(null);
  useEffect(() => {
    set({ busy: false, done: false, asks: false, problem: "" });
    return () => pending.current?.abort();
  }, [node, port, action]);
  const send = (): void => {
    const abort = (pending.current = new AbortController());
    const sent = hasToken();
    set({ busy: true, done: false, asks: false, problem: "" });
    post<unknown>(`/api/v1/emulation/${action}`, { node, port }, abort.signal).then(
      () => set({ busy: false, done: true, asks: false, problem: "" }),
      (error: unknown) => {
        if (abort.signal.aborted) return;
        const locked = error instanceof Refusal && error.status === 401;
        if (locked) setToken("");
        const problem = locked ? (sent ? "Authentication failed: wrong token." : "") : error instanceof Error ? error.message : String(error);
        set({ busy: false, done: false, asks: locked, problem });
      });
  };
  const unlock = (event: Event): void => {
    event.preventDefault();
    setToken(text.trim());
    setText("");
    send();
  };
  return (
    <div class="cable-button" data-action={action}>
      <button type="button" onClick={send} disabled={state.busy || state.done}>{action === "cut" ? "Cut link" : "Restore link"}</button>
      <div aria-live="polite">
        {state.done && <p><Sign tone="good" /> {action === "cut" ? "Cut" : "Restored"}; the manager detects it as on a real fabric.</p>}
        {state.problem && <p class="bad-text">✗ {state.problem}</p>}
        {state.asks && <form class="unlock" onSubmit={unlock}>
          <label>Changes require the token of <code>http_token_file</code>: <input type="password" autocomplete="off" value={text} onInput={(event) => setText(event.currentTarget.value)} /></label>
          {" "}<button type="submit" disabled={text.trim() === ""}>Send</button>
        </form>}
      </div>
    </div>
  );
}

/** The card of a link that is not cut. */
export function CutCard({ node, port }: { node: string; port: number }): JSX.Element | null {
  if (!useEmulated()) return null;
  return (
    <Card title="Cut this link" id="cut-cable">
      <p class="soft">The fabric is emulated: both ports go down, and the manager reacts as on a real fabric.</p>
      <CableButton node={node} port={port} action="cut" />
    </Card>
  );
}

/** The card of all cut links, or those of one node; empty without any. */
export function CutCables({ guid }: { guid?: string }): JSX.Element | null {
  const cables = useCutCables(guid);
  if (cables.length === 0) return null;
  return (
    <Card title="Cut links" id="cut-cables">
      {cables.map(({ a, b }) => (
        <div key={`${a.node} ${a.port}`} class="cut">
          <p><EndLink end={a} /> – <EndLink end={b} /></p>
          <CableButton node={a.node} port={a.port} action="mend" />
        </div>))}
    </Card>
  );
}
