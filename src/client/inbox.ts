/**
 * Where the server's notifications go: to the callbacks of the user and to whoever in the client waits for them.
 *
 * Each notification is checked; a bad one is reported and dropped, and a callback that throws holds up no other (CS-94).
 */
import { isPromise, type MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { ProtocolViolationError } from "../jsonrpc/mcp-error.ts";
import type { LoggingMessageNotificationParams } from "../protocol/lifecycle.ts";
import type { ClientLink } from "./connection.ts";
import type { ClientSessionOptions } from "./options.ts";

/** Hears notifications inside the client. Must not throw. */
export type Listener = (method: string, params: JsonObject) => void;

export class Inbox {
  readonly #options: ClientSessionOptions;
  readonly #report: (error: unknown) => void;
  readonly #listeners = new Set<Listener>();

  constructor(options: ClientSessionOptions, report: (error: unknown) => void) {
    this.#options = options;
    this.#report = report;
  }

  /** Calls `listener` with each notification from now on. Returns how to stop. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  deliver(link: ClientLink, method: string, raw: JsonObject | undefined): void {
    const params = this.#decode(link, method, raw);
    if (params !== undefined) this.announce(method, params);
  }

  /** Tells everybody of a notification that has been checked, or that this side concludes. */
  announce(method: string, params: JsonObject): void {
    for (const listener of this.#listeners) listener(method, params);
    const { onLog, onMessage } = this.#options;
    if (onLog && method === "notifications/message") this.#call(() => onLog(params as LoggingMessageNotificationParams)); // checked by the codec
    if (onMessage) this.#call(() => onMessage({ method, params }));
  }

  #decode({ codec }: ClientLink, method: string, raw: JsonObject | undefined): JsonObject | undefined {
    try {
      return codec.decodeParams(method, raw);
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
