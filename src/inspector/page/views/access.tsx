/** The way to a server, step by step: where it breaks, and what to do about it. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { perform } from "../data/api.ts";
import { visible } from "../data/json.ts";
import { targets } from "../data/store.ts";

interface Hop {
  readonly hop: string;
  readonly status: "ok" | "failed" | "skipped";
  readonly detail: string;
  readonly url?: string;
  readonly fix?: string;
  readonly ms: number;
}

const SIGNS = { ok: "✓", failed: "✗", skipped: "–" } as const;

export function Access({ target }: { target: number }): VNode {
  const [hops, setHops] = useState<readonly Hop[]>();
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  const url = targets.get(target)?.url;
  const run = async (): Promise<void> => {
    setBusy(true);
    try {
      setHops((await perform<{ hops: readonly Hop[] }>("doctor", { target })).hops);
      setProblem("");
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  };
  if (url === undefined) return <p class="empty">This server runs on this machine, without a login.</p>;
  return (
    <div class="page">
      <h2>Access</h2>
      <p class="about">Each step from the first response of the server to an accepted request. Tokens are never shown.</p>
      <div class="actions">
        <button type="button" class="primary" disabled={isBusy} onClick={() => void run()}>
          {hops === undefined ? "Examine" : "Examine again"}
        </button>
        <span class="about">
          To log in: <code>tenon login {url}</code>, then connect again.
        </span>
      </div>
      {problem === "" ? null : <p class="wrong">✗ {problem}</p>}
      <ol class="hops">
        {(hops ?? []).map(({ hop, status, detail, fix, ms }) => (
          <li key={hop} class={status}>
            <b>
              {SIGNS[status]} {visible(hop)}
            </b>{" "}
            {visible(detail)} <span class="type">{ms} ms</span>
            {fix === undefined ? null : <p class="about">{visible(fix)}</p>}
          </li>
        ))}
      </ol>
    </div>
  );
}
