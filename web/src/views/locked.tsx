// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Prompts for a token of the service.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { tryToken, wrongToken } from "../store";

export function Locked(): JSX.Element {
  const [text, setText] = useState("");
  const send = (event: Event): void => {
    event.preventDefault();
    tryToken(text);
    setText("");
  };
  return (
    <section class="card locked">
      <h1>Token required</h1>
      <p>Enter a token of the file that <code>http_token_file</code> names on the manager's machine. The page stores the token until you close this tab.</p>
      {wrongToken.value && <p role="alert" class="bad-text" id="wrong-token">✗ Authentication failed: wrong token.</p>}
      <form onSubmit={send}>
        <input id="token" type="password" autocomplete="off" aria-label="Token" value={text} onInput={(event) => setText(event.currentTarget.value)} autofocus />
        <button type="submit" disabled={text.trim() === ""}>Open</button>
      </form>
    </section>
  );
}
