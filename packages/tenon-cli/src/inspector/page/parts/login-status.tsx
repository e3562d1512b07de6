/** What becomes of a login. The page of the authorization server opens by a click of the user, who sees its whole address. */
import type { VNode } from "preact";
import { visible } from "../data/json.ts";
import { logins, version } from "../data/store.ts";
import { safeAddress } from "./address.tsx";

export function LoginStatus({ target }: { target: number }): VNode {
  void version.servers.value;
  const { state, page, text } = logins.get(target) ?? {};
  const href = page === undefined ? undefined : safeAddress(page);
  return (
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
  );
}
