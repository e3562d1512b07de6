/**
 * What can serve a connection: the interface between an edge, which opens connections, and a server.
 *
 * A gateway is an acceptor, and an `McpServer` has one. An edge needs to know no more of either.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { HeaderNames } from "../protocol/methods.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { SharedStores } from "../storage/shared-stores.ts";
import type { Requirements } from "../transport/transport-context.ts";
import type { Dispatcher } from "./dispatcher.ts";

/** The request of a browser for a page. */
export interface PageRequest {
  /** `GET`, `POST` or any other. */
  readonly method: string;
  /** Path and query, or an absolute URL. */
  readonly url: string;
  /** The value of a header by its lower-case name. */
  header(name: string): string | undefined;
  /** Reads the body. */
  text(): MaybePromise<string>;
}

/** Pages for browsers that an endpoint serves beside the protocol. They do not pass the option `auth`, and check their users themselves. */
export interface Pages {
  /** Whether a path, without its query, belongs to them. */
  isAt(path: string): boolean;
  /** Responds to a browser: the status, names and values of headers in turn, and the body. Never rejects. */
  respond(request: PageRequest): Promise<{ readonly status: number; readonly headers: readonly string[]; readonly body?: string }>;
}

/** What serves connections: the part of an `McpServer` that edges use, a gateway, or your own implementation. */
export interface Acceptor {
  /**
   * Serves one connection until it ends, and resolves then. Called once for each connection, many at the same time. Rejects if it
   * cannot serve the connection at all, before anything was read.
   */
  accept(dispatcher: Dispatcher): Promise<void>;
  /**
   * Begins to serve before there is a connection: opens what all connections share, and starts work in the background. An edge that
   * waits for connections calls it, as `serveHttp` does; otherwise the first connection does. Idempotent. Rejects as `accept` does.
   */
  begin?(): Promise<void>;
  /** Ends all connections and frees what they share. An edge calls it only if the process ends with its connection. */
  close?(): Promise<void>;
  /** What an HTTP endpoint must know of requests before it accepts them. Default: nothing. */
  readonly http?: HttpRules | undefined;
  /** @internal How several processes serve the same clients. Default: each serves its own. */
  readonly shared?: SharedServing | undefined;
}

/** What a server says of its requests to an HTTP endpoint. */
export interface HttpRules {
  /** The param that HTTP repeats in `Mcp-Name`, for methods that are not in the method table. Default: none. */
  readonly headerNames?: HeaderNames | undefined;
  /**
   * The requirements that a request must meet before any of it runs; the endpoint refuses a request that does not. Params are
   * unchecked. Default: no requirements.
   */
  requirementsOf?(method: string, params: JsonObject): Requirements | undefined;
  /** Whether requests that deviate from the protocol are refused (docs/project/deviations.md). Default false. */
  readonly strict?: boolean | undefined;
  /** @internal Pages for browsers, such as the pages of a login. Default: none. */
  readonly pages?: Pages | undefined;
}

/** How a server serves clients together with other processes. */
export interface SharedServing {
  /** Takes the stores that all processes share. @throws McpUsageError if other processes could not continue its calls */
  useStores(stores: SharedStores): void;
  /**
   * Ends what it exchanges with other processes over these stores, for good: an endpoint calls it when it drains or closes. What runs for
   * other processes gets `ms` milliseconds to end. Idempotent; only the first call counts.
   */
  leaveStores?(ms: number): Promise<void>;
  /** Whether a client may send a request again without harm. Default: not. */
  isRepeatable?(method: string, params: JsonObject): boolean;
  /** Publishes changes of lists and resources to all processes, and no longer to clients itself; undefined: to clients again. */
  shareChanges?(relay: ChangeRelay | undefined): void;
  /** Tells clients of a change, as a relay has published it: all clients, or the client of one connection. */
  deliverChange?(change: SharedChange, only?: Dispatcher): void;
}

/**
 * A change of a list, or of the content of a resource, as processes tell each other. `everything`: changes were lost, so every list and
 * every resource may have changed.
 */
export type SharedChange =
  | { readonly kind: "everything" }
  | { readonly kind: "tools" | "prompts" | "resources" }
  | { readonly kind: "resource"; readonly uri: string };

/** A change that a client has missed, with the cursor after it. */
export interface MissedChange {
  readonly change: SharedChange;
  readonly cursor: string;
}

/** Where a server publishes its changes if several processes serve the same clients. */
export interface ChangeRelay {
  /** Resolves when the changes are kept: each comes back to all servers once, this one included. Rejects if they never will be. */
  publish(changes: readonly SharedChange[]): Promise<void>;
  /** Names the last change that came back to this process. While a change is delivered, that change. */
  readonly cursor: string;
  /**
   * Calls `begin` once with the changes after a cursor, each only with its last number, in a turn in which no later change was delivered
   * yet. Undefined: they are not known, so the client must read everything again.
   */
  resume(cursor: string, begin: (missed: readonly MissedChange[] | undefined) => void): Promise<void>;
}

/**
 * Where an object keeps what serves it: a symbol, so that an editor does not offer it beside what users call. The same in each copy of this
 * package.
 */
export const SERVED: unique symbol = Symbol.for("tenon.served");

/** An object that is served by what it keeps under {@link SERVED}, such as an `McpServer`. */
export interface ServedObject {
  /** What serves its connections. */
  readonly [SERVED]: Acceptor;
}

/** What `serveStdio`, `serveHttp`, `createFetchHandler` and `connect` take: an `McpServer`, a gateway, or your own `Acceptor`. */
export type Servable = Acceptor | ServedObject;

export function isServable(value: unknown): value is Servable {
  if (typeof value !== "object" || value === null) return false;
  return SERVED in value || ("accept" in value && typeof value.accept === "function");
}

/**
 * What serves the connections of a server. Transports of your own call its `accept(dispatcher)`; `serveStdio`, `serveHttp` and
 * `connect(server)` do so for you.
 * @throws TypeError if the value cannot be served
 * @example
 * ```ts
 * import { acceptorOf, createMemoryPair, JsonRpcDispatcher } from "tenon";
 * import { connect } from "tenon/client";
 * import { McpServer } from "tenon/server";
 *
 * const server = new McpServer({ name: "sums", version: "1.0.0" });
 * server.tool("hello", {}, () => "Hello");
 * const [near, far] = createMemoryPair(); // or a Transport of your own
 * void acceptorOf(server).accept(new JsonRpcDispatcher(far));
 * await using client = await connect(near);
 * console.log((await client.callTool("hello")).text); // Hello
 * ```
 */
export function acceptorOf(server: Servable): Acceptor {
  if (!isServable(server)) throw new TypeError("This is no server: pass an McpServer, a gateway, or an object with accept()");
  return SERVED in server ? server[SERVED] : server;
}
