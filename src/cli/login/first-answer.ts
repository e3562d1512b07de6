/** What a server says to somebody it does not know: whether it wants to know them, and what it says of that. */
import type { AuthProvider, ChallengeResponse } from "../../auth/login/authorizer.ts";
import type { Client } from "../../client/client.ts";
import { connect } from "../../client/connect.ts";
import type { ConnectOptions } from "../../client/options.ts";
import { headersOf, revisionOf, type Invocation } from "../invocation.ts";
import { packageVersion } from "../version.ts";

export interface FirstAnswer {
  /** The first response that asked for authorization, else the first of all; undefined where none came. */
  readonly response: ChallengeResponse | undefined;
  /** Why no conversation came about; undefined where the server talks to everybody. */
  readonly error: unknown;
}

/** Asks without credentials, as a client would, and lets `use` have the connection where that is enough. */
export async function askUnknown(
  server: URL,
  { values, signal }: Pick<Invocation, "values" | "signal">,
  timeout: number,
  use: (client: Client) => Promise<void> = () => Promise.resolve(),
): Promise<FirstAnswer> {
  const revision = revisionOf(values);
  const headers = Object.entries(headersOf(values)).filter(([name]) => name.toLowerCase() !== "authorization");
  const witness = new Witness();
  const options: ConnectOptions = {
    auth: witness,
    timeout,
    clientInfo: { name: "tenon-cli", version: packageVersion() },
    ...(revision && { revision }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
  };
  try {
    const client = await connect({ url: server.href, headers: Object.fromEntries(headers) }, options);
    try {
      await use(client);
    } finally {
      await client.close();
    }
    return { response: witness.response, error: undefined };
  } catch (error) {
    signal.throwIfAborted();
    return { response: witness.response, error };
  }
}

/** Whether the server asked for authorization. */
export function isChallenge(response: ChallengeResponse | undefined): response is ChallengeResponse & { readonly status: 401 } {
  return response?.status === 401;
}

/** Sends nothing, and remembers what came back. */
class Witness implements AuthProvider {
  response: ChallengeResponse | undefined;

  authorizerFor(): ReturnType<AuthProvider["authorizerFor"]> {
    return {
      sign: () => ({}),
      settle: ({ status, headers }) => {
        // Its headers are read now: what holds them may be used again.
        const challenge = headers.get("www-authenticate");
        const seen = { status, headers: { get: (name: string) => (name.toLowerCase() === "www-authenticate" ? challenge : null) } };
        if (this.response === undefined || (isChallenge(seen) && !isChallenge(this.response))) this.response = seen;
        return false;
      },
    };
  }
}
