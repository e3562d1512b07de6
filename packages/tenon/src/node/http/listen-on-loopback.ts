/** Serves a function over HTTP to this machine only: pages of questions, and the test authorization server. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import type { HttpRequest, HttpResponse } from "../../server/http/http-message.ts";
import type { Outlet } from "./backlog.ts";
import { closeListener, serverOptions } from "./http-server.ts";
import { listen } from "./listen.ts";
import { NodeRequest } from "./http-request.ts";
import { writeResponse } from "./http-response.ts";
import { writeReply } from "./serve-request.ts";

export interface LoopbackListener {
  readonly port: number;
  /** Lets the process end while it listens. */
  unref(): void;
  /** Ends every connection. Idempotent. */
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 262_144;
/** Responses are not limited, because they are small and stay on this machine. */
const UNBOUNDED: Outlet = {
  settings: { limits: { maxStalled: Infinity, maxUnsent: Infinity, maxBuffered: Infinity } },
  hold: () => () => undefined,
};

/**
 * Listens on an address of this machine, and calls `answer` with each request after its body was read.
 *
 * @param answer makes the response; if it rejects, the connection is cut
 * @throws Node's error if it cannot listen
 */
export async function listenOnLoopback(
  answer: Answer,
  { port, host }: { port: number; host: "127.0.0.1" | "::1" },
): Promise<LoopbackListener> {
  const listener = createServer(serverOptions(), (request, response) => void serve(answer, request, response));
  await listen(listener, port, host);
  const address = listener.address() as AddressInfo; // the server listens on a port
  let closed: Promise<void> | undefined;
  return { port: address.port, unref: () => void listener.unref(), close: () => (closed ??= closeListener(listener)) };
}

type Answer = (request: HttpRequest) => Promise<HttpResponse>;

async function serve(answer: Answer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const exchange = new NodeRequest(request, response, { body: { maxBytes: MAX_BODY_BYTES } });
  const { method, url } = exchange;
  try {
    const text = await exchange.text();
    const known = await answer({ method, url, header: (name) => exchange.header(name), text: () => text });
    writeReply(UNBOUNDED, response, known);
  } catch (error) {
    if (error instanceof LimitExceededError) writeResponse(UNBOUNDED, response, { status: 413, headers: ["Connection", "close"] });
    else response.destroy(error instanceof Error ? error : undefined);
  }
}
