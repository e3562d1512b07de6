/** Gets the response of a server to a client without credentials: whether it requires a login, and its challenge. */
import type { AuthProvider, ChallengeResponse } from "tenon/auth";
import { type Client, type ConnectOptions, connect } from "tenon/client";
import { headersOf, revisionOf, type Invocation } from "../invocation.ts";
import { clientInfo } from "../version.ts";

export interface FirstResponse {
  /** The first response with a challenge, or else the first response; undefined if none came. */
  readonly response: ChallengeResponse | undefined;
  /** Why connecting failed; undefined if the server needs no login. */
  readonly error: unknown;
}

interface FirstRequest {
  /** Milliseconds for each response, and for connecting as a whole. */
  readonly timeout: number;
  /** Called with the client, if connecting works without credentials. */
  readonly use?: (client: Client) => void;
}

/** Connects without credentials, and records the first response. */
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

/** Whether a response asks for authorization. */
export function isChallenge(response: ChallengeResponse | undefined): response is ChallengeResponse & { readonly status: 401 } {
  return response?.status === 401;
}

/** Adds no headers, and records responses. */
class Witness implements AuthProvider {
  response: ChallengeResponse | undefined;

  authorizerFor(): ReturnType<AuthProvider["authorizerFor"]> {
    return {
      sign: () => ({}),
      settle: ({ status, headers }) => {
        // The headers are read now, because their object may be reused.
        const challenge = headers.get("www-authenticate");
        const answer = { status, headers: { get: (name: string) => (name.toLowerCase() === "www-authenticate" ? challenge : null) } };
        if (this.response === undefined || (isChallenge(answer) && !isChallenge(this.response))) this.response = answer;
        return false;
      },
    };
  }
}
