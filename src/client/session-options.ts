/**
 * The options of a session, generic over the session that its callbacks are handed: `session.ts` takes them, and
 * `options.ts` gives users the type with the session filled in.
 */
import type { Clock } from "../base/clock.ts";
import type { ConnectionLimits, LimitOptions } from "../dispatch/limits.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { ExtensionCapabilities, Implementation } from "../protocol/capabilities.ts";
import type { LoggingLevel } from "../protocol/types.ts";
import type { JsonSchemaValidator } from "../schema/json-schema-validator.ts";
import type { Extension } from "../session/extension.ts";
import type { Middleware } from "../session/handler.ts";
import type { Callbacks } from "./answer/callbacks.ts";
import type { OutgoingRequest } from "./call/outgoing-request.ts";
import type { NotificationCallbacks } from "./inbox.ts";

/** What bounds a client: its connection, and what a server may make it do. */
export interface ClientLimits extends ConnectionLimits {
  /**
   * Times a call is sent again with answers to what the server asks in its result (stateless revisions), or once the user
   * has been on a page (2025-11-25). Default 10; 0 to get such results as they are, in {@link InputRequiredError} and
   * `UrlElicitationRequiredError`, and answer by hand. A result that asks nothing is followed by a pause; such rounds together get
   * the `timeout` of one request.
   */
  maxRounds: number;
  /**
   * Answers of this client that may lie in each other: a callback that calls a tool, whose handler asks, and so on. The
   * question that would go deeper is refused. Default 8.
   */
  maxDepth: number;
  /**
   * Characters of JSON that the pages of one list may have together, where the client reads it page by page: `client.tools()` and
   * its like, and lists that the client reads for itself. No page is asked for after that, and the walk fails with
   * `LimitExceededError`. Default 33 554 432 (32 Mi); a list has 64 pages at most.
   */
  maxListSize: number;
}

/** Options of a client, whatever its server. All times are in milliseconds; sizes and time limits of calls are those of a dispatcher. */
export interface SessionOptions<Session> extends Callbacks<Session>, NotificationCallbacks, Omit<LimitOptions, "limits"> {
  /** What bounds the connection and what a server may make of it. Default: see each limit. */
  limits?: Partial<ClientLimits>;
  /** Who this client says it is. Default {@link DEFAULT_CLIENT_INFO}. */
  clientInfo?: Implementation;
  /** What every request goes through, those of the handshake included; the first is outermost. More: {@link Client.use}. Default: none. */
  middleware?: readonly Middleware<OutgoingRequest>[];

  /**
   * Milliseconds the user has to finish what a page is for, where a server refuses a call until then (-32042, 2025-11-25).
   * Counted against no other time limit. Default 600 000 (10 minutes).
   */
  visitTimeout?: number;
  /** Capabilities outside the protocol that this client declares, by name. Default: none. */
  experimental?: { [name: string]: JsonObject };
  /** What is spoken beyond the core of the protocol, such as `tasks()` of `tenon/ext/tasks`; or only declared, by id. Default: nothing. */
  extensions?: readonly Extension[] | ExtensionCapabilities;
  /**
   * The least severe log message wanted. Default: what the server decides; on stateless revisions none.
   * @deprecated in the protocol as of 2026-07-28, where it still works: servers are to write to stderr, or to trace with OpenTelemetry.
   */
  logLevel?: LoggingLevel;
  /** Told of everything that is dropped or goes wrong outside a call, callbacks of the user included. Default: nobody. */
  onError?: (error: Error) => void;

  /** Whether structured results are checked against the tool's output schema. Default true; costs one `tools/list`. */
  validateOutput?: boolean;
  /** What runs those schemas. Default: Tenon's own choice for the runtime. */
  validator?: JsonSchemaValidator;
  /** What all time limits go by. Default: the system's; tests give one that stands still. */
  clock?: Clock;
  /** @internal Whether a malformed item of a list is left out and reported. Default false: the whole list is refused. */
  skipMalformedItems?: boolean;
}

/** Whether these are extensions that are used, and not only declared. */
export function areUsed(extensions: SessionOptions<never>["extensions"]): extensions is readonly Extension[] {
  return Array.isArray(extensions);
}
