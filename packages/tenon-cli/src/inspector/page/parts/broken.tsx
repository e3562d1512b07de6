/** A server that is not connected: what is wrong, what to do about it, and the one button that helps. It stands in every view. */
import { signal, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import type { ConnectionFailure } from "../../entries.ts";
import { perform } from "../data/api.ts";
import { visible } from "../data/json.ts";
import { go } from "../data/route.ts";
import { connections, logins, notes, targets, version } from "../data/store.ts";
import { LoginStatus } from "./login-status.tsx";

/** The server that the view Access examines when it opens. */
export const examineNow: Signal<number | undefined> = signal(undefined);

/** Whether a server has no connection and does not get one just now. */
export function isBroken(target: number): boolean {
  void version.servers.value;
  const { state } = connections.get(target) ?? {};
  return state === "failed" || state === "closed";
}

/** Whether what is wrong is that nobody has logged in: then the button to log in stands with it. */
export function asksForLogin(target: number): boolean {
  return isBroken(target) && connections.get(target)?.failure?.action === "login";
}

export function Broken({ target }: { target: number }): VNode | null {
  if (!isBroken(target)) return null;
  const { state, failure, revision } = connections.get(target) ?? {};
  const address = targets.get(target)?.address;
  return (
    <section class="broken" role="alert" aria-label="What is wrong">
      <span class="sign" aria-hidden="true">
        ✗
      </span>
      <div>
        <h2>{state === "closed" ? "The connection has ended" : "There is no connection"}</h2>
        {address === undefined ? null : <code>{visible(address)}</code>}
        {failure === undefined ? null : (
          <p class="problem">
            {typeof failure.code === "number" && failure.remedy === undefined ? <code>{failure.code}</code> : null}{" "}
            {visible(failure.message)}
          </p>
        )}
        <p>
          {visible(failure?.remedy ?? (state === "closed" ? "See its stderr and its logs in Activity." : "See its messages on the wire."))}
        </p>
        <Stderr target={target} />
        <Helps target={target} failure={failure} revision={revision} />
        <LoginStatus target={target} />
      </div>
    </section>
  );
}

/** Lines of its stderr that are shown; Activity has all. */
const LAST = 8;

/** What a program wrote before it ended: the reason is often there and nowhere else. */
function Stderr({ target }: { target: number }): VNode | null {
  void version.notes.value;
  const output = notes.filter((note) => note.kind === "stderr" && note.target === target);
  const lines = once(output.map((line) => (line.kind === "gap" ? "" : visible(line.text)))).slice(-LAST);
  if (lines.length === 0) return null;
  return <pre aria-label="The end of its stderr">{lines.join("\n")}</pre>;
}

/** A program that ends at once is started for each family of revisions, and says the same both times. */
function once(lines: readonly string[]): readonly string[] {
  const half = lines.slice(lines.length / 2);
  return lines.length % 2 === 0 && half.every((line, at) => line === lines[at]) ? half : lines;
}

interface HelpProps {
  readonly target: number;
  readonly failure: ConnectionFailure | undefined;
  readonly revision: string | undefined;
}

function Helps({ target, failure, revision }: HelpProps): VNode {
  const hasLogin = targets.get(target)?.hasLogin === true;
  const { state } = logins.get(target) ?? {};
  if (failure?.action === "login" && hasLogin) {
    const isBusy = state === "asking" || state === "waiting";
    return (
      <button
        type="button"
        class="primary"
        onClick={() => void perform(isBusy ? "cancel" : "login", { target }).catch(() => undefined)} // its entry says what became of it
      >
        {isBusy ? "Cancel the login" : "Log in"}
      </button>
    );
  }
  if (failure?.action === "login" || failure?.action === "examine") {
    const examine = (): void => {
      examineNow.value = target;
      go({ view: "access", target });
    };
    return (
      <button type="button" class="primary" onClick={examine}>
        Examine
      </button>
    );
  }
  return (
    <button type="button" class="primary" onClick={() => void perform("speak", { target, ...(revision && { revision }) })}>
      Connect again
    </button>
  );
}
