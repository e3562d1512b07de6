/** The way to a server, step by step: where it breaks, and what to do about it. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { perform } from "../data/api.ts";
import { visible } from "../data/json.ts";
import { logins, targets, version } from "../data/store.ts";
import { asksForLogin, examineNow } from "../parts/broken.tsx";
import { Empty } from "../parts/empty.tsx";
import { LoginStatus } from "../parts/login-status.tsx";

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
  const { state } = logins.get(target) ?? {};
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
      <LoginStatus target={target} />
    </section>
  );
}

export function Access({ target }: { target: number }): VNode {
  const [hops, setHops] = useState<readonly Hop[]>();
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  const url = targets.get(target)?.url;
  useEffect(() => {
    if (examineNow.value !== target) return;
    examineNow.value = undefined;
    void run();
  }, []);
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
  if (url === undefined)
    return (
      <Empty title="No login here">
        This server runs on this machine, as a program of yours. For a server at a URL this view goes the way to it step by step: the
        network, the login, the token, the first call. Try it with <code>tenon inspect https://…</code>
      </Empty>
    );
  return (
    <div class="page">
      <h2>Access</h2>
      <p class="about">Each step from the first response of the server to an accepted request. Tokens are never shown.</p>
      <div class="actions">
        <button type="button" class="primary" disabled={isBusy} onClick={() => void run()}>
          {hops === undefined ? "Examine" : "Examine again"}
        </button>
      </div>
      {targets.get(target)?.hasLogin === true && !asksForLogin(target) ? <Account target={target} /> : null}
      {problem === "" ? null : <p class="wrong">✗ {problem}</p>}
      {hops !== undefined || problem !== "" ? null : (
        <Empty title="Nothing is examined yet">
          Examine asks the server, reads what it publishes about its login, and says at which step it fails and what to do about it.
        </Empty>
      )}
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
