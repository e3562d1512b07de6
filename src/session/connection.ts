/**
 * What a server knows of one connection: facts, no behaviour.
 *
 * The codec that was agreed on, who the client is, and what it asked for that outlives a request. Stateless requests
 * bring all of this with them and use the connection only as a place to listen.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { LoggingLevel } from "../protocol/logging.ts";
import { LATEST_HANDSHAKE_VERSION } from "../protocol/versions.ts";
import type { InitializeRequestParams } from "../protocol/lifecycle.ts";
import type { Dispatcher, Outbound } from "../dispatch/dispatcher.ts";
import type { ClientIdentity, Codec } from "../wire/codec.ts";
import { codecFor } from "../wire/revisions.ts";

/** How far the handshake of a stateful connection has come. */
export type InitializationState = "notInitialized" | "initializing" | "initialized";

const UNKNOWN_CLIENT: ClientIdentity = { capabilities: {} };

export class Connection {
  /** What messages without an identity of their own are written in; the newest handshake revision until agreed. */
  codec: Codec = codecFor(LATEST_HANDSHAKE_VERSION);
  client: ClientIdentity = UNKNOWN_CLIENT;
  /** What the client said in the handshake, as it said it. */
  clientParams: InitializeRequestParams | undefined;
  state: InitializationState = "notInitialized";
  /** The least severe log message the client wants; everything until it says so (K6.1). */
  logLevel: LoggingLevel | undefined;
  /** Resources the client subscribed to. */
  subscriptions: Set<string> | undefined;
  /** Whether log messages are sent at all: not by a server that did not declare them (K6.2). */
  readonly logging: boolean;
  /** Its standalone channel, which belongs to no request. */
  readonly dispatcher: Dispatcher;

  constructor(dispatcher: Dispatcher, logging = true) {
    this.dispatcher = dispatcher;
    this.logging = logging;
  }

  /** The handshake settled on a revision and a client: from now on requests are served. */
  agree(codec: Codec, client: ClientIdentity): void {
    this.codec = codec;
    this.client = client;
    this.state = "initialized";
    this.dispatcher.acceptsBatches = codec.acceptsBatches;
  }

  /** The client said something that wants no answer. Nothing counts before the handshake but its end (SS-25, SS-26). */
  receiveNotification(method: string): void {
    if (method === "notifications/initialized") this.state = "initialized";
  }

  /** Sends a notification that belongs to no request, in the shape of the agreed revision; nothing where it has none. */
  notify(method: string, params?: JsonObject): void {
    void sendNotification(this.codec, this.dispatcher, method, params);
  }
}

/** Sends a notification to a client in the shape of its revision; nothing where that does not have it. Never fails. */
export function sendNotification(codec: Codec, outbound: Outbound, method: string, params: JsonObject | undefined): MaybePromise<void> {
  return codec.hasNotification(method, "server") ? outbound.notify(method, codec.encodeParams(method, params)) : undefined;
}
