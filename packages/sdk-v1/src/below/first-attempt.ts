/** The handshake of an official `Client` with a server that may refuse it, because it speaks only revisions without one. */
import { StreamableHTTPError } from "mcp-sdk-v1/client/streamableHttp.js";
import type { Transport } from "mcp-sdk-v1/shared/transport.js";
import { ErrorCode, McpError } from "mcp-sdk-v1/types.js";
import { isSupportedVersion } from "tenon/internal/embedding";

type Callbacks = Pick<Transport, "onclose" | "onerror" | "onmessage">;

const NAMES = ["onclose", "onerror", "onmessage"] as const;

export function callbacksOf(transport: Transport): Callbacks {
  const { onclose, onerror, onmessage } = transport;
  return { ...(onclose && { onclose }), ...(onerror && { onerror }), ...(onmessage && { onmessage }) };
}

/** Sets those callbacks, and no others. */
export function setCallbacks(transport: Transport, callbacks: Callbacks): void {
  for (const name of NAMES) delete transport[name];
  Object.assign(transport, callbacks);
}

/**
 * Connects by the handshake. If that fails, the transport is as before, and `onclose` of the client is not called: another attempt may follow.
 * @param ended what an official client does when its connection has ended
 * @returns why it failed; undefined if the client is connected
 */
export async function tryHandshake(
  client: { onclose?: (() => void) | undefined },
  transport: Transport,
  { connect, ended }: { connect: () => Promise<void>; ended: () => void },
): Promise<Error | undefined> {
  const { onclose } = client;
  const owners = callbacksOf(transport);
  client.onclose = undefined;
  try {
    await connect();
    return undefined;
  } catch (error) {
    ended();
    setCallbacks(transport, owners);
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    client.onclose = onclose;
  }
}

/** Errors of this side, which say nothing of the server's revisions. */
const OWN = new Set<number>([ErrorCode.RequestTimeout, ErrorCode.ConnectionClosed]);
/** What the official client throws if a server agrees on a revision that it does not speak. */
const UNSUPPORTED = /^Server's protocol version is not supported: (.*)$/;
const UNAUTHORIZED = new Set<number | undefined>([401, 403]);

/** Whether a server may refuse the handshake itself, by the error of an attempt. */
export function refusesHandshake(error: unknown): boolean {
  if (error instanceof McpError) return !OWN.has(error.code);
  if (error instanceof StreamableHTTPError) return isClientError(error.code) && !UNAUTHORIZED.has(error.code);
  const agreed = error instanceof Error ? UNSUPPORTED.exec(error.message)?.[1] : undefined;
  return agreed !== undefined && isSupportedVersion(agreed); // the official client supports all that have a handshake
}

const isClientError = (status: number | undefined): boolean => status !== undefined && status >= 400 && status < 500;
