/**
 * The connection to NATS with JetStream, for commands and messages.
 *
 * Every command has a deadline. Nothing waits in a queue while the engine is away: such a command fails at once.
 */
import { waits } from "../../base/waits.ts";
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import { Circuit } from "../circuit.ts";
import { answered, closedError, StoreUnavailableError } from "../store-error.ts";
import { loadLibrary, type Connection, type JetStream } from "./library.ts";

export interface ConnectionOptions {
  /** Options of `connect` of the package. */
  readonly client: Readonly<Record<string, unknown>>;
  /** Milliseconds a command may take. */
  readonly timeout: number;
  readonly prepare: (jetStream: JetStream) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** What is there while NATS is connected or connects again. */
interface Session {
  readonly connection: Connection;
  readonly jetStream: JetStream;
}

/** The waits before a lost connection is renewed, in milliseconds. */
const WAITS = { first: 50, longest: 2_000, jitter: 0.5 };
/** Milliseconds between two pings of a quiet connection. Two that stay without a response end it. */
const PING_INTERVAL = 10_000;

export class NatsConnection {
  readonly #options: ConnectionOptions;
  readonly #circuit = new Circuit();
  readonly #gapListeners = new Set<() => void>();
  readonly #subscriptions = new Map<string, { unsubscribe(): void }>();
  #session: Promise<Session> | undefined;
  #connection: Connection | undefined;
  #connected = false;
  /** Makes the streams again. */
  #repairing: Promise<void> | undefined;
  /** Fails the commands under way. */
  readonly #waiting = new Set<(error: Error) => void>();
  readonly #waits = waits(WAITS);
  #closed = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Connects, and checks the streams, once. @throws StoreUnavailableError, McpUsageError */
  async ready(): Promise<void> {
    await loadLibrary(); // outside of the deadline, which bounds the engine: a busy machine may take longer to load a package
    await answered(this.#opened(), this.#options.timeout, "Connecting to NATS");
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** @throws StoreUnavailableError if the engine does not carry it out in time */
  async command<T>(what: string, work: (jetStream: JetStream) => Promise<T>): Promise<T> {
    const { timeout } = this.#options;
    const { jetStream } = await answered(this.#opened(), timeout, "Connecting to NATS", "not-sent");
    this.#assertConnected();
    let fail: (error: Error) => void;
    // The library would wait for a response that cannot come any more.
    const lost = new Promise<never>((_resolve, reject) => this.#waiting.add((fail = reject)));
    try {
      return await this.#circuit.run(() => Promise.race([work(jetStream), lost]), timeout, what);
    } catch (error) {
      if (this.#closed && error instanceof StoreUnavailableError) throw closedError(error);
      if (isStreamMissing((error as Error).cause)) this.#repair(jetStream);
      throw error;
    } finally {
      this.#waiting.delete(fail!);
    }
  }

  /** Makes streams again that were deleted, or that a server without its files does not have. Later commands find them. */
  #repair(jetStream: JetStream): void {
    if (this.#repairing !== undefined) return;
    const { prepare, onError } = this.#options;
    onError(new Error("A stream of NATS is gone with all that it had: it is made again"));
    this.#repairing = prepare(jetStream)
      .catch(onError)
      .finally(() => (this.#repairing = undefined));
  }

  // ---- messages ----

  async publish(subject: string, message: string): Promise<void> {
    const { connection } = await answered(this.#opened(), this.#options.timeout, "Connecting to NATS", "not-sent");
    this.#assertConnected(); // the library would keep it until the connection is there again
    connection.publish(subject, message);
  }

  /** Resolves when messages of the subject arrive. Subscriptions last through reconnects. */
  async subscribe(subject: string, listener: (message: string) => void): Promise<void> {
    const { connection } = await answered(this.#opened(), this.#options.timeout, "Connecting to NATS", "not-sent");
    this.#assertConnected();
    const callback = (error: Error | null, message: { string(): string }): void => {
      if (error === null) listener(message.string());
      else this.#options.onError(error);
    };
    this.#subscriptions.get(subject)?.unsubscribe();
    this.#subscriptions.set(subject, connection.subscribe(subject, { callback }));
    await answered(connection.flush(), this.#options.timeout, "Subscribing");
  }

  async unsubscribe(subject: string): Promise<void> {
    this.#subscriptions.get(subject)?.unsubscribe();
    this.#subscriptions.delete(subject);
  }

  /** Calls the listener when messages may have been missed. Returns a function that removes it. */
  onGap(listener: () => void): () => void {
    this.#gapListeners.add(listener);
    return () => this.#gapListeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#connection?.close(); // one that is not there yet closes itself
  }

  // ---- opening ----

  #assertNotClosed(): void {
    if (this.#closed) throw closedError();
  }

  #assertConnected(): void {
    this.#assertNotClosed();
    if (!this.#connected) throw new StoreUnavailableError("not-sent", new Error("NATS is not connected"));
  }

  #opened(): Promise<Session> {
    if (this.#session !== undefined) return this.#session;
    const opening = this.#open();
    this.#session = opening;
    opening.catch(() => (this.#session = undefined)); // the next use tries again
    return opening;
  }

  async #open(): Promise<Session> {
    this.#assertNotClosed();
    const { timeout, client, prepare } = this.#options;
    const library = await loadLibrary();
    const connection = await library.connect({
      timeout,
      maxReconnectAttempts: -1,
      reconnectDelayHandler: () => this.#waits.next(),
      pingInterval: PING_INTERVAL,
      noAsyncTraces: true,
      ...client,
    });
    try {
      assertTakesLargeMessages(connection);
      const jetStream = await library.jetStreamOf(connection, timeout);
      await prepare(jetStream);
      this.#assertNotClosed();
      this.#connection = connection;
      this.#connected = true;
      void this.#follow(connection);
      return { connection, jetStream };
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  #lost(): void {
    this.#connected = false;
    for (const fail of this.#waiting) fail(new Error("The connection to NATS was lost"));
  }

  /** Follows the state of the connection until it is closed. */
  async #follow(connection: Connection): Promise<void> {
    for await (const { type, error } of connection.status()) {
      if (type === "disconnect" || type === "close") this.#lost();
      if (type === "reconnect") {
        this.#connected = true;
        this.#waits.reset();
      }
      if (type === "reconnect" || type === "slowConsumer") this.#gapListeners.forEach((listener) => listener());
      if (type === "error") this.#options.onError(error);
    }
  }
}

/** Bytes of the largest message that these stores send. */
const LARGEST_MESSAGE = 2 ** 20;

/** @throws McpUsageError if the server takes only smaller ones than these stores send */
function assertTakesLargeMessages({ info }: Connection): void {
  const { max_payload: most = LARGEST_MESSAGE } = info ?? {};
  if (most >= LARGEST_MESSAGE) return;
  throw new McpUsageError(
    `NATS takes messages of at most ${most} bytes (max_payload), and these stores need ${LARGEST_MESSAGE}: set max_payload to 1MB or more`,
  );
}

/** Whether an error of the library says that the stream does not exist. */
export function isStreamMissing(error: unknown): boolean {
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown }; // of any library
  return name === "StreamNotFoundError" || (name === "JetStreamApiError" && code === 10_059);
}
