/** `socketFetch()`: a `fetch` for clients on Node that sends every request to one Unix socket. */
import type { Dispatcher } from "undici";
import { remembering } from "../../base/bounds/remembering.ts";
import type { Fetch } from "../../client/http/fetch.ts";
import { socketPathOf } from "../socket-path.ts";
import { CONNECT_TIMEOUT, dispatch, loadNodeFetch } from "./node-fetch.ts";

/** A request did not reach its socket: nothing was sent. `cause` is Node's error. */
class UnixSocketError extends Error {
  override name = "UnixSocketError";
  readonly code = "ERR_UNIX_SOCKET";
}

/** What Node reports if it cannot connect. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "which does not exist: is the server running, and is the path right?",
  ECONNREFUSED: "where no server listens: start it again",
  EACCES: "which this user may not open: the option socketMode of its server says who may",
};

/**
 * A `fetch` that sends requests to a Unix socket, or to a named pipe of Windows: `connect({ url: "http://localhost/mcp", fetch: socketFetch("/run/app/mcp.sock") })`.
 * The URL says the path and the header `Host`; its host is not looked up. A connection must open within 10 000 milliseconds. Rejects with
 * an error that names the socket if it cannot connect, else with undici's errors.
 *
 * Security: requests with `Host`, headers and logins of any URL go to the program that listens there.
 * @param path of the socket: at most 107 bytes on Linux and 103 elsewhere. A relative one begins at the working directory of this moment
 * @throws TypeError if it is not a path; RangeError if it is too long
 * @example
 * ```ts
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { connect } from "tenon/client";
 * import { McpServer } from "tenon/server";
 * import { serveHttp, socketFetch } from "tenon/node";
 *
 * const socket = join(tmpdir(), `sums-${process.pid}.sock`);
 * const server = new McpServer({ name: "sums", version: "1.0.0" });
 * server.tool("hello", {}, () => "Hello");
 * const endpoint = await serveHttp(server, { socket });
 * const client = await connect({ url: endpoint.url, fetch: socketFetch(socket) });
 * console.log((await client.callTool("hello")).text); // Hello
 * await client.close();
 * await endpoint.close();
 * ```
 */
export function socketFetch(path: string): Fetch {
  return fetchOf(socketPathOf("The argument of socketFetch()", path));
}

/** One for each path, so that clients of one server share connections, and what they remember of it. */
const fetchOf = /* @__PURE__ */ remembering((path: string): Fetch => {
  let agent: Promise<Dispatcher> | undefined;
  return async (url, init) => {
    const [{ Response }, socketAgent] = await Promise.all([loadNodeFetch(), (agent ??= agentFor(path))]);
    try {
      return await dispatch({ agent: socketAgent, Response }, url, init);
    } catch (cause) {
      init.signal.throwIfAborted();
      throw explained(cause, path);
    }
  };
});

async function agentFor(socketPath: string): Promise<Dispatcher> {
  const { default: Agent } = await import("undici/lib/dispatcher/agent.js");
  return new Agent({ connect: { socketPath, timeout: CONNECT_TIMEOUT }, headersTimeout: 0, bodyTimeout: 0 });
}

/** Only a connection that was never made names the socket: after that, something may have been sent. */
function explained(cause: unknown, path: string): unknown {
  const { code, syscall } = cause as NodeJS.ErrnoException; // what undici rejects with
  if (syscall !== "connect") return cause;
  const reason = Object.hasOwn(REASONS, code ?? "") ? `, ${REASONS[code!]}` : "";
  return new UnixSocketError(`it was asked through the socket ${path}${reason} (${code})`, { cause });
}
