/**
 * One stream of JetStream, by subjects: the messages of a subject are a chain, and a writer can require which one is the last. That is
 * the atomic step on which these stores are built.
 */
import { jsonIn } from "../../jsonrpc/parse-json.ts";
import { DamagedEntryError } from "../../storage/damaged-entry.ts";
import { isJsonObject } from "../../jsonrpc/message.ts";
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import { StoreUnavailableError } from "../store-error.ts";
import { isStreamMissing, type NatsConnection } from "./connection.ts";
import type { DeliveredMessage, JetStream, StoredMessage, StreamConfig } from "./library.ts";

/** The facts of a message: how long it is kept, and what its writer adds. They are JSON in one header. */
export interface Facts {
  /** Milliseconds for which the message is kept; without it until it is removed. */
  readonly ms?: number;
}

export interface Message {
  readonly seq: number;
  readonly facts: Facts;
  readonly text: string;
  /** When the server stored it, in milliseconds of its clock. */
  readonly at: number;
}

export interface StreamOptions {
  readonly name: string;
  /** What all of its subjects begin with. */
  readonly subjects: string;
  /** Messages that are kept for each subject; -1 for all. */
  readonly perSubject: number;
  readonly replicas: number;
  /** Bytes that it may have; -1 for as many as the server allows. */
  readonly maxBytes: number;
}

/** What the server's clock is ahead of this process's, and when that was read. */
interface Clock {
  readonly ahead: number;
  readonly readAt: number;
}

/** The header with the facts. */
const HEADER = "Tenon";
/** Codes of errors: another message is the last one, there is no room. */
const WRONG_LAST = 10_071;
const FULL: ReadonlySet<unknown> = new Set([10_077, 10_023, 10_047, 10_122]);
/** Codes of errors: the name is in use, or the subjects are. The server says so too of a stream that it is making for another node. */
const TAKEN: ReadonlySet<unknown> = new Set([10_058, 10_065]);
/** Milliseconds for which the server's clock is known, once it was read. */
const CLOCK_LIFE = 30_000;

class FullError extends Error {
  constructor(stream: string, cause: unknown) {
    super(`Stream "${stream}" of NATS is full`, { cause });
  }
}

export class NatsStream {
  readonly #connection: NatsConnection;
  readonly #options: StreamOptions;
  #clock: Clock | undefined;
  #onStored: () => void = () => undefined;
  #onFull: () => void = () => undefined;

  constructor(connection: NatsConnection, options: StreamOptions) {
    this.#connection = connection;
    this.#options = options;
    // It may be another server now.
    connection.onGap(() => (this.#clock = this.#clock && { ...this.#clock, readAt: -Infinity }));
  }

  /** Makes the stream if it is not there. @throws McpUsageError if the server would lose entries of the one that is there */
  static async prepare(jetStream: JetStream, options: StreamOptions): Promise<void> {
    const { name } = options;
    const config = (await configOf(jetStream, name)) ?? (await addStream(jetStream, options));
    if (config === undefined) return;
    const { discard, max_age, max_bytes, max_msgs } = config;
    if (max_age > 0 || (discard !== "new" && (max_bytes > 0 || max_msgs > 0))) {
      throw new McpUsageError(
        `Stream "${name}" of NATS evicts live entries (max_age ${max_age}, discard ${discard}): set max_age 0, discard new`,
      );
    }
  }

  /** Calls the listener whenever a message was stored. */
  onStored(listener: () => void): void {
    this.#onStored = listener;
  }

  /** Calls the listener whenever a message was refused because there is no room. */
  onFull(listener: () => void): void {
    this.#onFull = listener;
  }

  /** The last message of a subject, as the leader of the stream has it. */
  async last(subject: string): Promise<Message | undefined> {
    return this.#get({ last_by_subj: this.#subject(subject) });
  }

  /** The message with a number; undefined if it was removed. */
  async at(seq: number): Promise<Message | undefined> {
    return this.#get({ seq });
  }

  async #get(query: { seq: number } | { last_by_subj: string }): Promise<Message | undefined> {
    const found = await this.#connection.command("Reading", ({ streams }) => streams.getMessage(this.#options.name, query));
    return found === null ? undefined : messageOf(found);
  }

  /**
   * Stores a message. `expected`: the number of the message that must be the last of the subject, 0 for none.
   * @returns its number; undefined if another message is the last one
   */
  async publish(subject: string, facts: Facts, text: string, expected?: number): Promise<number | undefined> {
    const payload = new TextEncoder().encode(text);
    try {
      const stored = await this.#connection.command("Storing", (jetStream) => {
        const headers = jetStream.headers();
        headers.set(HEADER, headerOf(facts));
        const expect = expected === undefined ? {} : { expect: { lastSubjectSequence: expected } };
        return jetStream.publish(this.#subject(subject), payload, { headers, ...expect });
      });
      this.#onStored();
      return stored.seq;
    } catch (error) {
      const { cause } = error as Error;
      if (codeOf(cause) === WRONG_LAST) return undefined;
      if (!FULL.has(codeOf(cause))) throw error;
      this.#onFull();
      throw new StoreUnavailableError("not-sent", new FullError(this.#options.name, cause));
    }
  }

  /** Removes exactly one message. False if it was not there. */
  async remove(seq: number): Promise<boolean> {
    try {
      return await this.#connection.command("Removing", ({ streams }) => streams.deleteMessage(this.#options.name, seq));
    } catch (error) {
      if (codeOf((error as Error).cause) !== undefined) return false; // there is no such message
      throw error;
    }
  }

  /** Removes the messages of subjects; with `before` only those with smaller numbers. The last parts of `filter` may be `*` or `>`. */
  async purge(filter: string, before?: number): Promise<void> {
    const options = { filter: this.#subject(filter), ...(before !== undefined && { seq: before }) };
    await this.#connection.command("Removing", ({ streams }) => streams.purge(this.#options.name, options));
  }

  async subjects(filter: string): Promise<string[]> {
    const options = { subjects_filter: this.#subject(filter) };
    const { state } = await this.#connection.command("Listing", ({ streams }) => streams.info(this.#options.name, options));
    return Object.keys(state.subjects ?? {}).map((subject) => subject.slice(this.#options.subjects.length + 1));
  }

  /** Whether the time of a message is over, by the server's clock. */
  async isOver({ at, facts }: Pick<Message, "at" | "facts">): Promise<boolean> {
    return facts.ms !== undefined && at + facts.ms <= (await this.now());
  }

  /**
   * The server's time, in milliseconds. It is read from a message, because the protocol does not tell it. A server without room for that
   * message goes on with the clock as it was known, so that a full engine can be read.
   */
  async now(): Promise<number> {
    if (this.#clock === undefined || performance.now() - this.#clock.readAt > CLOCK_LIFE) this.#clock = await this.#readClock();
    return performance.now() + this.#clock.ahead;
  }

  async #readClock(): Promise<Clock> {
    const before = performance.now();
    const seq = await this.publish("clock", {}, "").catch((error: unknown) => {
      if ((error as Error).cause instanceof FullError) return undefined;
      throw error;
    });
    const readAt = (before + performance.now()) / 2;
    if (seq === undefined) return { ahead: this.#clock?.ahead ?? Date.now() - readAt, readAt };
    const message = (await this.at(seq)) ?? (await this.last("clock")); // another node may have replaced it
    return { ahead: (message?.at ?? Date.now()) - readAt, readAt };
  }

  /** The last messages of all subjects, without their texts, in parts. */
  async *scan(atOnce: number): AsyncGenerator<{ subject: string; seq: number; facts: Facts; at: number }[]> {
    const options = { headers_only: true, deliver_policy: "last_per_subject" };
    const consumer = await this.#connection.command("Listing", ({ consumers }) => consumers.get(this.#options.name, options));
    try {
      for (;;) {
        const part: DeliveredMessage[] = [];
        const messages = await this.#connection.command("Listing", () => consumer.fetch({ max_messages: atOnce, expires: 1_000 }));
        for await (const message of messages) part.push(message);
        yield part.map(({ subject, seq, time, headers }) => {
          const facts = factsIn(headers?.get(HEADER)) ?? {}; // it stays until it is removed
          return { subject: subject.slice(this.#options.subjects.length + 1), seq, facts, at: time.getTime() };
        });
        if (part.length < atOnce) return;
      }
    } finally {
      await consumer.delete().catch(() => false); // the server forgets it by itself
    }
  }

  #subject(subject: string): string {
    return `${this.#options.subjects}.${subject}`;
  }
}

function messageOf({ seq, time, header, data }: StoredMessage): Message {
  const facts = factsIn(header.get(HEADER));
  if (facts === undefined) throw new DamagedEntryError(`A message of NATS (number ${seq})`, `has no JSON object in its header "${HEADER}"`);
  return { seq, facts, text: new TextDecoder().decode(data), at: time.getTime() };
}

/** The facts as `publish` has written them; undefined if the header is damaged. */
function factsIn(header: string | undefined): Facts | undefined {
  const text = header || "{}";
  const facts: unknown = jsonIn(text);
  return isJsonObject(facts) ? facts : undefined;
}

/** How a stream is set up; undefined if it does not exist. */
async function configOf(jetStream: JetStream, name: string): Promise<StreamConfig | undefined> {
  try {
    return (await jetStream.streams.info(name)).config;
  } catch (error) {
    if (isStreamMissing(error)) return undefined;
    throw error;
  }
}

/** Makes a stream. Returns how it is set up if another node was first. */
async function addStream(jetStream: JetStream, options: StreamOptions): Promise<StreamConfig | undefined> {
  const { name, subjects, perSubject, replicas, maxBytes } = options;
  const limits = { max_msgs_per_subject: perSubject, max_bytes: maxBytes, discard: "new" };
  try {
    await jetStream.streams.add({ name, subjects: [`${subjects}.>`], num_replicas: replicas, storage: "file", ...limits });
    return undefined;
  } catch (error) {
    const config = TAKEN.has(codeOf(error)) ? await configOf(jetStream, name) : undefined;
    if (config === undefined) throw error;
    return config;
  }
}

/** Headers carry ASCII. */
function headerOf(facts: Facts): string {
  return JSON.stringify(facts).replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function codeOf(error: unknown): unknown {
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown }; // of any library
  return name === "JetStreamApiError" ? code : undefined;
}
