/** What a client can connect to, and the route to each kind of target. */
import type { AuthProvider } from "../auth/login/authorizer.ts";
import { McpUsageError } from "../jsonrpc/mcp-error.ts";
import { acceptorOf, isServable, type Acceptor, type Servable } from "../dispatch/acceptor.ts";
import { createDirectPair } from "../dispatch/direct-dispatcher.ts";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import { isSessionSource, toDispatcher, type SessionSource } from "../session/session-source.ts";
import type { HttpServerParameters } from "./http/options.ts";
import type { Route } from "./route.ts";
import type { ProgramParameters } from "./program/open.ts";

/**
 * What `connect()` takes: a URL, a server in this process, a program to start, an open transport, a pair of streams, or a
 * dispatcher that does not run yet.
 */
export type Target = string | URL | HttpServerParameters | Servable | ProgramParameters | SessionSource;

/** @throws TypeError if `target` is not a target, or if `auth` is given for a target without a URL */
export async function routeTo(target: Target, auth?: AuthProvider): Promise<Route> {
  if (typeof target === "string") assertUrl(target);
  if (typeof target === "string" || target instanceof URL) return httpRoute({ url: target, ...(auth && { auth }) });
  if (typeof target === "object" && target !== null && "url" in target && !isServable(target)) {
    return httpRoute(auth === undefined || target.auth !== undefined ? target : { ...target, auth });
  }
  if (auth !== undefined) throw new TypeError('Option "auth" is for servers at a URL');
  if (isServable(target)) return directRoute(acceptorOf(target));
  if (typeof target === "object" && target !== null) {
    if ("command" in target) return programRoute(target);
    if (isSessionSource(target)) return singleUseRoute(target);
  }
  throw notATarget(target);
}

/** The error for a program without types, most often with a variable that is not set, or an entry of a file that is empty. */
function notATarget(target: unknown): TypeError {
  const isObject = typeof target === "object" && target !== null;
  const what = isObject ? "an object without url and command" : typeof target === "function" ? "a function" : String(target);
  const program = '{ command: "npx", args: ["tenon", "run", "server.ts"] }';
  return new TypeError(`Cannot connect to ${what}: pass a URL ("https://example.com/mcp"), a program (${program}), or an McpServer`);
}

/** Refuses a text that is not a URL: most often it is the name of a file. @throws TypeError */
function assertUrl(target: string): void {
  if (URL.canParse(target)) return;
  const program = '{ command: "npx", args: ["tenon", "run", "server.ts"] }';
  throw new TypeError(`A text must be an absolute http: or https: URL. To start a program, pass ${program}`);
}

/** The HTTP client is loaded with the first connection to a URL. */
async function httpRoute(server: HttpServerParameters): Promise<Route> {
  const { routeToUrl } = await import("./http/open.ts");
  return routeToUrl(server);
}

/** The code for child processes is loaded with the first program. */
async function programRoute(program: ProgramParameters): Promise<Route> {
  const { routeToProgram } = await import("./program/open.ts");
  return routeToProgram(program);
}

function directRoute(server: Acceptor): Route {
  return {
    skipsProbe: false,
    async open(options): Promise<Dispatcher> {
      const [end, serverEnd] = createDirectPair(options);
      const client = options.raiseExceptions ? await raising(end, serverEnd) : end;
      server.accept(serverEnd).catch((error: unknown) => end.close(error));
      return client;
    },
  };
}

/** What throws the errors of handlers is loaded with the first test that wants them. */
async function raising(client: Dispatcher, server: Dispatcher): Promise<Dispatcher> {
  const { raiseHandlerErrors } = await import("./raise-exceptions.ts");
  return raiseHandlerErrors(client, server);
}

/** The route over an existing connection, which can be used once. */
function singleUseRoute(source: SessionSource): Route {
  let used = false;
  return {
    skipsProbe: false,
    async open(options): Promise<Dispatcher> {
      if (used) throw new McpUsageError("This connection is in use already");
      used = true;
      return toDispatcher(source, options);
    },
  };
}
