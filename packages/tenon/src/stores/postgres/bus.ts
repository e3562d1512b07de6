/**
 * Messages between nodes by `notify` of PostgreSQL: see `Bus`. All topics share one channel.
 *
 * Each payload has a number in front, because PostgreSQL folds equal payloads of one transaction into one.
 */
import { randomId } from "../../base/bytes.ts";
import { unref } from "../../base/clock.ts";
import { McpUsageError, ErrorCode, LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import { TopicBus } from "../topic-bus.ts";
import type { PostgresConnection } from "./connection.ts";

/** UTF-8 bytes of a message. A payload has at most 7 999, with the number and the topic. */
const MAX_MESSAGE = 7_800;
/** Milliseconds within which the first message of a connection must come back. */
const ECHO_TIME = 5_000;

export function postgresBus(connection: PostgresConnection, onError: (error: unknown) => void): TopicBus {
  const bus = new PostgresChannel(connection);
  return new TopicBus(
    {
      maxMessage: MAX_MESSAGE,
      publish: (topic, message) => bus.publish(topic, message),
      open: (topic, tell) => bus.open(topic, tell),
      close: (topic) => bus.close(topic),
      onGap: (listener) => connection.onGap(listener),
      isClosed: () => connection.isClosed,
    },
    onError,
  );
}

class PostgresChannel {
  readonly #connection: PostgresConnection;
  readonly #outbox: Outbox;
  readonly #topics = new Map<string, (message: string) => void>();
  #stop: Promise<() => Promise<void>> | undefined;

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
    this.#outbox = new Outbox(connection, `${connection.channelPrefix}bus`);
  }

  publish(topic: string, message: string): Promise<void> {
    return this.#outbox.send(`${topic} ${message}`);
  }

  async open(topic: string, tell: (message: string) => void): Promise<void> {
    this.#topics.set(topic, tell);
    this.#stop ??= this.#listen().catch((error: unknown) => {
      this.#stop = undefined; // the next use tries again
      throw error;
    });
    await this.#stop;
  }

  async close(topic: string): Promise<void> {
    this.#topics.delete(topic);
    if (this.#topics.size > 0) return;
    const stop = this.#stop;
    this.#stop = undefined;
    await (
      await stop
    )?.();
  }

  async #listen(): Promise<() => Promise<void>> {
    const stop = await this.#connection.listen(`${this.#connection.channelPrefix}bus`, (payload) => this.#deliver(payload));
    try {
      await this.#assertEcho();
    } catch (error) {
      await stop();
      throw error;
    }
    return stop;
  }

  #deliver(payload: string): void {
    const [, topic, message] = /^\d+ (\S+) ([^]*)$/.exec(payload) ?? [];
    if (topic !== undefined) this.#topics.get(topic)?.(message!);
  }

  /** A pooler that shares connections between transactions accepts `listen` and delivers nothing. */
  async #assertEcho(): Promise<void> {
    const topic = `echo.${randomId()}`;
    const heard = new Promise<void>((resolve, reject) => {
      this.#topics.set(topic, () => resolve());
      const silent =
        'PostgreSQL delivers no notifications here. If "url" leads to a pooler, name a direct address in the option "listenUrl"';
      unref(setTimeout(() => reject(new McpUsageError(silent)), ECHO_TIME));
    });
    try {
      await Promise.all([heard, this.publish(topic, "")]);
    } finally {
      this.#topics.delete(topic);
    }
  }
}

interface WaitingMessage {
  readonly payload: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Messages that wait to be sent. The next one is refused. */
const MAX_WAITING = 10_000;
/** Messages of one statement. */
const AT_ONCE = 100;

/**
 * Sends notifications in order, all that have gathered in one statement. It waits for no disk: a notification that a crash loses was lost
 * by its receivers too.
 */
class Outbox {
  readonly #connection: PostgresConnection;
  readonly #channel: string;
  readonly #waiting: WaitingMessage[] = [];
  #number = 0;
  #sending = false;

  constructor(connection: PostgresConnection, channel: string) {
    this.#connection = connection;
    this.#channel = channel;
  }

  /** Resolves when the engine has the message. @throws LimitExceededError if too many wait */
  send(text: string): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(new LimitExceededError("Bus.maxWaiting", MAX_WAITING, undefined, ErrorCode.InternalError));
    }
    const sent = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ payload: `${++this.#number} ${text}`, resolve, reject });
    });
    if (!this.#sending) void this.#drain();
    return sent;
  }

  async #drain(): Promise<void> {
    this.#sending = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, AT_ONCE);
      try {
        await this.#connection.query(
          `with settings as (select set_config('synchronous_commit', 'off', true))
             select pg_notify($1, payload) from settings, unnest($2::text[]) as new (payload)`,
          [this.#channel, batch.map(({ payload }) => payload)],
        );
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#sending = false;
  }
}
