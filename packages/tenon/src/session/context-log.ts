/** Log messages from a handler to its client, filtered by the level that the client wants. */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { LoggingMessageNotificationParams } from "../protocol/lifecycle.ts";
import { isAtLeast, type LoggingLevel } from "../protocol/logging.ts";
import type { KnownClient } from "./client-capabilities.ts";
import { warnIfDeprecated } from "./deprecated.ts";

export interface LogContext extends KnownClient {
  notify(method: string, params: JsonObject): MaybePromise<void>;
}

/**
 * One method per severity. `data` is any JSON value, `null` included; `logger` names the part of the server. Security: the client
 * sees it, so no secrets and no internal details. A message that is less severe than the client wants is not sent. Data without a
 * JSON form (a function, a bigint, a cycle) throws a TypeError; nothing else here fails.
 */
export class ContextLog {
  readonly #context: LogContext;

  /** @internal Made by `ctx.log`. */
  constructor(context: LogContext) {
    this.#context = context;
  }

  /** Details for debugging. */
  debug(data: unknown, logger?: string): MaybePromise<void> {
    return this.send("debug", data, logger);
  }
  /** Normal events. */
  info(data: unknown, logger?: string): MaybePromise<void> {
    return this.send("info", data, logger);
  }
  /** Normal but significant events. */
  notice(data: unknown, logger?: string): MaybePromise<void> {
    return this.send("notice", data, logger);
  }
  /** Something may go wrong. */
  warning(data: unknown, logger?: string): MaybePromise<void> {
    return this.send("warning", data, logger);
  }
  /** Something went wrong. */
  error(data: unknown, logger?: string): MaybePromise<void> {
    return this.send("error", data, logger);
  }
  /** A part of the server fails. */
  critical(data: unknown, logger?: string): MaybePromise<void> {
    return this.send("critical", data, logger);
  }
  /** An operator must act now. */
  alert(data: unknown, logger?: string): MaybePromise<void> {
    return this.send("alert", data, logger);
  }
  /** The server cannot be used. */
  emergency(data: unknown, logger?: string): MaybePromise<void> {
    return this.send("emergency", data, logger);
  }

  /** Sends a message of any severity. */
  send(level: LoggingLevel, data: unknown, logger?: string): MaybePromise<void> {
    return this.sendBy(this.#context, logger === undefined ? { level, data } : { level, logger, data });
  }

  /** @internal The same on any channel. */
  sendBy(channel: Pick<LogContext, "notify">, params: LoggingMessageNotificationParams): MaybePromise<void> {
    if (!this.#isWanted(params.level)) return undefined;
    warnIfDeprecated("logging", this.#context.codec);
    return channel.notify("notifications/message", { ...params, data: asJson(params.data) });
  }

  /** Stateless: only if this request asked for that level. Stateful: the connection's level; all until one was set. */
  #isWanted(level: LoggingLevel): boolean {
    const { codec, client, connection } = this.#context;
    if (!connection.logging) return false;
    const threshold = codec.stateless ? client.logLevel : (connection.logLevel ?? "debug");
    return threshold !== undefined && isAtLeast(level, threshold);
  }
}

/** The wire needs data, and JSON has no undefined. @throws TypeError for data that JSON would lose, so that the caller notices */
function asJson(data: unknown): unknown {
  if (data === undefined || typeof data === "string") return data ?? null;
  let cause: unknown;
  try {
    if (JSON.stringify(data) !== undefined) return data;
  } catch (error) {
    cause = error;
  }
  throw new TypeError("The data of a log message has no JSON form", { cause });
}
