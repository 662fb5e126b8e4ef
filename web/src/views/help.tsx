// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The keyboard help.
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

const kKeys: [string, string][] = [
  ["1 … 8", "overview, fabric, path, events, engines, alarms, tables, differences"],
  ["/", "search for a node by name, GUID or LID"],
  ["↑ ↓", "previous and next link of a list; Enter opens the link"],
  ["← → ↑ ↓, + −, 0", "in the drawing: move, zoom, show the whole fabric"],
  ["n, N", "in the drawing: next and previous switch; Enter opens the switch"],
  ["c, C", "in the drawing: next and previous link of that switch; Enter opens the link"],
  ["Esc", "close the help or the search results"],
  ["?", "this help"],
];

export function Help({ open, close }: { open: boolean; close: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog ref={dialog} onClose={close} aria-label="Keys">
      <h2>Keys</h2>
      <table><tbody>{kKeys.map(([keys, what]) => <tr key={keys}><th scope="row"><kbd>{keys}</kbd></th><td>{what}</td></tr>)}</tbody></table>
      <form method="dialog"><button>Close</button></form>
    </dialog>
  );
}
