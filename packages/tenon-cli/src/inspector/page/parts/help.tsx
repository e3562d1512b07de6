/** All keys. */
import type { VNode } from "preact";
import { Dialog } from "./dialog.tsx";
import { KEYS } from "./keys.ts";

export function Help({ onClose }: { onClose: () => void }): VNode {
  return (
    <Dialog label="Keys" onClose={onClose}>
      <h2>Keys</h2>
      <dl class="facts">
        {KEYS.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={({ currentTarget }) => currentTarget.closest("dialog")?.close()}>
        Close
      </button>
    </Dialog>
  );
}
