/** What can be connected to, and how a dispatcher to it is opened. */
import type { AuthProvider } from "../auth/login/authorizer.ts";
import { McpUsageError } from "../jsonrpc/mcp-error.ts";
import { isAcceptor, type Acceptor } from "../dispatch/acceptor.ts";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { JsonRpcDispatcherOptions } from "../dispatch/json-rpc-dispatcher.ts";
import { isSessionSource, toDispatcher, type SessionSource } from "../session/session-source.ts";
import type { HttpServerParameters } from "./http/options.ts";
import type { Opener, OpenOptions } from "./route.ts";
import type { ProgramParameters } from "./program/open.ts";

/**
 * A server at a URL, in this process, or to be started as a program; an open transport, a pair of streams, or a dispatcher
 * that is not running yet.
 */
export type Target = string | URL | HttpServerParameters | Acceptor | ProgramParameters | SessionSource;

/** @throws TypeError for something that is no target, or has no use for `auth` */
export async function openerFor(target: Target, auth?: AuthProvider): Promise<Opener> {
  if (typeof target === "string" || target instanceof URL) return openHttp({ url: target, ...(auth && { auth }) });
  if (typeof target === "object" && target !== null && "url" in target && !isAcceptor(target)) {
    return openHttp(auth === undefined || target.auth !== undefined ? target : { ...target, auth });
  }
  if (auth !== undefined) throw new TypeError('Option "auth" is for servers at a URL');
  if (isAcceptor(target)) return { skipsProbe: false, open: (options) => openDirect(target, options) };
  if (typeof target === "object" && target !== null) {
    if ("command" in target) return openProgram(target);
    if (isSessionSource(target)) return once((options) => toDispatcher(target, options));
  }
  throw new TypeError('Cannot connect to this: pass a URL, a server, { command: "…", args: […] }, a Transport or a Dispatcher');
}

/** What HTTP needs is loaded when somebody connects to a URL. */
async function openHttp(server: HttpServerParameters): Promise<Opener> {
  const { httpOpener } = await import("./http/open.ts");
  return httpOpener(server);
}

/** What programs need is loaded when somebody starts one. */
async function openProgram(program: ProgramParameters): Promise<Opener> {
  const { programOpener } = await import("./program/open.ts");
  return programOpener(program);
}

/** What it takes is loaded with the first. */
async function openDirect(server: Acceptor, options: OpenOptions): Promise<Dispatcher> {
  const { createDirectPair } = await import("../dispatch/direct-dispatcher.ts");
  const [end, serverEnd] = createDirectPair(options);
  const client = options.raiseExceptions ? (await import("./raise-exceptions.ts")).raising(end, serverEnd) : end;
  server.accept(serverEnd).catch((error: unknown) => end.close(error));
  return client;
}

/** A target that is a connection already. */
function once(make: (options: JsonRpcDispatcherOptions) => Dispatcher): Opener {
  let used = false;
  return {
    skipsProbe: false,
    open(options): Promise<Dispatcher> {
      if (used) return Promise.reject(new McpUsageError("This connection is in use already"));
      used = true;
      return Promise.resolve(make(options));
    },
  };
}
