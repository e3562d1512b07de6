/** What these stores use of the packages of NATS. They are loaded with the first use. */
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";

/** A connection of `@nats-io/transport-node`. It reconnects by itself. */
export interface Connection {
  readonly info?: { readonly max_payload: number };
  publish(subject: string, payload: string): void;
  subscribe(subject: string, options: { callback: (error: Error | null, message: { string(): string }) => void }): { unsubscribe(): void };
  flush(): Promise<void>;
  status(): AsyncIterable<{ readonly type: string; readonly error?: unknown }>;
  close(): Promise<void>;
}

/** A message that a stream of JetStream keeps. */
export interface StoredMessage {
  readonly subject: string;
  readonly seq: number;
  readonly time: Date;
  readonly header: { get(name: string): string };
  readonly data: Uint8Array;
}

export interface StreamConfig {
  readonly name: string;
  readonly discard: string;
  readonly storage: string;
  readonly max_age: number;
  readonly max_bytes: number;
  readonly max_msgs: number;
}

interface StreamApi {
  add(config: object): Promise<unknown>;
  info(
    stream: string,
    options?: { subjects_filter: string },
  ): Promise<{ config: StreamConfig; state: { subjects?: Record<string, number> } }>;
  purge(stream: string, options: { filter: string; seq?: number }): Promise<unknown>;
  deleteMessage(stream: string, seq: number): Promise<boolean>;
  getMessage(stream: string, query: { seq: number } | { last_by_subj: string }): Promise<StoredMessage | null>;
}

export interface DeliveredMessage {
  readonly subject: string;
  readonly seq: number;
  readonly time: Date;
  readonly headers?: { get(name: string): string };
}

/** A consumer that delivers messages of a stream in order, and that the server forgets by itself. */
interface Consumer {
  fetch(options: { max_messages: number; expires: number }): Promise<AsyncIterable<DeliveredMessage>>;
  delete(): Promise<boolean>;
}

/** JetStream, as `@nats-io/jetstream` offers it. */
export interface JetStream {
  publish(subject: string, payload: Uint8Array, options: object): Promise<{ readonly seq: number }>;
  readonly consumers: { get(stream: string, options: object): Promise<Consumer> };
  readonly streams: StreamApi;
  headers(): { set(name: string, value: string): void };
}

export interface Library {
  connect(options: object): Promise<Connection>;
  jetStreamOf(connection: Connection, timeout: number): Promise<JetStream>;
}

/** @throws McpUsageError if a package is not installed */
export async function loadLibrary(): Promise<Library> {
  const [transport, jetstream] = await Promise.all([
    import("@nats-io/transport-node").catch(missing("@nats-io/transport-node")),
    import("@nats-io/jetstream").catch(missing("@nats-io/jetstream")),
  ]);
  type Native = Awaited<ReturnType<typeof transport.connect>>;
  return {
    connect: (options) => transport.connect(options),
    async jetStreamOf(connection, timeout) {
      const native = connection as Native & Connection; // `connect` made it
      const client = jetstream.jetstream(native, { timeout });
      const manager = await jetstream.jetstreamManager(native, { timeout, checkAPI: false });
      return {
        publish: (subject, payload, options) => client.publish(subject, payload, options),
        consumers: client.consumers as unknown as JetStream["consumers"], // the library's types name more
        streams: manager.streams as unknown as StreamApi,
        headers: () => transport.headers(),
      };
    },
  };
}

function missing(name: string): (cause: unknown) => never {
  return (cause) => {
    throw new McpUsageError(`natsStores() needs the package "${name}": npm install @nats-io/transport-node @nats-io/jetstream`, { cause });
  };
}
