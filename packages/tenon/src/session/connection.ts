/**
 * What a server knows of one connection: data, no behaviour.
 *
 * The agreed codec, the client's identity, and settings of the client that outlive a request. Stateless requests bring all of this
 * with them and use the connection only to listen.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import { McpUsageError } from "../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { LoggingLevel } from "../protocol/logging.ts";
import { LATEST_HANDSHAKE_VERSION } from "../protocol/versions.ts";
import type { InitializeRequestParams } from "../protocol/lifecycle.ts";
import type { ConnectionFacts, FactsChange } from "../dispatch/connection-facts.ts";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { Caller } from "./caller.ts";
import { sendNotification } from "./send-notification.ts";
import type { VisibilityChange } from "./feature-filter.ts";
import type { ClientIdentity, Codec } from "../wire/codec.ts";
import { LENIENT, type Reading } from "../wire/deviations.ts";
import { codecFor } from "../wire/revisions.ts";
import type { SharedStores } from "../storage/shared-stores.ts";

export interface ServerHome {
  readonly name: string;
  /** What several processes share; undefined if the endpoint has no option `stores`. */
  readonly shared: SharedStores | undefined;
}

/** How far the handshake of a stateful connection has come. */
export type InitializationState = "notInitialized" | "initializing" | "initialized";

export interface SessionVisibility {
  change(caller: Caller, change: VisibilityChange): void;
}

const UNKNOWN_CLIENT: ClientIdentity = { capabilities: {} };

export class Connection {
  /** The codec of messages without an identity of their own; until one is agreed, the codec of the newest handshake revision. */
  codec: Codec = codecFor(LATEST_HANDSHAKE_VERSION);
  client: ClientIdentity = UNKNOWN_CLIENT;
  /** The params of the client's `initialize`, unchanged. */
  clientParams: InitializeRequestParams | undefined;
  state: InitializationState = "notInitialized";
  /** The least severe log message that the client wants; all until it sets a level. */
  logLevel: LoggingLevel | undefined;
  /** Who is at the other end, as its last request said; recorded if the server has rules of visibility. */
  caller: Caller | undefined;
  /** What happens to messages of the client that deviate. */
  reading: Reading = LENIENT;
  /** Changes what the client sees; absent if the server cannot. */
  visibility: SessionVisibility | undefined;
  /** The server; undefined on a client and in a gateway. */
  declare home?: ServerHome;
  subscriptions: Set<string> | undefined;
  /** Whether to send log messages at all: only if the server declared the capability. */
  readonly logging: boolean;
  /** Its standalone channel, which belongs to no request. */
  readonly dispatcher: Dispatcher;
  #listeners: (() => void)[] | undefined;

  constructor(dispatcher: Dispatcher, logging = true) {
    this.dispatcher = dispatcher;
    this.logging = logging;
    dispatcher.memory?.follow((facts) => this.#restore(facts));
  }

  #restore({ clientParams, version, logLevel, subscriptions }: ConnectionFacts): void {
    const params = clientParams as InitializeRequestParams; // checked when the handshake was handled
    this.clientParams = params;
    if (this.state === "notInitialized") this.agree(knownCodec(version), { info: params.clientInfo, capabilities: params.capabilities });
    this.logLevel = logLevel as LoggingLevel | undefined; // checked when it was set
    this.subscriptions = subscriptions && new Set(subscriptions);
  }

  /** Resolves when all processes that serve this connection can learn the change; at once if there is only this one. */
  keep(change: FactsChange): MaybePromise<void> {
    return this.dispatcher.memory?.keep(change);
  }

  /** Completes the handshake with a revision and a client: from now on requests are served. Only this opens a connection. */
  agree(codec: Codec, client: ClientIdentity): void {
    this.codec = codec;
    this.client = client;
    this.state = "initialized";
    this.dispatcher.acceptsBatches = codec.acceptsBatches;
  }

  /** Calls back once, when the connection has ended. */
  atEnd(callback: () => void): void {
    (this.#listeners ??= []).push(callback);
  }

  /** Calls the callbacks of {@link atEnd}. */
  end(): void {
    for (const callback of this.#listeners ?? []) callback();
    this.#listeners = undefined;
  }

  /** Sends a notification that belongs to no request, encoded for the agreed revision; nothing if the revision does not have it. */
  notify(method: string, params?: JsonObject): void {
    void sendNotification(this.codec, this.dispatcher, method, params);
  }
}

/** @throws McpUsageError if a newer version of this package has agreed on a revision that this one does not know */
function knownCodec(version: string): Codec {
  const codec = codecFor(version);
  if (codec === undefined) throw new McpUsageError(`Another process has agreed on revision ${version}, which this one does not know`);
  return codec;
}
