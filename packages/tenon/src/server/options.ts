/** The options of a server. */
import type { OptionKeys } from "../base/known-options.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { NumberTable } from "../base/number-options.ts";
import type { Implementation, ServerCapabilities } from "../protocol/capabilities.ts";
import type { JsonSchemaValidator } from "../schema/json-schema-validator.ts";
import type { Clock } from "../base/clock.ts";
import { REQUEST_STATE_OPTIONS, type RequestStateOptions } from "../session/asking/options.ts";
import type { UserPages } from "../session/asking/user-pages.ts";
import type { Extension } from "../session/extension.ts";
import type { NoTools } from "../session/tools/typed-tools.ts";
import type { OnError } from "./serving/failures.ts";
import type { Deviation } from "../wire/deviations.ts";
import { DISCOVERY_KEYS, type DiscoveryOptions } from "./discovery/options.ts";
import { SPILL_KEYS, type SpillOptions } from "../spill/options.ts";
import type { MountSet, NoMounts } from "./mounting/mounted-tools.ts";
import type { ToolSet } from "./features/tool.ts";

/** The scopes that each method requires, besides the scopes of the tool, prompt or resource. */
export type MethodScopes = Readonly<Record<string, readonly string[]>>;

/** Options of {@link McpServer}. Limits of connections and handlers are options of the function that serves it. */
export interface McpServerOptions<Lifespan = undefined, Offered extends ToolSet<Lifespan> = NoTools, Mounted extends MountSet = NoMounts> {
  /** How to use this server, for the model. Default: none. */
  instructions?: string;
  /** Tools by name, made with `tool()`. Use it if callers want their types (docs/clients/typed-calls.md); else `server.tool()`. */
  tools?: Offered;
  /**
   * Servers and other sources by the prefix under which each is mounted, as `server.mount(prefix, source)` does (docs/servers/mounting.md).
   * Callers know the types of their tools. Default: none.
   */
  mounts?: Mounted;
  /**
   * Opens what all requests share (a database, a browser) when the server first serves; handlers read it as `ctx.lifespan`. `close()`
   * disposes of it if it has `Symbol.asyncDispose` or `Symbol.dispose`.
   */
  lifespan?: () => MaybePromise<Lifespan>;
  /** Most items on a page of a list, at least 1 (RangeError). Default: no limit, one page. */
  pageSize?: number;
  /**
   * Most blocks in the `content` of one tool's result, at least 1 (RangeError). A call with more fails with -32603 before the blocks are
   * checked, so that it does not delay other requests. Default 10 000.
   */
  maxContentBlocks?: number;
  /**
   * What a client gets if the arguments of a tool do not match its `input`, the same on every revision: `"result"`, a result with `isError`
   * that the model reads and can correct, or `"error"`, a protocol error (-32602) that the client program handles. Another value is a
   * RangeError. Default `"result"`.
   */
  invalidArguments?: "result" | "error";
  /**
   * Lists `search_tools`, `call_tool` and the pinned tools in the place of all tools, if the list of what a client may see costs more tokens than
   * `above` (docs/servers/discovery.md). All tools can still be called by name. Default: all are listed.
   */
  discovery?: DiscoveryOptions;
  /**
   * What happens to results of tools whose text is too long for a model, unless the tool has this option itself: a preview, a link, and the tool
   * `read_more` (docs/servers/spill.md). `true` for the defaults. Default: results are sent whole.
   */
  spill?: boolean | SpillOptions;
  /** Whether `ctx.log` reaches clients: declares `logging`. Default true. */
  logging?: boolean;
  /** Capabilities besides those derived from what is registered, such as `experimental` and `extensions`. Default: none. */
  capabilities?: ServerCapabilities;
  /** Scopes that the client's token must have for a method, such as `{ "tools/list": ["catalog"] }`. Default: none. */
  scopes?: MethodScopes;
  /** Extensions of the protocol, such as `tasks()` of `tenon/ext/tasks`. Default: none. */
  extensions?: readonly Extension[];
  /**
   * How the state between the rounds of a call is sealed, and how long it is valid. Default: sealed with a key of this process, valid for
   * ten minutes.
   */
  requestState?: RequestStateOptions;
  /**
   * Pages at which users answer what their client cannot ask: `userPages({ … })` of `tenon/pages`, for `ctx.secret` and `ctx.confirm`
   * (docs/servers/secrets.md). The HTTP endpoint serves them. Default: none.
   */
  pages?: UserPages;
  /**
   * Whether requests that deviate from the protocol are refused with -32602. Default false: what can be read is read, and told to
   * `onDeviation` (docs/project/deviations.md). For tests of clients.
   */
  strict?: boolean;
  /**
   * Called once for each connection and kind of deviation with the first one that the server has read, such as an optional member that is
   * null, and with what the client says of itself. Clients without a session are one connection. Default: it is read without a word.
   */
  onDeviation?: (deviation: Deviation, client: Implementation | undefined) => void;
  /** Receives every failure that clients do not see in full. Default: written to the console's error output. */
  onError?: OnError;
  /** The validator of plain JSON Schemas. Default: Tenon's own. */
  validator?: JsonSchemaValidator;
  /** The clock of questions, tasks and changes. Default: the system's. Tests pass a virtual clock. */
  clock?: Clock;
}

export const SERVER_NUMBERS: NumberTable<Required<Pick<McpServerOptions, "pageSize" | "maxContentBlocks">>> = {
  pageSize: [Infinity, 1],
  maxContentBlocks: [10_000, 1],
};

export const SERVER_OPTIONS: OptionKeys<McpServerOptions> = {
  ...SERVER_NUMBERS,
  instructions: 1,
  tools: 1,
  mounts: 1,
  lifespan: 1,
  invalidArguments: 1,
  discovery: DISCOVERY_KEYS,
  spill: SPILL_KEYS,
  logging: 1,
  capabilities: 1,
  scopes: 1,
  extensions: 1,
  requestState: REQUEST_STATE_OPTIONS,
  pages: 1,
  strict: 1,
  onDeviation: 1,
  onError: 1,
  validator: 1,
  clock: 1,
};

/** Checks what a program without types passes, because every client would refuse the server otherwise. @throws TypeError */
export function assertInfo(info: Partial<Implementation> | undefined | null): void {
  if (typeof info?.name === "string" && typeof info.version === "string") return;
  const form = typeof info?.version === "number" ? ", which is a text" : "";
  throw new TypeError(`A server needs a name and a version${form}: new McpServer({ name: "weather", version: "1.0.0" })`);
}
