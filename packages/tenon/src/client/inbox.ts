/**
 * Delivers the server's notifications: to the callbacks of the user, and to the parts of the client that subscribed.
 *
 * Each notification is checked. A malformed one is reported and dropped. If a callback throws, the others still get the notification.
 */
import { isPromise, type MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { ProtocolViolationError } from "../jsonrpc/mcp-error.ts";
import type { LoggingMessageNotificationParams } from "../protocol/lifecycle.ts";
import type { Codec } from "../wire/codec.ts";
import type { Reading } from "../wire/deviations.ts";

/** Called with each log message of the server, in order. */
export type LogHandler = (message: LoggingMessageNotificationParams) => MaybePromise<void>;

/** A notification as it arrived. */
export interface ServerMessage {
  /** Such as `notifications/message`. */
  method: string;
  /** Checked if the revision has the method; `{}` if there were none. */
  params: JsonObject;
}
/** Called with each notification of the server, in order. */
export type MessageHandler = (message: ServerMessage) => MaybePromise<void>;

/** Callbacks for notifications. */
export interface NotificationCallbacks {
  /**
   * Called with each log message of the server. Default: none.
   * @deprecated in the protocol as of 2026-07-28, where it still works: servers are to write to stderr, or to trace with OpenTelemetry.
   */
  onLog?: LogHandler;
  /**
   * Called with every notification of the server, after the callback for its kind. For programs that show or record all of them; for one
   * kind use `onNotification`, and for changes `listen`. Default: none.
   */
  onMessage?: MessageHandler;
}

/** Receives notifications inside the client. Must not throw. */
export type Listener = (method: string, params: JsonObject) => void;

export class Inbox {
  readonly #callbacks: NotificationCallbacks;
  readonly #report: (error: unknown) => void;
  readonly #listeners = new Set<Listener>();

  constructor(callbacks: NotificationCallbacks, report: (error: unknown) => void) {
    this.#callbacks = callbacks;
    this.#report = report;
  }

  /** Calls `listener` with each notification. Returns a function that unsubscribes it. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  deliver({ codec, reading }: { readonly codec: Codec; readonly reading: Reading }, method: string, raw: JsonObject | undefined): void {
    const params = this.#decode(codec, reading, method, raw);
    if (params !== undefined) this.announce(method, params);
  }

  /** Delivers a notification that was checked, or that this side infers. */
  announce(method: string, params: JsonObject): void {
    for (const listener of this.#listeners) listener(method, params);
    const { onLog, onMessage } = this.#callbacks;
    if (onLog && method === "notifications/message") this.#call(() => onLog(params as LoggingMessageNotificationParams)); // checked by the codec
    if (onMessage) this.#call(() => onMessage({ method, params }));
  }

  #decode(codec: Codec, reading: Reading, method: string, raw: JsonObject | undefined): JsonObject | undefined {
    try {
      return codec.decodeParams(method, raw, reading);
    } catch (cause) {
      this.#report(new ProtocolViolationError(`The server sent a malformed "${method}"`, undefined, { cause }));
      return undefined;
    }
  }

  #call(callback: () => MaybePromise<void>): void {
    try {
      const done = callback();
      if (isPromise(done)) done.catch(this.#report);
    } catch (error) {
      this.#report(error);
    }
  }
}
