/** What a server is told when it is made. */
import type { OptionKeys } from "../base/known-options.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { ServerCapabilities } from "../protocol/capabilities.ts";
import type { JsonSchemaValidator } from "../schema/json-schema-validator.ts";
import type { Clock } from "../base/clock.ts";
import { REQUEST_STATE_OPTIONS, type RequestStateOptions } from "../session/asking/options.ts";
import type { Extension } from "../session/extension.ts";
import type { NoTools } from "../session/typed-tools.ts";
import type { OnError } from "./failures.ts";
import type { MethodScopes } from "./features.ts";
import type { ToolSet } from "./tool.ts";

/** Options of {@link McpServer}. What a connection may take and how long a handler may run are options of what serves it. */
export interface McpServerOptions<Lifespan = undefined, Offered extends ToolSet<Lifespan> = NoTools> {
  /** How to use this server, for the model. Default: nothing is said. */
  instructions?: string;
  /** Tools by their names, made with `tool()`, whose types callers can know: see docs/clients/typed-calls.md. Others: `server.tool()`. */
  tools?: Offered;
  /**
   * Opens what all requests share (a database, a browser) when the server first serves; handlers see it as
   * `ctx.lifespan`. Disposed of by `close()` where it has `Symbol.asyncDispose` or `Symbol.dispose`.
   */
  lifespan?: () => MaybePromise<Lifespan>;
  /** Most items on a page of a list, at least 1 (RangeError). Default: no limit, one page. */
  pageSize?: number;
  /**
   * Most blocks in the `content` of one tool's result, at least 1 (RangeError). A call with more fails with -32603 before the blocks
   * are looked at, so that other requests need not wait. Default 10 000.
   */
  maxContentBlocks?: number;
  /** Whether `ctx.log` reaches clients: declares `logging`. Default true. */
  logging?: boolean;
  /** Capabilities beyond those derived from what is registered, such as `experimental` and `extensions`. Default: none. */
  capabilities?: ServerCapabilities;
  /** Scopes that the client's token must have for a method, such as `{ "tools/list": ["catalog"] }`. Default: none. */
  scopes?: MethodScopes;
  /** What is served beyond the core of the protocol, such as `tasks()` of `tenon/ext/tasks`. Default: nothing. */
  extensions?: readonly Extension[];
  /**
   * What travels with the client between the rounds of a call that asks it: how it is sealed, and for how long it is good. Default:
   * with a key of this process, for ten minutes.
   */
  requestState?: RequestStateOptions;
  /** Told of every failure that clients do not see in full. Default: written to the console's error output. */
  onError?: OnError;
  /** What runs plain JSON Schemas. Default: Tenon's own choice for the runtime. */
  validator?: JsonSchemaValidator;
  /** What the times of questions, tasks and changes go by. Default: the system's; tests give one that stands still. */
  clock?: Clock;
}

export const SERVER_OPTIONS: OptionKeys<McpServerOptions> = {
  instructions: 1,
  tools: 1,
  lifespan: 1,
  pageSize: 1,
  maxContentBlocks: 1,
  logging: 1,
  capabilities: 1,
  scopes: 1,
  extensions: 1,
  requestState: REQUEST_STATE_OPTIONS,
  onError: 1,
  validator: 1,
  clock: 1,
};
