/** What a server says to somebody it does not know: whether it wants to know them, and what it says of that. */
import type { AuthProvider, ChallengeResponse } from "../../auth/login/authorizer.ts";
import type { Client } from "../../client/client.ts";
import { connect } from "../../client/connect.ts";
import type { ConnectOptions } from "../../client/options.ts";
import { headersOf, revisionOf, type Invocation } from "../invocation.ts";
import { clientInfo } from "../version.ts";

export interface FirstResponse {
  /** The first response that asked for authorization, else the first of all; undefined where none came. */
  readonly response: ChallengeResponse | undefined;
  /** Why no conversation came about; undefined where the server talks to everybody. */
  readonly error: unknown;
}

interface FirstRequest {
  /** Milliseconds for each response, and for all of it. */
  readonly timeout: number;
  /** Gets the connection, if the server opens one without credentials. */
  readonly use?: (client: Client) => void;
}

/** Connects without credentials, as a client would. */
export async function connectWithoutCredentials(
  server: URL,
  invocation: Pick<Invocation, "values" | "signal">,
  { timeout, use }: FirstRequest,
): Promise<FirstResponse> {
  const witness = new Witness();
  try {
    const target = { url: server.href, headers: headersWithoutCredentials(invocation) };
    const client = await connect(target, optionsFor(invocation, timeout, witness));
    try {
      use?.(client);
    } finally {
      await client.close();
    }
    return { response: witness.response, error: undefined };
  } catch (error) {
    invocation.signal.throwIfAborted();
    return { response: witness.response, error };
  }
}

function headersWithoutCredentials({ values }: Pick<Invocation, "values">): { [name: string]: string } {
  return Object.fromEntries(Object.entries(headersOf(values)).filter(([name]) => name.toLowerCase() !== "authorization"));
}

function optionsFor({ values, signal }: Pick<Invocation, "values" | "signal">, timeout: number, auth: AuthProvider): ConnectOptions {
  const revision = revisionOf(values);
  return {
    auth,
    timeout,
    clientInfo: clientInfo(),
    ...(revision && { revision }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
  };
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
