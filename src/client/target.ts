/** What can be connected to, and how a dispatcher to it is opened. */
import { McpUsageError } from "../jsonrpc/mcp-error.ts";
import { isAcceptor, type Acceptor } from "../dispatch/acceptor.ts";
import { createDirectPair } from "../dispatch/direct-dispatcher.ts";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import { JsonRpcDispatcher, type JsonRpcDispatcherOptions } from "../dispatch/json-rpc-dispatcher.ts";
import type { StdioServerParameters } from "../transport/stdio-server-parameters.ts";
import type { Transport } from "../transport/transport.ts";

/** A server in this process, a program to start, an open transport, or a dispatcher that is not running yet. */
export type Target = Acceptor | StdioServerParameters | Transport | Dispatcher;

/** Opens connections to one target. */
export interface Opener {
  /** Whether another connection can be opened when one was lost. */
  readonly reopens: boolean;
  open(options: JsonRpcDispatcherOptions, signal?: AbortSignal): Promise<Dispatcher>;
}

/** @throws TypeError for something that is no target */
export function openerFor(target: Target): Opener {
  if (isAcceptor(target)) return { reopens: false, open: (options) => Promise.resolve(openDirect(target, options)) };
  if (typeof target === "object" && target !== null) {
    if ("command" in target) return { reopens: true, open: (options, signal) => openChild(target, options, signal) };
    if ("receive" in target) return once((options) => new JsonRpcDispatcher(target, options));
    if ("run" in target) return once(() => target);
  }
  throw new TypeError('Cannot connect to this: pass a server, { command: "…", args: […] }, a Transport or a Dispatcher');
}

function openDirect(server: Acceptor, options: JsonRpcDispatcherOptions): Dispatcher {
  const [client, serverEnd] = createDirectPair(options);
  server.accept(serverEnd).catch((error: unknown) => client.close(error));
  return client;
}

async function openChild(parameters: StdioServerParameters, options: JsonRpcDispatcherOptions, signal: AbortSignal | undefined): Promise<Dispatcher> {
  const { spawnServer } = await import("#child-process");
  return new JsonRpcDispatcher(await spawnServer(parameters, { ...(signal && { signal }) }), options);
}

/** A target that is a connection already. */
function once(make: (options: JsonRpcDispatcherOptions) => Dispatcher): Opener {
  let used = false;
  return {
    reopens: false,
    open(options): Promise<Dispatcher> {
      if (used) return Promise.reject(new McpUsageError("This connection is in use already"));
      used = true;
      return Promise.resolve(make(options));
    },
  };
}
