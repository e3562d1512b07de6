/** The options of a gateway, as its operator writes them. `settings.ts` has their defaults and checks. */
import type { Clock } from "../base/clock.ts";
import type { AuthStore } from "../auth/login/auth-store.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Implementation } from "../protocol/capabilities.ts";
import type { Deviation } from "../wire/deviations.ts";
import type { SealingKey } from "../session/asking/options.ts";
import type { AuditOptions } from "../middleware/audit/audit-log.ts";
import type { GatewayEntries } from "./credentials/entry.ts";
import type { Kind, ListLimits } from "../upstream/listing.ts";
import type { ListMemory } from "./catalog/list-memory.ts";
import type { Quota } from "./quotas.ts";
import type { LoginPagesOptions } from "./login/login-options.ts";
import type { PinOptions } from "./catalog/pins.ts";
import type { SpillOptions } from "../spill/options.ts";
import type { ToolSearchOptions } from "../search/search-options.ts";

/**
 * Whose calls may share a connection to a server that keeps state for it: one session of a client, one principal, one call, or all
 * callers. Connections on which the server may ask the client are never shared by several principals. Of a connection of all callers
 * `tasks/list` lists no task.
 */
export type Sharing = "session" | "principal" | "call" | "all";

/** What a policy decides about: one tool, prompt, resource or template, for one caller. */
export interface PolicyFacts {
  /** The caller's principal; undefined without authentication. */
  readonly principal: string | undefined;
  /** The scopes of the caller's token; empty without one. */
  readonly scopes: readonly string[];
  /** The claims of the caller's token, such as `groups`; empty without one. */
  readonly claims: JsonObject;
  /** The name of the server in the configuration. */
  readonly server: string;
  /** What it is. */
  readonly kind: Kind;
  /**
   * Its name or URI, as its server writes it. An older version of a tool or prompt is named as `search.v1`. A URI that no list has, such as one
   * of a template, comes in its normal form (RFC 3986, section 6.2.2) and without its fragment: scheme and host in small letters, and only what
   * needs it percent-encoded.
   */
  readonly name: string;
  /**
   * The version that its plain name means now, or in a call of an older version: `search` with `"2"` runs what `search.v2` runs. Undefined for what
   * has no versions.
   */
  readonly version?: string;
  /** The annotations that its server declares. Security: the server's own word; use them to deny, not to allow. */
  readonly annotations: JsonObject;
}

/**
 * Returns whether a caller may see and use something. It runs for each entry of a list and for each call, so it must be fast. What it answers
 * with anything but `true` or `false`, such as a promise, is denied and reported, as what it throws at.
 *
 * Security: it runs before the server is connected, too, when `annotations` and `version` are unknown, and for a whole server also `name`.
 * A denial that has read none of what is unknown is final: nothing is connected. So compare `server` and `principal` first, and read the others from
 * `facts` after that. A denial that has read them is asked again when they are known. What throws denies.
 */
export type Policy = (facts: PolicyFacts) => boolean;

/** What bounds a gateway. */
export interface GatewayLimits extends ListLimits {
  /** Connections to one server at a URL or in this process. One principal, or address without one, holds at most half. Default 256. */
  maxConnections: number;
  /** Processes of one server that is a program. One principal, or address without one, holds at most half. Default 8. */
  maxProcesses: number;
  /** Entries of one page of a list. Default: no limit. A list has one page, unless it is too large for a message: many clients read the first page only. */
  pageSize: number;
  /**
   * Characters that are held for clients without a session: calls and tasks that wait for them (131 072 each), the questions of those, and
   * results that were not fetched yet. One principal, or address without one, uses at most half, one call a quarter; for more there is an
   * error. Default 134 217 728.
   */
  maxHeld: number;
}

/** Who has written a message that deviates from the protocol: one of both. */
export interface DeviationWriter {
  /** The name of a server in the configuration. */
  readonly server?: string;
  /** What a client says of itself. It is not checked. */
  readonly client?: Implementation;
}

/** Options of {@link createGateway}. All times are in milliseconds. */
export interface GatewayOptions {
  /**
   * The servers behind the gateway, by name: what `loadConfig` returns, or targets of `connect`. A server at a URL may have an `auth` that
   * differs by caller.
   */
  servers: GatewayEntries;
  /** The name and version that clients and servers see. Default: `tenon-gateway`. */
  info?: Implementation;
  /** Instructions for models, before the servers' instructions. Default: none. */
  instructions?: string;
  /**
   * Whose calls share a connection to a stateful server, for all servers or by name. Default: a program is shared by the calls of one principal,
   * any other server by the calls of one session.
   */
  share?: Sharing | { readonly [server: string]: Sharing };
  /**
   * What the names of a server begin with, by server, before `__`. `""` leaves the names of one server as they are. Default: the server's
   * name, with characters replaced that hosts do not accept.
   */
  prefix?: { readonly [server: string]: string };
  /** Decides who sees and uses what. What is denied does not exist for the caller. Default: everything is allowed. */
  policy?: Policy;
  /**
   * Lists `search_tools` and `call_tool` in the place of all tools, for many tools in few tokens. All tools can still be called by name. `true` or the
   * options of the search. Default false.
   */
  search?: boolean | ToolSearchOptions;
  /**
   * What happens to results of tools whose text is too long for a model: a preview, a link, and the tool `read_more` of the gateway
   * (docs/servers/spill.md). `true` for the defaults. Default: results are passed whole.
   */
  spill?: boolean | SpillOptions;
  /** Records each request: who, what, which server, how long, how it ended. No contents, unless asked. Default: no records. */
  audit?: AuditOptions;
  /**
   * How much one caller may ask of a server, by the name of the server; `"*"` is for all others. A name that no server has is reported to
   * `onError`, here and in `share` and `prefix`. Default: no limit of this kind.
   */
  quotas?: { readonly [server: string]: Quota };
  /**
   * Passes on tools, prompts, instructions and pages of views only as they were approved. Default: they are served as their servers define
   * them.
   */
  pins?: PinOptions;
  /**
   * Milliseconds that a list waits for servers that are still connecting. They join later. Default 9 000 on stdio, where many hosts read the
   * lists once and grant a server 10 s to start; else 1 500.
   */
  readyTimeout?: number;
  /** Called with the names of servers that are still connecting when a list is sent without them, once for the same names. Default: none. */
  onMissing?: (servers: readonly string[]) => void;
  /**
   * Keeps the last list of each server that has the same list for all callers. The next gateway serves it until the server is there.
   * Default: lists are not kept.
   */
  lists?: ListMemory;
  /** Milliseconds that an unused connection stays open. Default 300 000. */
  idleTimeout?: number;
  /**
   * Milliseconds that running calls of a server get to end after `setServers` has changed or removed it. Later they fail with -32603 and
   * `reason: "replaced"`. Default 60 000.
   */
  drainTimeout?: number;
  /** How calls are continued after a question: the keys that seal their states (32 bytes or more), and how long an answer may take (600 000). */
  requestState?: { keys?: readonly SealingKey[]; ttl?: number };
  /** Pages at which users log in at servers with `auth: userLogin()`. Default: none, and only the user of this machine can log in. */
  logins?: LoginPagesOptions;
  /** Where the logins of users are kept: `logins` of shared stores, or `fileStore()` of `tenon/node`. Default: in memory. */
  loginStore?: AuthStore;
  /**
   * Whether clients over HTTP that connect from this machine without a token count as its user. Default false. They use the logins and
   * credentials of that user, and each hears what a program that they share logs. Security: a proxy on this machine that adds no header
   * about its client makes each of its clients such a client. Without it only a principal has credentials that differ by caller.
   */
  localLogins?: boolean;
  /** What bounds the gateway. Default: see each limit. */
  limits?: Partial<GatewayLimits>;
  /**
   * Whether messages that deviate from the protocol are refused: requests of clients with -32602, results of servers with an error. The
   * `strict` of a server's entry has priority for that server. Default false: what can be read is read, and told to `onDeviation`
   * (docs/project/deviations.md).
   */
  strict?: boolean;
  /**
   * Called once for each connection and kind of deviation with the first one that was read, and with its writer: the name of a server, or what a
   * client says of itself. The `onDeviation` of a server's entry is called in its place. Clients without a session are one connection. Default: it is read
   * without a word.
   */
  onDeviation?: (deviation: Deviation, writer: DeviationWriter) => void;
  /** The clock of all timeouts. Default: the system's. */
  clock?: Clock;
  /** Called with what goes wrong outside a call, and with the server it concerns. Default: `console.error`. */
  onError?: (error: Error, context: { server?: string; method?: string }) => void;
}
