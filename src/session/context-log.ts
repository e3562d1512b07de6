/** Log messages a handler sends to the client, filtered by the level the client asked for. */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { LoggingMessageNotificationParams } from "../protocol/lifecycle.ts";
import { isAtLeast, type LoggingLevel } from "../protocol/logging.ts";
import type { ClientIdentity, Codec } from "../wire/codec.ts";
import type { Connection } from "./connection.ts";
import { warnIfDeprecated } from "./deprecated.ts";

/** The request they belong to, as far as they need it. */
export interface LogContext {
  readonly codec: Codec;
  readonly client: ClientIdentity;
  readonly connection: Connection;
  notify(method: string, params: JsonObject): MaybePromise<void>;
}

/**
 * One method a severity. `data` is any JSON value, `null` included; `logger` names the part of the server.
 * The client sees it: no secrets, no internal details (K6.3). What is less severe than the client wants is not sent (SS-66). What is
 * sent must have a JSON form: a function, a bigint, a cycle throws a TypeError, and nothing else here fails.
 */
export class ContextLog {
  readonly #context: LogContext;

  /** @internal Made by `ctx.log`. */
  constructor(context: LogContext) {
    this.#context = context;
  }

  /** For whoever looks for a fault. */
  debug(data: unknown, logger?: string): MaybePromise<void> {
    return this.send("debug", data, logger);
  }
  /** Something happened as it should. */
  info(data: unknown, logger?: string): MaybePromise<void> {
    return this.send("info", data, logger);
  }
  /** Something happened that is normal and worth knowing. */
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
  /** Somebody has to act now. */
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

  /** Stateless: only what this request asked for (K6.2). Stateful: the connection's level, all until one was set. */
  #isWanted(level: LoggingLevel): boolean {
    const { codec, client, connection } = this.#context;
    if (!connection.logging) return false;
    const threshold = codec.stateless ? client.logLevel : (connection.logLevel ?? "debug");
    return threshold !== undefined && isAtLeast(level, threshold);
  }
}

/** The wire wants data, and JSON has no undefined. @throws TypeError for what would be lost on the way, so that whoever logs it hears of it */
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
