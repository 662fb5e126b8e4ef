// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Buttons for requests that change the fabric or the state of the manager. The tooltip of a button states the required role. If the
// service refuses the request with status 401, the page prompts for a token.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, hasToken, send, setToken, type Role } from "./api";
import { refetch } from "./cache";
import { Sign } from "./parts";

export interface ChangeRequest {
  method: "POST" | "PATCH" | "DELETE";
  path: string;
  body?: unknown;
}

interface State {
  busy: boolean;
  done: boolean;
  needsToken: boolean; // the page prompts for a token
  problem: string;
}
const kIdle: State = { busy: false, done: false, needsToken: false, problem: "" };

function problemOf(error: unknown, role: Role, hadToken: boolean): string {
  if (!(error instanceof ApiError)) return String(error);
  if (error.status === 401) return hadToken ? "Authentication failed: wrong token." : "";
  return error.status === 403 ? `${error.message} (needs the role ${role})` : error.message;
}

/**
 * A button that sends `request`. `outdated`: beginnings of the paths of which the data changes, so that they are requested again after success. `done`: text after success.
 * `children`: inputs in front of the button.
 */
export function Change({ label, request, role, done, outdated, children, disabled = false, onDone }: {
  label: string; request: ChangeRequest; role: Role; done: string; outdated: string[]; children?: ComponentChildren; disabled?: boolean; onDone?: () => void;
}): JSX.Element {
  const [state, set] = useState<State>(kIdle);
  const [text, setText] = useState("");
  const pending = useRef<AbortController | null>(null);
  useEffect(() => {
    set(kIdle);
    return () => pending.current?.abort();
  }, [request.method, request.path, label]);
  const start = (): void => {
    const abort = (pending.current = new AbortController()), hadToken = hasToken();
    set({ ...kIdle, busy: true });
    send<{ error?: string } | null>(request.method, request.path, request.body, abort.signal).then(
      (answer) => {
        outdated.forEach(refetch);
        // The manager accepted a change of partitions, and will apply the change later.
        if (answer?.error) return set({ ...kIdle, problem: `Accepted, but not applied yet: ${answer.error}` });
        set({ ...kIdle, done: true });
        onDone?.();
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        const locked = error instanceof ApiError && error.status === 401;
        if (locked) setToken("");
        set({ ...kIdle, needsToken: locked, problem: problemOf(error, role, hadToken) });
      });
  };
  const unlock = (event: Event): void => {
    event.preventDefault();
    setToken(text.trim());
    setText("");
    start();
  };
  return (
    <div class="change" data-change={label}>
      <form class="tools" onSubmit={(event) => { event.preventDefault(); start(); }}>
        {children}
        <button type="submit" disabled={disabled || state.busy || state.done} title={`needs the role ${role}`}>{label}</button>
      </form>
      <div aria-live="polite">
        {state.done && done && <p><Sign tone="good" /> {done}</p>}
        {state.problem && <p class="bad-text">✗ {state.problem}</p>}
        {state.needsToken && <form class="unlock" onSubmit={unlock}>
          <label>Changes require a token of role {role} of <code>http_token_file</code>: <input type="password" autocomplete="off" value={text} onInput={(event) => setText(event.currentTarget.value)} /></label>
          {" "}<button type="submit" disabled={text.trim() === ""}>Send</button>
        </form>}
      </div>
    </div>
  );
}
