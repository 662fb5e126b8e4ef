// The service wants its token.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { tryToken, useStore } from "../store";

export function Locked(): JSX.Element {
  const { wrongToken } = useStore();
  const [text, setText] = useState("");
  const send = (event: Event): void => {
    event.preventDefault();
    tryToken(text);
    setText("");
  };
  return (
    <section class="card locked">
      <h1>This service wants its token</h1>
      <p>It is the first line of the file that <code>http_token_file</code> names on the manager's machine. It is kept until this tab is closed.</p>
      {wrongToken && <p role="alert" class="bad-text" id="wrong-token">✗ That is not the token.</p>}
      <form onSubmit={send}>
        <input id="token" type="password" autocomplete="off" aria-label="Token" value={text} onInput={(event) => setText(event.currentTarget.value)} autofocus />
        <button type="submit" disabled={text.trim() === ""}>Open</button>
      </form>
    </section>
  );
}
