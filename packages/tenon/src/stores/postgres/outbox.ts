/**
 * Sends notifications in order, all that have gathered in one statement. It waits for no disk: a notification that a crash loses was lost
 * by its receivers too.
 */
import { ErrorCode, LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import type { PostgresConnection } from "./connection.ts";

interface WaitingMessage {
  readonly payload: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Messages that wait to be sent. The next one is refused. */
const MAX_WAITING = 10_000;
/** Messages of one statement. */
const AT_ONCE = 100;

export class Outbox {
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
