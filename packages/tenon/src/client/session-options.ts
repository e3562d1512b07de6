/**
 * The options of a session, generic over the session that its callbacks get. `options.ts` gives users the type with the
 * session filled in.
 */
import type { OptionKeys } from "../base/known-options.ts";
import type { Clock } from "../base/clock.ts";
import { CONNECTION_LIMITS, type ConnectionLimits, type LimitOptions } from "../dispatch/limits.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { ExtensionCapabilities, Implementation } from "../protocol/capabilities.ts";
import type { LoggingLevel } from "../protocol/types.ts";
import type { JsonSchemaValidator } from "../schema/json-schema-validator.ts";
import type { Extension } from "../session/extension.ts";
import type { Middleware } from "../session/handler.ts";
import type { Deviation } from "../wire/deviations.ts";
import type { Callbacks } from "./answer/callbacks.ts";
import type { OutgoingRequest } from "./call/outgoing-request.ts";
import type { NotificationCallbacks } from "./inbox.ts";

/** Limits of a client: of its connection, and of what a server may make it do. */
export interface ClientLimits extends ConnectionLimits {
  /**
   * Most times a call is sent again, with answers to the questions in its result (stateless revisions) or after the user has
   * visited a page (2025-11-25). Default 10. With 0 the call fails with {@link InputRequiredError} or
   * `UrlElicitationRequiredError`, and the caller answers by hand. A round without questions is followed by a pause; such rounds
   * together get the `timeout` of one request.
   */
  maxRounds: number;
  /** How deep answers may nest: a callback calls a tool, whose handler asks, and so on. A deeper question is refused. Default 8. */
  maxDepth: number;
  /**
   * Most characters of JSON of all pages of one list together, for `client.tools()` and its like and for lists that the client
   * reads for itself. Beyond it the client requests no further page and fails with `LimitExceededError`. Default 33 554 432 (32
   * Mi). A list has 64 pages at most.
   */
  maxListSize: number;
}

/** Options of a client, whatever its server. All times are in milliseconds; sizes and time limits of calls are the same as for a dispatcher. */
export interface SessionOptions<Session> extends Callbacks<Session>, NotificationCallbacks, Omit<LimitOptions, "limits"> {
  /** Limits of the connection, and of what a server may make the client do. Default: see each limit. */
  limits?: Partial<ClientLimits>;
  /** The client's name and version. Default {@link DEFAULT_CLIENT_INFO}. */
  clientInfo?: Implementation;
  /** Middleware around every request, the handshake included; the first is outermost. More: {@link Client.use}. Default: none. */
  middleware?: readonly Middleware<OutgoingRequest>[];

  /**
   * Milliseconds the user has to finish on a page, if a server refuses a call until then (-32042, 2025-11-25). No other time
   * limit counts this time. Default 600 000 (10 minutes).
   */
  visitTimeout?: number;
  /** Capabilities outside the protocol that this client declares, by name. Default: none. */
  experimental?: { [name: string]: JsonObject };
  /**
   * Extensions that the client uses, such as `tasks()` of `tenon/ext/tasks`, or extension capabilities that it only declares, by
   * id. Default: none.
   */
  extensions?: readonly Extension[] | ExtensionCapabilities;
  /**
   * The lowest level of log messages that the server sends. Default: the server decides; on stateless revisions it sends none.
   * @deprecated in the protocol as of 2026-07-28, where it still works: servers are to write to stderr, or to trace with OpenTelemetry.
   */
  logLevel?: LoggingLevel;
  /** Called with every error outside a call: dropped messages, and errors of the user's callbacks. Default: errors are ignored. */
  onError?: (error: Error) => void;

  /** Whether structured results are checked against the tool's output schema. Default true; costs one `tools/list`. */
  validateOutput?: boolean;
  /** Compiles those schemas. Default: Tenon's JSON Schema engine. */
  validator?: JsonSchemaValidator;
  /** The clock of all time limits. Default: the system's. Tests pass a virtual clock. */
  clock?: Clock;
  /**
   * Whether messages of the server that deviate from the protocol are refused with a `ProtocolViolationError`. Default false: what can be read
   * is read, and told to `onDeviation` (docs/project/deviations.md). For tests of servers.
   */
  strict?: boolean;
  /**
   * Called once for each kind of deviation with the first one that the client has read, such as an optional member that is null. An entry that
   * is left out of a list is reported to `onError` as well. Default: it is read without a word.
   */
  onDeviation?: (deviation: Deviation) => void;
  /** @internal Called with every deviation. */
  onEveryDeviation?: (deviation: Deviation) => void;
}

export function sessionOptionKeys(): OptionKeys<SessionOptions<never>> {
  return {
    timeout: 1,
    maxTotalTimeout: 1,
    limits: { ...CONNECTION_LIMITS, maxRounds: 1, maxDepth: 1, maxListSize: 1 },
    clientInfo: 1,
    middleware: 1,
    visitTimeout: 1,
    experimental: 1,
    extensions: 1,
    logLevel: 1,
    onElicit: 1,
    elicitationModes: 1,
    elicitationSchemes: 1,
    onSample: 1,
    samplingCapabilities: 1,
    roots: 1,
    onLog: 1,
    onMessage: 1,
    onError: 1,
    validateOutput: 1,
    validator: 1,
    clock: 1,
    strict: 1,
    onDeviation: 1,
    onEveryDeviation: 1,
  };
}

/** Whether the option holds extensions to use, and not only capabilities to declare. */
export function isExtensionList(extensions: SessionOptions<never>["extensions"]): extensions is readonly Extension[] {
  return Array.isArray(extensions);
}
