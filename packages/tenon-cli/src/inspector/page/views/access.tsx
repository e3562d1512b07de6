/** The way to a server, step by step: where it breaks, and what to do about it. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { perform } from "../data/api.ts";
import { visible } from "../data/json.ts";
import { logins, targets, version } from "../data/store.ts";
import { safeAddress } from "../parts/address.tsx";

interface Hop {
  readonly hop: string;
  readonly status: "ok" | "failed" | "skipped";
  readonly detail: string;
  readonly url?: string;
  readonly fix?: string;
  readonly ms: number;
}

const SIGNS = { ok: "✓", failed: "✗", skipped: "–" } as const;

/** Logging in and out. The page of the authorization server opens by a click of the user, who sees its whole address. */
function Account({ target }: { target: number }): VNode {
  void version.servers.value;
  const { state, page, text } = logins.get(target) ?? {};
  const href = page === undefined ? undefined : safeAddress(page);
  const isBusy = state === "asking" || state === "waiting";
  const start = (op: "login" | "logout") => (): void => void perform(op, { target }).catch(() => undefined); // its entry says what became of it
  return (
    <section class="card" aria-label="Login">
      <div class="actions">
        <button type="button" disabled={isBusy} onClick={start("login")}>
          Log in
        </button>
        <button type="button" disabled={isBusy} onClick={start("logout")}>
          Log out
        </button>
        {isBusy ? (
          <button type="button" onClick={() => void perform("cancel", { target })}>
            Cancel the login
          </button>
        ) : null}
        <span class="about">
          The same as <code>tenon login {targets.get(target)?.url}</code>.
        </span>
      </div>
      <div role="status">
        {state === "asking" ? <p class="about">The server is asked what it wants …</p> : null}
        {state === "waiting" && href !== undefined ? (
          <p>
            Log in at <b>{visible(new URL(href).host)}</b>, then come back:{" "}
            <a href={href} target="_blank" rel="noopener noreferrer">
              {visible(href)}
            </a>
          </p>
        ) : null}
        {state === "done" ? <pre class="text good">✓ {visible(text)}</pre> : null}
        {state === "failed" ? <p class="wrong">✗ {visible(text)}</p> : null}
      </div>
    </section>
  );
}

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
      </div>
      {targets.get(target)?.hasLogin === true ? <Account target={target} /> : null}
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
