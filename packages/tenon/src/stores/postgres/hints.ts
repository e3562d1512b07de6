/**
 * Notifications of changed tasks. They are sent apart from the changes, several at once: a notification inside a transaction makes every
 * other one wait for it.
 */
import type { PostgresConnection } from "./connection.ts";

/** Characters of one notification. PostgreSQL takes 7 999 bytes, and ids are ASCII. */
const MAX_PAYLOAD = 4_000;
/** Ids that wait to be sent. What is above is not sent: listeners then wait longer. */
const MAX_WAITING = 10_000;

export class Hints {
  readonly #connection: PostgresConnection;
  readonly #channel: string;
  readonly #onError: (error: unknown) => void;
  readonly #waiting = new Set<string>();
  #sending = false;

  constructor(connection: PostgresConnection, channel: string, onError: (error: unknown) => void) {
    this.#connection = connection;
    this.#channel = channel;
    this.#onError = onError;
  }

  send(id: string): void {
    if (this.#waiting.size >= MAX_WAITING) return;
    this.#waiting.add(id);
    if (!this.#sending) void this.#drain();
  }

  async #drain(): Promise<void> {
    this.#sending = true;
    try {
      while (this.#waiting.size > 0) await this.#connection.query("select pg_notify($1, $2)", [this.#channel, this.#take()]);
    } catch (error) {
      this.#waiting.clear();
      this.#onError(error);
    } finally {
      this.#sending = false;
    }
  }

  #take(): string {
    let payload = "";
    for (const id of this.#waiting) {
      if (payload.length + id.length > MAX_PAYLOAD && payload !== "") break;
      payload += payload === "" ? id : ` ${id}`;
      this.#waiting.delete(id);
    }
    return payload;
  }
}
